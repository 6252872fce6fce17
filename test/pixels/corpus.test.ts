import { describe, expect, test } from 'vitest';
import { ViewerError } from '../../src/shared/contract/errors.ts';
import { createImageFiles } from '../../src/server/images/pixels/imageFiles.ts';
import { readFrame } from '../../src/server/images/pixels/readFrame.ts';
import { corpus } from '../support/corpus.ts';
import {
  compareFrame,
  isDecodable,
  type ReferenceFrame,
  readReferenceFrames,
  toImageFile,
} from '../support/referenceFrames.ts';
import { CORPUS, needs } from '../support/needs.ts';

const frames = corpus === undefined ? [] : readReferenceFrames(corpus);
const images = createImageFiles();

describe('frames of real files', needs(CORPUS), () => {
  const decodable = frames.filter(isDecodable);
  const others = frames.filter((frame) => !isDecodable(frame));

  test.each([...new Set(decodable.map(folderOf))])('%s', { timeout: 180_000 }, async (folder) => {
    const differences: string[] = [];
    for (const reference of decodable.filter((frame) => folderOf(frame) === folder)) {
      const comparison = compareFrame(reference, await read(reference));
      if (comparison.kind === 'different') {
        differences.push(`${reference.path} frame ${reference.frame}: ${comparison.what}`);
      }
    }
    expect(differences).toEqual([]);
  });

  // Nine of the ten frames of the first file precede the place where it was cut. The other files are shown as far as
  // they go.
  test('those that no tool decodes are refused with a reason', async () => {
    const shown: string[] = [];
    for (const reference of others) {
      await read(reference).then(
        () => shown.push(reference.path),
        (error: unknown) => expect(error).toBeInstanceOf(ViewerError),
      );
    }
    expect(shown).toEqual([
      'multiframe/emri-small/emri_small_jpeg_2k_lossless_too_short.dcm',
      'odd-and-broken/pydicom/MR_truncated.dcm',
      'odd-and-broken/pydicom/badVR.dcm',
    ]);
  });
});

function read(reference: ReferenceFrame) {
  return readFrame(images, { file: toImageFile(corpus!, reference), frame: Number(reference.frame || 1) - 1 });
}

function folderOf({ path }: ReferenceFrame): string {
  return path.split('/', 2).join('/');
}
