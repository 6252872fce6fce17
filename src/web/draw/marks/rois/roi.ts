import type { AnnotationPayload, RoiBox } from '../../../../shared/contract/annotations.ts';
import { haveSameItems } from '../../../kit/state/haveSameItems.ts';
import { definePart, type Page } from '../../../kit/state/page.ts';
import { NO_WORDS } from '../shapes/measurement.ts';
import { isRoi, type RoiForm } from '../sync/markForm.ts';
import { createMarkUid, marksOf, type MarksState, putMarks } from '../sync/marks.ts';

/** One rectangle on one file, as the server knows it. */
export type RoiMark = {
  readonly box: RoiBox;
  /** Frame indices, ascending; empty for all frames. */
  readonly frames: readonly number[];
};

/** The uid stays the same across edits while the page is open. The server identifies ROIs only by their order. */
export type Roi = RoiMark & { readonly uid: string };

export function parsePayload({ roi_coords, roi_frames }: AnnotationPayload): readonly RoiMark[] {
  return roi_coords.map((box, i) => ({ box, frames: roi_frames[i] ?? NO_FRAMES }));
}

const NO_FRAMES: readonly number[] = [];

export function toRois(payload: AnnotationPayload): readonly Roi[] {
  return parsePayload(payload).map((mark) => ({ uid: createMarkUid(), ...mark }));
}

/** In canonical form: no frame list at all when every ROI is on all frames. */
export function toPayload(rois: readonly RoiMark[]): AnnotationPayload {
  const isOnAll = rois.every(({ frames }) => frames.length === 0);
  return {
    num_roi: rois.length,
    roi_coords: rois.map(({ box }) => box),
    roi_frames: isOnAll ? [] : rois.map(({ frames }) => [...frames]),
  };
}

export function isSamePayload(a: AnnotationPayload, b: AnnotationPayload): boolean {
  return JSON.stringify(parsePayload(a)) === JSON.stringify(parsePayload(b));
}

export function coversFrame({ frames }: RoiMark, frame: number): boolean {
  return frames.length === 0 || frames.includes(frame);
}

type Listed = { readonly marks?: MarksState['marks']; readonly files: ReadonlyMap<number, readonly Roi[]> };

/** The lists that were made last. */
const listedOf = definePart((): { last: Listed } => ({ last: { files: new Map() } }));

/** The ROIs of each file that has any, in the order of the server. */
export function roisByFile(page: Page): Listed['files'] {
  const known = listedOf(page);
  const { marks } = marksOf(page).getState();
  if (known.last.marks === marks) return known.last.files;
  const files = new Map<number, Roi[]>();
  for (const [uid, mark] of marks) {
    if (!isRoi(mark)) continue;
    const { file_index: fileIndex } = mark.place;
    const list = files.get(fileIndex);
    if (list === undefined) files.set(fileIndex, [toRoi(uid, mark)]);
    else list.push(toRoi(uid, mark));
  }
  // The same list while nothing in it has changed.
  const lists = Array.from(files, ([index, list]): [number, readonly Roi[]] => {
    const before = known.last.files.get(index) ?? [];
    return [index, haveSameItems(list, before) ? before : list];
  });
  known.last = { marks, files: new Map(lists) };
  return known.last.files;
}

export function roisOfFile(page: Page, fileIndex: number): readonly Roi[] {
  return roisByFile(page).get(fileIndex) ?? NO_ROIS_OF_FILE;
}

const NO_ROIS_OF_FILE: readonly Roi[] = [];

/** Replaces all ROIs of a file. */
export function putRois(page: Page, fileIndex: number, rois: readonly Roi[]): void {
  const changed = new Map<string, RoiForm | undefined>();
  for (const { uid } of roisOfFile(page, fileIndex)) changed.set(uid, undefined);
  for (const roi of rois) changed.set(roi.uid, toForm(fileIndex, roi));
  if (changed.size > 0) {
    const order = rois.map(({ uid }) => uid);
    putMarks(page, changed, order);
  }
}

/** Removes the ROIs of all files. */
export function clearRois(page: Page): void {
  const all = [...roisByFile(page).values()].flat();
  if (all.length > 0) putMarks(page, new Map(all.map(({ uid }) => [uid, undefined])));
}

/** Forms do not change, so that the same ROI is the same object. */
const knownRois = new WeakMap<RoiForm, Roi>();
const knownForms = new WeakMap<Roi, RoiForm>();

function toRoi(uid: string, form: RoiForm): Roi {
  const roi = knownRois.get(form) ?? { uid, box: form.box, frames: form.place.frame_indices };
  knownRois.set(form, roi);
  return roi;
}

function toForm(fileIndex: number, roi: Roi): RoiForm {
  const known = knownForms.get(roi);
  if (known?.place.file_index === fileIndex) return known;
  const place = { type: 'frames', file_index: fileIndex, frame_indices: roi.frames } as const;
  const form: RoiForm = { kind: 'roi', place, points: NO_POINTS, box: roi.box, ...NO_WORDS };
  knownForms.set(roi, form);
  knownRois.set(form, roi);
  return form;
}

const NO_POINTS: RoiForm['points'] = [];
