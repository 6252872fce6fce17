import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';

/** Shorter tokens could be guessed. */
const MIN_TOKEN_LENGTH = 32;

export type Token = {
  readonly text: string;
  readonly matches: (given: string) => boolean;
};

/** The bearer token of this process: 32 random bytes, unless the user set a fixed one. */
export function createToken(fixed?: string): Token {
  if (fixed !== undefined && !/^[!-~]{32,}$/.test(fixed)) {
    throw new Error(`a token must have at least ${MIN_TOKEN_LENGTH} printable characters and no spaces`);
  }
  const text = fixed ?? randomBytes(32).toString('base64url');
  const expected = sha256(text);
  // Digests have equal lengths, which timingSafeEqual requires, and reveal nothing about a shared prefix.
  return { text, matches: (given) => timingSafeEqual(sha256(given), expected) };
}

function sha256(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
