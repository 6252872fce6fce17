import type { LabelClass, WireMark } from '../../../../shared/contract/marks.ts';
import { listStacksInOrder } from '../../../show/series/stackOrder.ts';
import { cellOf, cellsOf, openAtStart } from '../../../kit/state/cells.ts';
import { findFile, findStack, stackOf } from '../../../kit/state/library.ts';
import { say } from '../../../kit/state/messages.ts';
import type { Page } from '../../../kit/state/page.ts';
import { classKeyOf } from './hiddenMarks.ts';
import { classesOf, labelsOf } from './labels.ts';
import { roisByFile } from '../rois/roi.ts';
import { marksOf } from '../sync/marks.ts';
import { isMaskForm } from '../sync/markForm.ts';
import type { Measurement } from './measurement.ts';
import { listShapes } from './measurements.ts';
import { showMark } from './showMark.ts';

/** What is marked on the images of a stack. */
export type StackMarks = {
  readonly classes: ReadonlySet<string>;
  /** Whether a mark has no class that the scheme has. */
  readonly isUnlabelled: boolean;
  /** The first such mark that the page can show. */
  readonly unlabelled?: Measurement | undefined;
};

/**
 * Whether nothing is left to do: there is a mark, every mark has a class if there are classes, and every required class
 * has a mark.
 */
export function isStackDone(marks: StackMarks | undefined, classes: readonly LabelClass[]): boolean {
  if (marks === undefined || (classes.length > 0 && marks.isUnlabelled)) return false;
  return classes.every(({ key, required }) => required !== true || marks.classes.has(key));
}

/** By the ids of the stacks that have marks. */
export function listStackMarks(page: Page): ReadonlyMap<string, StackMarks> {
  const found = new Map<string, StackMarks>();
  const classes = classesOf(labelsOf(page).getState());
  const add = (fileIndex: number, key: string | null, item?: Measurement) => {
    const file = findFile(page, fileIndex);
    if (file === undefined) return;
    const { id } = stackOf(page, file);
    const before = found.get(id);
    found.set(id, {
      classes: key === null ? (before?.classes ?? new Set()) : new Set(before?.classes).add(key),
      isUnlabelled: before?.isUnlabelled === true || key === null,
      unlabelled: before?.unlabelled ?? (key === null ? item : undefined),
    });
  };
  for (const item of listShapes(page)) add(item.fileIndex, classKeyOf(item, classes), item);
  const { others } = marksOf(page).getState();
  const masks = [...marksOf(page).getState().marks.values()].filter(isMaskForm);
  for (const mark of [...masks, ...others.values()]) {
    add(fileOf(mark), classKeyOf({ words: mark }, classes));
  }
  for (const fileIndex of roisByFile(page).keys()) {
    const file = findFile(page, fileIndex);
    // ROIs cannot have a class, so that none is missing.
    if (file !== undefined && !found.has(stackOf(page, file).id)) found.set(stackOf(page, file).id, ONLY_ROIS);
  }
  return found;
}

const ONLY_ROIS: StackMarks = { classes: new Set(), isUnlabelled: false };

function fileOf({ place }: Pick<WireMark, 'place'>): number {
  return place.type === 'stack' ? place.from.file_index : place.file_index;
}

type MarkedCount = {
  /** Stacks that have a mark, or a ROI that this page has loaded. */
  readonly marked: number;
  /** Those of them with which nothing is left to do. */
  readonly done: number;
  readonly all: number;
};

export function countMarked(page: Page): MarkedCount {
  const stacks = listStacksInOrder(page);
  const marks = listStackMarks(page);
  const classes = classesOf(labelsOf(page).getState());
  const marked = stacks.filter((id) => marks.has(id));
  const done = marked.filter((id) => isStackDone(marks.get(id), classes));
  return { marked: marked.length, done: done.length, all: stacks.length };
}

/**
 * Opens the next stack, in the order of the explorer, that has no mark, or one without a class, and selects that mark.
 * After the last stack it goes on with the first.
 */
export function openNextUnlabelled(page: Page): void {
  const stacks = listStacksInOrder(page);
  const marks = listStackMarks(page);
  const classes = classesOf(labelsOf(page).getState());
  const { activeCell } = cellsOf(page).getState();
  const at = stacks.indexOf(cellOf(page, activeCell).pictureId ?? '');
  const order = [...stacks.slice(at + 1), ...stacks.slice(0, at + 1)];
  const count = countMarked(page);
  const id = order.find((one) => !isStackDone(marks.get(one), classes));
  const stack = findStack(page, id);
  if (stack === undefined) {
    say(page, count.all === 1 ? 'The only stack is marked' : `All ${count.all} stacks are marked`);
    return;
  }
  const { unlabelled } = marks.get(stack.id) ?? {};
  if (unlabelled !== undefined) showMark(page, unlabelled);
  // The stack on screen stays as it is.
  else if (id !== stacks[at]) openAtStart(page, activeCell, stack);
  say(page, describeMarked(count));
}

export function describeMarked({ marked, done, all }: MarkedCount): string {
  const text = `${marked} of ${all} ${all === 1 ? 'stack' : 'stacks'} marked`;
  return marked === done ? text : `${text}; in ${marked - done} a class is missing`;
}
