import { expect, test } from 'vitest';
import { createFileDescription } from '../../../../test/support/createFileDescription.ts';
import type { DicomFile } from '../../images/catalog/dicomFile.ts';
import type { WorkInTurns } from '../../machine/workers/doInTurns.ts';
import { packAtOnce } from '../../machine/workers/packedList.ts';
import { findNamed, type NamedImages } from './findNamed.ts';
import { createPresentations } from './presentations.ts';
import type { NamedImage } from './presentationTasks.ts';

function image(sopInstanceUid: string, ...frameNumbers: readonly number[]): NamedImage {
  return {
    seriesInstanceUid: undefined,
    sopClassUid: undefined,
    sopInstanceUid,
    frameNumbers,
  };
}

/** The file has the number in the UID; images with odd numbers are not open. */
const presentations = {
  findIndex: () => undefined,
  listSeries: () => [],
  resolve(named: NamedImage) {
    const index = Number(named.sopInstanceUid.split('.')[2]);
    if (index % 2 === 1) return { ...named, reason: 'not_open' as const };
    const frames =
      named.frameNumbers.length === 0 ? undefined : Uint32Array.from(named.frameNumbers, (number) => number - 1);
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- only the index of the file is used
    return [{ file: { index } as DicomFile, frames }];
  },
};

function run<Result>(work: WorkInTurns<Result>): { readonly result: Result; readonly pauses: number } {
  for (let pauses = 0; ; pauses += 1) {
    const step = work.next();
    if (step.done === true) return { result: step.value, pauses };
  }
}

test('8,192 images are looked for in turns of 128 at most', () => {
  const named = Array.from({ length: 8192 }, (_, at) => image(`2.25.${at}`));
  const { result, pauses } = run(findNamed(presentations, packAtOnce(named)));
  expect(pauses).toBe(8192 / 128);
  expect(result.listFound({ from: 0, to: 8192 }).length).toBe(4096);
  expect(result.listMissing({ from: 0, to: 8192 }).length).toBe(4096);
  // A part of the list: 100, 102 and 104 are open, 101 and 103 are not.
  expect(result.listFound({ from: 100, to: 105 }).map(({ fileIndex }) => fileIndex)).toEqual([100, 102, 104]);
  expect(result.listMissing({ from: 100, to: 105 }).map(({ sopInstanceUid }) => sopInstanceUid)).toEqual([
    '2.25.101',
    '2.25.103',
  ]);
});

test('an image that is named several times is one, with all of its frames in order', () => {
  const named = [image('2.25.2', 5, 7), image('2.25.4'), image('2.25.2', 1, 5), image('2.25.4', 3)];
  const { result } = run(findNamed(presentations, packAtOnce(named)));
  expect(result.listFound({ from: 0, to: 4 })).toEqual([
    { fileIndex: 2, frames: Uint32Array.of(0, 4, 6) },
    { fileIndex: 4, frames: undefined },
  ]);
});

test('copies of an image count: a turn ends after 128 open files, however few images they are', () => {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- only the index of the file is used
  const copies = Array.from({ length: 64 }, (_, index) => ({ file: { index } as DicomFile, frames: undefined }));
  const named = Array.from({ length: 20 }, (_, at) => image(`2.25.${at}`));
  const { pauses } = run(findNamed({ ...presentations, resolve: () => copies }, packAtOnce(named)));
  // 20 images of 64 copies are 1,280 files.
  expect(pauses).toBe(1_280 / 128);
});

test('an object that names one image thousands of times finds its thousands of copies once', () => {
  const { result } = run(
    findNamed(openCopies(5_000, 1), packAtOnce(Array.from({ length: 4_000 }, () => image('2.25.1')))),
  );
  const counts = countEach(result, 4_000);
  expect(counts[0]).toBe(5_000);
  // All together are 20 million. What is listed ends at 2^17, and of every image at least one copy is listed.
  expect(counts.reduce((sum, count) => sum + count, 0)).toBeLessThanOrEqual(2 ** 17 + 4_000);
  expect(counts.at(-1)).toBe(1);
  expect(result.isCut).toBe(true);
});

test('the frames of thousands of copies are held once, and listed up to a number', () => {
  const numbers = Array.from({ length: 50_000 }, (_, at) => at + 1);
  const { result } = run(findNamed(openCopies(1_000, 60_000), packAtOnce([image('2.25.1', ...numbers)])));
  const found = result.listFound({ from: 0, to: 1 });
  // Each copy has 50,000 frames: the first one is listed, and as many copies as 2^17 frames have room for.
  expect(found.length).toBe(2);
  expect(new Set(found.map(({ frames }) => frames?.buffer)).size).toBe(1);
  expect(found[0]?.frames?.length).toBe(50_000);
});

test('copies with other numbers of frames have those of the named frames that they have', () => {
  const files = [4, 2, 9].map((frameCount, index) => ({ ...createFileDescription(), index, revision: 1, frameCount }));
  const { result } = run(findNamed(open(files), packAtOnce([image('2.25.1', 2, 3, 9)])));
  expect(result.listFound({ from: 0, to: 1 }).map(({ frames }) => [...frames!])).toEqual([[1, 2], [1], [1, 2, 8]]);
  expect(result.isCut).toBe(false);
});

function openCopies(count: number, frameCount: number) {
  const file = { ...createFileDescription(), revision: 1, frameCount };
  return open(Array.from({ length: count }, (_, index) => ({ ...file, index })));
}

/** All of them are copies of one image. */
function open(files: readonly DicomFile[]) {
  const indices = files.map(({ index }) => index);
  const instances = { find: () => indices, findSeries: () => indices, valueMappings: [], pointing: [] };
  const tasks = { run: () => Promise.reject(new Error('no task is run')) };
  return createPresentations({ catalog: { files }, tasks, instances });
}

function countEach(named: NamedImages, length: number): readonly number[] {
  return Array.from({ length }, (_, at) => named.listFound({ from: at, to: at + 1 }).length);
}
