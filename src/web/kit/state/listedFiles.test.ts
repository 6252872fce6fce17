import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createFileRecord } from '../../../../test/support/createFileRecord.ts';
import type { FileRecord } from '../../../shared/contract/files.ts';
import { type FilesSummary, libraryOf } from './library.ts';
import { listedFilesOf } from './listedFiles.ts';
import { createPage } from './page.ts';
import { buildFileStack } from './stacks.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const FILE = createFileRecord(0, {});

function listOf(count: number): readonly FileRecord[] {
  return Array.from({ length: count }, () => FILE);
}

function summaryOf(part: Partial<FilesSummary>): FilesSummary {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- only these fields are read
  return { scan_complete: false, more: true, ...part } as FilesSummary;
}

/** The lengths of the lists that were built, and the library that they follow. */
function follow() {
  const page = createPage();
  const library = libraryOf(page);
  const listed = listedFilesOf(page);
  const lengths: number[] = [];
  listed.store.subscribe(({ files }) => lengths.push(files.length));
  return { library, listed, lengths };
}

test('a short list follows every page of files', () => {
  const { library, lengths } = follow();
  for (const count of [1, 2, 1_000, 2_000]) library.setState({ files: listOf(count), summary: summaryOf({}) });
  expect(lengths).toEqual([1, 2, 1_000, 2_000]);
});

test('a list that grows to 100,000 files in 100 pages is built for each half more of them, and at the end', () => {
  const { library, lengths } = follow();
  for (let count = 1_000; count < 100_000; count += 1_000) {
    library.setState({ files: listOf(count), summary: summaryOf({}) });
  }
  // Each is the first multiple of 1,000 that is at least 1.5 times the one before.
  expect(lengths).toEqual([1, 2, 3, 5, 8, 12, 18, 27, 41, 62, 93].map((thousands) => 1_000 * thousands));
  library.setState({ files: listOf(100_000), summary: summaryOf({ scan_complete: true, more: false }) });
  expect(lengths.at(-1)).toBe(100_000);
  vi.runAllTimers();
  expect(lengths).toHaveLength(12);
});

test('a list that grows slowly is built after two seconds', () => {
  const { library, lengths } = follow();
  library.setState({ files: listOf(10_000), summary: summaryOf({}) });
  library.setState({ files: listOf(10_001) });
  vi.advanceTimersByTime(1_000);
  library.setState({ files: listOf(10_002) });
  expect(lengths).toEqual([10_000]);
  vi.advanceTimersByTime(1_000);
  expect(lengths).toEqual([10_000, 10_002]);
});

test('a list that takes long to build is built more rarely', () => {
  const { library, listed, lengths } = follow();
  library.setState({ files: listOf(10_000), summary: summaryOf({}) });
  const release = listed.hold();
  vi.advanceTimersByTime(500);
  release();
  library.setState({ files: listOf(10_001) });
  // Ten times half a second.
  vi.advanceTimersByTime(4_999);
  expect(lengths).toEqual([10_000]);
  vi.advanceTimersByTime(1);
  expect(lengths).toEqual([10_000, 10_001]);
});

test('while a list is being built nothing else is, and then the latest', () => {
  const { library, listed, lengths } = follow();
  library.setState({ files: listOf(10_000), summary: summaryOf({}) });
  const release = listed.hold();
  library.setState({ files: listOf(20_000) });
  vi.advanceTimersByTime(10_000);
  library.setState({ files: listOf(40_000), summary: summaryOf({ scan_complete: true, more: false }) });
  expect(lengths).toEqual([10_000]);
  release();
  expect(lengths).toEqual([10_000, 40_000]);
});

test('a list is built when the first stacks are known, but not for every further one', () => {
  const { library, lengths } = follow();
  library.setState({ files: listOf(10_000), summary: summaryOf({}) });
  const stack = buildFileStack(FILE);
  for (let known = 1; known <= 3; known += 1) {
    const stacks = new Map(Array.from({ length: known }, (_, at) => [String(at), stack]));
    library.setState({ stacks, stackOfFile: new Map([[0, stack]]) });
  }
  expect(lengths).toEqual([10_000, 10_000]);
});

test('the files of another run of the server replace those before at once', () => {
  const { library, listed, lengths } = follow();
  library.setState({ files: listOf(10_000), summary: summaryOf({}) });
  listed.hold();
  library.setState({ files: listOf(9_000), serverRuns: 1 });
  expect(lengths).toEqual([10_000, 9_000]);
});
