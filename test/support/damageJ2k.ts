import { decodeWithOpenJpeg, jpeg2000, openCodestream } from '../../src/server/images/pixels/codecs/jpeg2000.ts';
import { type DecodedWords, DecodeError } from '../../src/server/images/pixels/codecs/codec.ts';
import { webAssembly } from '../../src/server/images/pixels/codecs/webAssembly.ts';
import { createRandom } from '../fuzz/random.ts';
import type { J2kStream } from './j2kStreams.ts';
import { J2K_MUTATIONS } from './mutateJ2k.ts';

/** What a decoder made of a stream. */
type Outcome = { readonly verdict: 'refused' | 'named' | 'silent'; readonly words: DecodedWords['words'] | undefined };

export type DamagedCase = {
  readonly kind: string;
  readonly stream: string;
  readonly number: number;
  readonly bytes: Uint8Array;
  /** As frames are decoded, and by the library alone. */
  readonly ours: Outcome['verdict'];
  readonly library: Outcome['verdict'];
  /** Whether the samples are those of the undamaged stream. */
  readonly isHarmless: boolean;
  /** Whether both give the same samples. */
  readonly isSame: boolean;
};

/** Damages streams in turn, each in every way, and decodes them with both decoders. */
export async function* damageJ2k(
  streams: readonly J2kStream[],
  count: number,
  seed: number,
): AsyncGenerator<DamagedCase> {
  const kinds = Object.entries(J2K_MUTATIONS);
  const whole = new Map<string, Outcome>();
  for (let number = 0; number < count; number++) {
    const [kind, mutate] = kinds[number % kinds.length]!;
    const stream = streams[Math.floor(number / kinds.length) % streams.length]!;
    const expected = whole.get(stream.name) ?? (await decodeAsUsual(stream, stream.bytes));
    whole.set(stream.name, expected);
    const bytes = mutate(stream.bytes, createRandom(seed, number));
    const [ours, library] = [await decodeAsUsual(stream, bytes), await decodeByLibrary(stream, bytes)];
    yield {
      kind,
      stream: stream.name,
      number,
      bytes,
      ours: ours.verdict,
      library: library.verdict,
      isHarmless: areEqual(ours.words, expected.words),
      isSame: areEqual(ours.words, library.words),
    };
  }
}

export function decodeAsUsual({ pixel }: J2kStream, bytes: Uint8Array): Promise<Outcome> {
  return judge(() => jpeg2000.decode(bytes.slice(), pixel, {}));
}

export function decodeByLibrary({ pixel }: J2kStream, bytes: Uint8Array): Promise<Outcome> {
  return judge(() => {
    const { codestream, header } = openCodestream(bytes.slice(), pixel);
    return decodeWithOpenJpeg(codestream, { header, pixel, canLose: true, options: {} });
  });
}

async function judge(decode: () => Promise<DecodedWords>): Promise<Outcome> {
  try {
    const { words, damage } = await decode();
    return { verdict: damage === undefined ? 'silent' : 'named', words };
  } catch (error) {
    const isRefused =
      error instanceof DecodeError || error instanceof webAssembly.RuntimeError || error instanceof RangeError;
    if (!isRefused) throw error;
    return { verdict: 'refused', words: undefined };
  }
}

function areEqual(words: Outcome['words'], others: Outcome['words']): boolean {
  if (words === undefined || others === undefined) return words === others;
  return Buffer.compare(toBytes(words), toBytes(others)) === 0;
}

function toBytes({ buffer, byteOffset, byteLength }: NonNullable<Outcome['words']>): Uint8Array {
  return new Uint8Array(buffer, byteOffset, byteLength);
}
