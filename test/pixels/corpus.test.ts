import { createHash } from 'node:crypto';
import { readFileSync, realpathSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { ViewerError } from '../../src/shared/contract/errors.ts';
import type { DecodedFrame } from '../../src/server/pixels/codecs/codec.ts';
import { createImageFiles } from '../../src/server/pixels/imageFiles.ts';
import { readFrame } from '../../src/server/pixels/readFrame.ts';
import type { SampleArray } from '../../src/shared/sampleArray.ts';
import { corpus } from '../support/corpus.ts';

type ReferenceFrame = {
  readonly path: string;
  /** Counts from 1. */
  readonly frame: string;
  readonly class: 'exact' | 'exact-cs' | 'lossy' | 'undecoded';
  readonly shape: string;
  readonly min: string;
  readonly max: string;
  readonly mean: string;
  readonly sha256: string;
  readonly sha256_masked: string;
  readonly note: string;
};

/**
 * Their streams are no streams: text, and a header overwritten with another marker. The tool that made the reference gave
 * the contents of its memory for them.
 */
const BROKEN_STREAMS = [
  'odd-and-broken/ruby-dicom/invalid_compression.dcm',
  'odd-and-broken/pydicom/JPEG2000-embedded-sequence-delimiter.dcm',
];

const frames = corpus === undefined ? [] : readReference(corpus);
const images = createImageFiles();

describe.skipIf(corpus === undefined)('frames of real files', () => {
  const decodable = frames.filter((frame) => frame.class !== 'undecoded' && !BROKEN_STREAMS.includes(frame.path));
  const others = frames.filter((frame) => !decodable.includes(frame));

  test.each([...new Set(decodable.map(folderOf))])('%s', { timeout: 120_000 }, async (folder) => {
    const differences: string[] = [];
    for (const reference of decodable.filter((frame) => folderOf(frame) === folder)) {
      const difference = compare(reference, await read(reference));
      if (difference !== '') differences.push(`${reference.path} frame ${reference.frame}: ${difference}`);
    }
    expect(differences).toEqual([]);
  });

  // Nine whole frames of ten lie before the place where the first of these was cut.
  test('those that no tool decodes are refused with a reason', async () => {
    const shown: string[] = [];
    for (const reference of others) {
      await read(reference).then(
        () => shown.push(reference.path),
        (error: unknown) => expect(error).toBeInstanceOf(ViewerError),
      );
    }
    expect(shown).toEqual(['multiframe/emri-small/emri_small_jpeg_2k_lossless_too_short.dcm']);
  });
});

function read(reference: ReferenceFrame): Promise<DecodedFrame> {
  return readFrame(images, { file: fileOf(reference), frame: Number(reference.frame || 1) - 1 });
}

/** Says what differs from the reference; nothing where the samples are right. */
function compare(reference: ReferenceFrame, { samples, photometricInterpretation }: DecodedFrame): string {
  const bytes = new Uint8Array(samples.buffer, samples.byteOffset, samples.byteLength);
  if (reference.note.includes('stored 4:2:2')) {
    const [rows = 0, columns = 0] = reference.shape.split('x').map(Number);
    return bytes.length === rows * columns * 3 ? '' : `${bytes.length} bytes: 4:2:2 is not expanded`;
  }
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  if (sha256 === reference.sha256 || sha256 === reference.sha256_masked) return '';
  if (reference.class !== 'lossy') return `${bytes.length} bytes have another hash`;
  return compareMeans(reference, samples, photometricInterpretation);
}

/** Lossy references give means, those of color before the conversion to RGB. */
function compareMeans(reference: ReferenceFrame, samples: SampleArray, photometric: string): string {
  const channels = reference.shape.endsWith('x3') ? 3 : 1;
  const means = Array.from({ length: channels }, (_, channel) => {
    let sum = 0;
    for (let i = channel; i < samples.length; i += channels) sum += Number(samples[i]);
    return (sum * channels) / samples.length;
  });
  const declared = /channel means ([\d./-]+)/.exec(reference.note)?.[1]?.split('/').map(Number);
  const expected = declared?.length === channels ? declared : means.map(() => Number(reference.mean));
  const range = Math.max(1, Number(reference.max) - Number(reference.min));
  const isNear = (wanted: readonly number[], tolerance: number) =>
    means.every((mean, i) => Math.abs(mean - wanted[i]!) <= tolerance);
  const [y = 0, cb = 0, cr = 0] = expected;
  const rgb = [y + 1.402 * (cr - 128), y - 0.344136 * (cb - 128) - 0.714136 * (cr - 128), y + 1.772 * (cb - 128)];
  const isRight =
    isNear(expected, 0.01 * range + 0.5) || (channels === 3 && photometric === 'RGB' && isNear(rgb, 0.03 * range + 1));
  return isRight ? '' : `means ${means.join('/')} instead of ${expected.join('/')}`;
}

function folderOf({ path }: ReferenceFrame): string {
  return path.split('/', 2).join('/');
}

function fileOf({ path }: ReferenceFrame) {
  const real = realpathSync(join(corpus!, path));
  const { dev, ino, size, mtimeMs } = statSync(real);
  return { path: real, identity: { dev, ino, size, mtimeMs } };
}

function readReference(folder: string): readonly ReferenceFrame[] {
  const [head = [], ...lines] = readFileSync(join(folder, 'pixels.tsv'), 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => line.split('\t'));
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the columns of that file
  return lines.map((line) =>
    Object.fromEntries(head.map((key, i) => [key, line[i] ?? ''])),
  ) as unknown as ReferenceFrame[];
}
