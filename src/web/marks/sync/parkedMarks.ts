import { useStore } from 'zustand';
import { createStore } from 'zustand/vanilla';
import type { LabelClass } from '../../../shared/contract/marks.ts';
import { definePart, type Page, usePage } from '../../state/page.ts';
import { type FileName, filesOfRunOf } from './parking.ts';
import { differenceOf, filesOfForm, type MarkForm, mergeForms, renumberForm } from './markForm.ts';

/** A mark of this page, and what of it the server has. */
export type PageMark = {
  readonly uid: string;
  /** Undefined if it was deleted here. */
  readonly mine: MarkForm | undefined;
  /** As the server had it before it was changed here: the same object if it was not. Undefined if it never had it. */
  readonly base: MarkForm | undefined;
};

/** A mark from before a restart of the server. The numbers of files in its forms are places in `files`. */
export type ParkedMark = PageMark & { readonly files: readonly FileName[] };

export type ParkedMarksState = {
  /** Until the server has listed its files and marks, and the user has decided on those that it kept. */
  readonly waiting: readonly ParkedMark[];
  /** The server had them, and the restarted one does not: the user decides. */
  readonly missing: readonly ParkedMark[];
  /** The same for classes. */
  readonly missingClasses: readonly LabelClass[];
  /** Their files are no longer open. */
  readonly lost: readonly Pick<ParkedMark, 'files'>[];
  /** Masks with the numbers of this run, which the brush takes from here. */
  readonly masks: readonly PageMark[];
};

const NOTHING: ParkedMarksState = { waiting: [], missing: [], missingClasses: [], lost: [], masks: [] };

/** Marks and masks from before a restart of the server. */
export const parkedMarksOf = definePart(() => createStore<ParkedMarksState>(() => NOTHING));

export function useParkedMarks<T>(select: (state: ParkedMarksState) => T): T {
  return useStore(parkedMarksOf(usePage()), select);
}

export function hasParkedMarks(page: Page): boolean {
  return Object.values(parkedMarksOf(page).getState()).some((list) => list.length > 0);
}

/** Keeps marks of the run that has ended. A mark that was parked before is replaced. */
export function parkMarks(page: Page, marks: readonly PageMark[]): void {
  const files = filesOfRunOf(page)();
  const parked = marks.map((mark) => withNames(mark, (index) => files[index] ?? { path: '' }));
  const uids = new Set(marks.map(({ uid }) => uid));
  parkedMarksOf(page).setState(({ waiting, missing }) => ({
    waiting: [...waiting, ...missing].filter(({ uid }) => !uids.has(uid)).concat(parked),
    missing: [],
  }));
}

function withNames({ uid, mine, base }: PageMark, nameOf: (index: number) => FileName): ParkedMark {
  const indices = [...new Set([mine, base].flatMap((form) => (form === undefined ? [] : filesOfForm(form))))];
  const files = indices.map((index) => {
    const { path, sop_instance_uid } = nameOf(index);
    return { path, ...(sop_instance_uid !== undefined && { sop_instance_uid }) };
  });
  return { ...renumberMark({ uid, mine, base }, (index) => indices.indexOf(index)), files };
}

/** Forms that are the same object stay so. */
export function renumberMark({ uid, mine, base }: PageMark, numberOf: (index: number) => number): PageMark {
  const renumbered = base && renumberForm(base, numberOf);
  return { uid, base: renumbered, mine: mine === base ? renumbered : mine && renumberForm(mine, numberOf) };
}

/** What becomes of a mark of this page where the server has, or lacks, a mark with its uid. */
export type Meeting =
  | { readonly do: 'nothing' | 'ask' | 'delete' }
  /** `make`: the server lacks it. `change`: of both changes. `copy`: both have changed the same, and both stay. */
  | { readonly do: 'make' | 'change' | 'copy'; readonly form: MarkForm };

export function meetServer({ mine, base }: Omit<PageMark, 'uid'>, theirs: MarkForm | undefined): Meeting {
  if (mine === undefined) {
    const isUnchanged = theirs !== undefined && base !== undefined && areEqualForms(base, theirs);
    return { do: isUnchanged ? 'delete' : 'nothing' };
  }
  if (mine === base) return { do: theirs === undefined ? 'ask' : 'nothing' };
  if (theirs === undefined) return { do: 'make', form: mine };
  if (areEqualForms(mine, theirs)) return { do: 'nothing' };
  const merged = base && mergeForms(base, mine, theirs);
  return merged === undefined ? { do: 'copy', form: mine } : { do: 'change', form: merged };
}

export function areEqualForms(a: MarkForm, b: MarkForm): boolean {
  return Object.keys(differenceOf(a, b)).length === 0;
}

/** The user keeps the marks and classes that the restarted server does not have: they are made again. */
export function keepMissing(page: Page): void {
  parkedMarksOf(page).setState(({ waiting, missing }) => ({
    waiting: [...waiting, ...missing.map((mark) => ({ ...mark, base: undefined }))],
    missing: [],
    missingClasses: [],
  }));
}
