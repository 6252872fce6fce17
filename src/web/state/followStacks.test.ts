import { beforeEach, expect, test } from 'vitest';
import { createFileRecord } from '../../../test/support/createFileRecord.ts';
import { cellOf, cellsStore, INITIAL_CELLS, openStack, scrollTo } from './cells.ts';
import { followStacks } from './followStacks.ts';
import { EMPTY_LIBRARY, libraryStore, stackOf } from './library.ts';
import { indexStacks, type ViewStack } from './stacks.ts';

const files = [0, 1, 2].map((index) =>
  createFileRecord(index, { sop_instance_uid: `1.${index}`, support_state: 'renderable', frame_count: 1 }),
);

beforeEach(() => {
  cellsStore.setState(INITIAL_CELLS);
  libraryStore.setState({ ...EMPTY_LIBRARY, files });
});

function createStack(id: string, fileIndices: readonly number[]): ViewStack {
  const frames = fileIndices.map((fileIndex) => ({
    fileIndex,
    frame: 0,
    sopInstanceUid: `1.${fileIndex}`,
    positionMm: undefined,
  }));
  return { id, kind: 'ordinary', frames, warnings: [], fileIndex: fileIndices[0] ?? 0, seriesUid: '1', studyUid: '1' };
}

/** Adds the stacks to the library and lets the cells follow. */
function learn(...stacks: readonly ViewStack[]): void {
  const before = libraryStore.getState();
  libraryStore.setState({
    stacks: new Map(stacks.map((stack) => [stack.id, stack])),
    stackOfFile: indexStacks(stacks),
  });
  followStacks(before);
}

test('a file that was open alone goes on as part of its series', () => {
  const [first, second] = files;
  if (first === undefined || second === undefined) throw new Error('there are three files');
  openStack(0, stackOf(second).id);
  learn(createStack('series', [2, 0, 1]));
  expect(cellOf(0)).toMatchObject({ stackId: 'series', position: 2 });
});

test('a cell stays on its image when the stack is sorted anew', () => {
  learn(createStack('series', [0, 1]));
  openStack(0, 'series', 1);
  learn(createStack('series', [1, 2, 0]));
  expect(cellOf(0)).toMatchObject({ stackId: 'series', position: 0 });
});

test('an image that moves to another stack takes its cell along', () => {
  learn(createStack('series', [0, 1, 2]));
  openStack(0, 'series', 2);
  learn(createStack('series', [0, 1]), createStack('other', [2]));
  expect(cellOf(0)).toMatchObject({ stackId: 'other', position: 0 });
});

test('nothing moves when nothing has changed', () => {
  const stack = createStack('series', [0, 1, 2]);
  learn(stack);
  openStack(0, 'series', 2);
  const before = cellsStore.getState();
  learn(stack);
  expect(cellsStore.getState()).toBe(before);
});

test.each([
  [-3, 0],
  [1.4, 1],
  [99, 2],
  [Infinity, 2],
])('scrolling to %d ends at %i', (position, end) => {
  learn(createStack('series', [0, 1, 2]));
  openStack(0, 'series', 1);
  scrollTo(0, position);
  expect(cellOf(0).position).toBe(end);
});
