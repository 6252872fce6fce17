import { expect, test } from 'vitest';
import { createStepHistory, type Step } from './stepHistory.ts';

test('steps of several parts are undone from the last to the first, and redone in reverse', () => {
  const { history, log } = createLoggedHistory();
  history.record(stepOf('rois', 0, log));
  history.record(stepOf('marks', 1, log));

  expect(history.undo()).toMatchObject({ part: 'marks' });
  expect(history.undo()).toMatchObject({ part: 'rois' });
  expect(history.undo()).toBeUndefined();
  expect(history.redo()).toMatchObject({ part: 'rois' });
  expect(log).toEqual(['undo marks 1', 'undo rois 0', 'redo rois 0']);
});

test('a new step of one part ends what another could do again', () => {
  const { history, log } = createLoggedHistory();
  history.record(stepOf('rois', 0, log));
  history.undo();
  history.record(stepOf('marks', 0, log));

  expect(history.redo()).toBeUndefined();
});

test('steps that are joined are undone together, the last first, and redone in their order', () => {
  const { history, log } = createLoggedHistory();
  history.record(stepOf('marks', 0, log));
  history.join(() => {
    history.record(stepOf('marks', 1, log));
    history.record(stepOf('rois', 2, log));
  });

  expect(history.undo()).toMatchObject({ fileIndices: [1, 2] });
  history.redo();
  history.undo();
  expect(history.undo()).toMatchObject({ fileIndex: 0 });
  const undone = ['undo rois 2', 'undo marks 1'];
  expect(log).toEqual([...undone, 'redo marks 1', 'redo rois 2', ...undone, 'undo marks 0']);
});

test('void steps are forgotten, the others stay', () => {
  const { history, log } = createLoggedHistory();
  history.record(stepOf('marks', 2, log));
  history.record(stepOf('rois', 1, log));
  history.record(stepOf('rois', 2, log));
  history.undo();

  history.forget(({ part, fileIndex }) => part === 'rois' && fileIndex === 2);

  expect(history.redo()).toBeUndefined();
  expect(history.undo()).toMatchObject({ part: 'rois', fileIndex: 1 });
  expect(history.undo()).toMatchObject({ part: 'marks', fileIndex: 2 });
});

function createLoggedHistory() {
  const log: string[] = [];
  return { history: createStepHistory(), log };
}

function stepOf(part: Step['part'], fileIndex: number, log: string[]): Step {
  return {
    part,
    fileIndex,
    frame: undefined,
    isOn: () => true,
    undo: () => log.push(`undo ${part} ${fileIndex}`),
    redo: () => log.push(`redo ${part} ${fileIndex}`),
  };
}
