import { beforeEach, expect, test } from 'vitest';
import { createFileRecord } from '../../../../test/support/createFileRecord.ts';
import { cellOf, cellsOf, openInCell } from './cells.ts';
import { scrollTo } from '../../show/pictures/scroll.ts';
import { followStacks } from './followStacks.ts';
import { libraryOf, stackOf } from './library.ts';
import { createPage } from './page.ts';
import { indexStacks, type ViewStack } from './stacks.ts';

const files = [0, 1, 2].map((index) =>
  createFileRecord(index, { sop_instance_uid: `1.${index}`, support_state: 'renderable', frame_count: 1 }),
);

let page = createPage();

beforeEach(() => {
  page = createPage();
  libraryOf(page).setState({ files });
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
  const before = libraryOf(page).getState();
  libraryOf(page).setState({
    stacks: new Map(stacks.map((stack) => [stack.id, stack])),
    stackOfFile: indexStacks(stacks),
  });
  followStacks(page, before);
}

test('a file that was open alone goes on as part of its series', () => {
  const [first, second] = files;
  if (first === undefined || second === undefined) throw new Error('there are three files');
  openInCell(page, 0, stackOf(page, second).id);
  learn(createStack('series', [2, 0, 1]));
  expect(cellOf(page, 0)).toMatchObject({ pictureId: 'series', position: 2 });
});

test('a cell stays on its image when the stack is sorted anew', () => {
  learn(createStack('series', [0, 1]));
  openInCell(page, 0, 'series', 1);
  learn(createStack('series', [1, 2, 0]));
  expect(cellOf(page, 0)).toMatchObject({ pictureId: 'series', position: 0 });
});

test('an image that moves to another stack takes its cell along', () => {
  learn(createStack('series', [0, 1, 2]));
  openInCell(page, 0, 'series', 2);
  learn(createStack('series', [0, 1]), createStack('other', [2]));
  expect(cellOf(page, 0)).toMatchObject({ pictureId: 'other', position: 0 });
});

test('nothing moves when nothing has changed', () => {
  const stack = createStack('series', [0, 1, 2]);
  learn(stack);
  openInCell(page, 0, 'series', 2);
  const before = cellsOf(page).getState();
  learn(stack);
  expect(cellsOf(page).getState()).toBe(before);
});

test.each([
  [-3, 0],
  [1.4, 1],
  [99, 2],
  [Infinity, 2],
])('scrolling to %d ends at %i', (position, end) => {
  learn(createStack('series', [0, 1, 2]));
  openInCell(page, 0, 'series', 1);
  scrollTo(page, 0, position);
  expect(cellOf(page, 0).position).toBe(end);
});
