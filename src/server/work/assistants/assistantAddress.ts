import { createHmac, timingSafeEqual } from 'node:crypto';
import { ViewerError } from '../../../shared/contract/errors.ts';

/** Where an assistant listens, and how both sides know each other. */
export type AssistantAddress = {
  readonly url: URL;
  /** Sent with each request. */
  readonly authorization: string | undefined;
  /** What each answer has to say; undefined if the user has named the server. */
  readonly proof: string | undefined;
};

/** A server that the user has named with `--assist`. Its credentials are in no message. */
export function addressOfUser(text: string): AssistantAddress {
  const url = new URL(text);
  const { username, password } = url;
  const words = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  const authorization =
    username === '' && password === '' ? undefined : `Basic ${Buffer.from(words).toString('base64')}`;
  url.username = '';
  url.password = '';
  return { url, authorization, proof: undefined };
}

/**
 * A program of this machine. Only a literal loopback address is accepted, so that nothing can make this server send requests
 * elsewhere. The port of a program that has ended may be taken by another user, who does not know the secret and is sent nothing.
 */
export function addressOfProgram(address: string, secret: string): AssistantAddress {
  const [, host, port] = /^http:\/\/(127\.0\.0\.1|\[::1\]):(\d{1,5})\/?$/.exec(address) ?? [];
  if (host === undefined || Number(port) < 1 || Number(port) > 65_535) {
    throw new ViewerError('bad_request', 'the address of an assistant must be http://127.0.0.1:PORT');
  }
  return {
    url: new URL(`http://${host}:${port}/`),
    authorization: `Bearer ${signWith(secret, 'negato')}`,
    proof: signWith(secret, 'assistant'),
  };
}

/** Each side says a word that only who knows the secret can say, and neither says the secret. */
function signWith(secret: string, who: string): string {
  return createHmac('sha256', secret).update(who).digest('hex');
}

export function isProof(given: string | string[] | undefined, wanted: string): boolean {
  if (typeof given !== 'string' || given.length !== wanted.length) return false;
  return timingSafeEqual(Buffer.from(given), Buffer.from(wanted));
}
