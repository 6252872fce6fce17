import type { LabelClass } from '../../../../shared/contract/marks.ts';
import type { Page } from '../../../kit/state/page.ts';
import { isMultiFrame } from '../../../kit/state/stacks.ts';
import { describeScope } from '../rois/frameScope.ts';
import { describeImage, nameFrame, titleOfSeries } from '../shapes/exportMeasurements.ts';
import { classKeyOf } from '../shapes/hiddenMarks.ts';
import { parseFrameKey } from '../sync/markForm.ts';
import { type SortedMark, sortMarks } from './sortMarks.ts';
import type { ListedMark } from './useListedMarks.ts';

export const MARK_GROUPINGS = ['image', 'class'] as const;
export type MarkGrouping = (typeof MARK_GROUPINGS)[number];

/** Marks that are listed below one heading. */
export type MarkGroup<Mark> = {
  readonly title: string;
  /** Set if they are on one image. */
  readonly isImage?: true;
  /** Set if they have their class in common; null stands for none. */
  readonly classKey?: string | null;
  readonly marks: readonly Mark[];
};

/** Images come in the order in which they are shown, and the marks on one in theirs. */
export function groupByImage(page: Page, marks: readonly ListedMark[]): readonly MarkGroup<ListedMark>[] {
  const groups = new Map<string, ListedMark[]>();
  for (const mark of sortMarks(page, marks, 'image', [])) groups.set(nameImage(page, mark), []);
  for (const mark of marks) groups.get(nameImage(page, mark))?.push(mark);
  return Array.from(groups, ([title, own]) => ({ title, isImage: true, marks: own }));
}

/** All classes in their order, also those without marks, then what has none. */
export function groupByClass<Mark extends SortedMark>(
  marks: readonly Mark[],
  classes: readonly LabelClass[],
): readonly MarkGroup<Mark>[] {
  const groups = new Map<string | null, Mark[]>(classes.map(({ key }) => [key, []]));
  groups.set(null, []);
  const rois: Mark[] = [];
  for (const mark of marks) {
    if (mark.words === undefined) rois.push(mark);
    else groups.get(classKeyOf(mark, classes))?.push(mark);
  }
  return [
    ...classes.map(({ key, title }) => ({ title, classKey: key, marks: groups.get(key) ?? [] })),
    { title: 'No class', classKey: null, marks: groups.get(null) ?? [] },
    ...(rois.length > 0 ? [{ title: 'ROIs (CSV)', marks: rois }] : []),
  ];
}

function nameImage(page: Page, mark: ListedMark): string {
  const { file, frame } = mark;
  switch (mark.type) {
    case 'shape':
      return describeImage(page, file, mark.item);
    case 'brush': {
      const { slices, slide } = mark.mask;
      if (slide !== undefined) return `${titleOfSeries(file)}, whole slide`;
      if (slices.size > 1) return `${titleOfSeries(file)}, ${slices.size} images`;
      const [key = '0 0'] = slices.keys();
      return nameFrame(page, file, parseFrameKey(key).frame);
    }
    case 'roi': {
      const { frames } = mark.roi;
      if (frames.length === 1 || !isMultiFrame(file)) return nameFrame(page, file, frame);
      return `${titleOfSeries(file)}, ${describeScope(frames, mark.order)}`;
    }
    case 'box':
      return `${titleOfSeries(file)}, whole slide`;
  }
}
