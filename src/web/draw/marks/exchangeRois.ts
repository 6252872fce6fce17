import type { RoiBox } from '../../../shared/contract/annotations.ts';
import type { FileRecord } from '../../../shared/contract/files.ts';
import { cellsOf } from '../../kit/state/cells.ts';
import { orderOf } from '../../kit/state/frameOrder.ts';
import { findFile, stackOf } from '../../kit/state/library.ts';
import { say } from '../../kit/state/messages.ts';
import type { Page } from '../../kit/state/page.ts';
import { isMultiFrame } from '../../kit/state/stacks.ts';
import { reportOf } from '../../show/pictures/viewports.ts';
import { exchange, isInExchange, sideOfMarks, sideOfRois } from './exchange.ts';
import { type Roi, roisOfFile } from './rois/roi.ts';
import { roisOf } from './rois/roiFiles.ts';
import { labelsOf } from './shapes/labels.ts';
import { NO_WORDS } from './shapes/measurement.ts';
import { isKept, isRoi, type MarkForm, type RoiForm } from './sync/markForm.ts';
import { chooseMarks, createMarkUid, marksOf } from './sync/marks.ts';

/** The chosen ROIs that are not being exchanged. On a slide, a box may be several ROIs, which stay what they are. */
export function listChosenRois(page: Page): readonly (readonly [uid: string, roi: RoiForm])[] {
  if (reportOf(page, cellsOf(page).getState().activeCell).tiles !== undefined) return [];
  const { marks, chosen } = marksOf(page).getState();
  return [...chosen].flatMap((uid) => {
    const mark = marks.get(uid);
    return mark !== undefined && isRoi(mark) && !isInExchange(page, uid) ? [[uid, mark] as const] : [];
  });
}

/** The chosen boxes on single frames that are neither locked nor being exchanged. */
export function listChosenBoxes(page: Page): readonly (readonly [uid: string, box: MarkForm])[] {
  const { marks, chosen } = marksOf(page).getState();
  return [...chosen].flatMap((uid) => {
    const mark = marks.get(uid);
    const isBox = isKept(mark) && mark.kind === 'box' && mark.place.type === 'frame' && !mark.locked;
    return isBox && !isInExchange(page, uid) ? [[uid, mark] as const] : [];
  });
}

/** In one step of undo. The boxes have the class of the next mark. */
export function turnIntoBoxes(page: Page): void {
  const rois = listChosenRois(page);
  const words = { ...NO_WORDS, class: labelsOf(page).getState().nextClass };
  const boxes = rois.flatMap(([, { place, box }]) => {
    const file = findFile(page, place.file_index);
    if (file === undefined) return [];
    return placesOfRoi(page, file, place.frame_indices).map(([from, to]): [string, MarkForm] => [
      createMarkUid(),
      { kind: 'box', ...placeBox(file.index, from, to, toPoints(box)), ...words },
    ]);
  });
  const [first] = rois;
  if (first === undefined || boxes.length === 0) return;
  const chosen = new Set(rois.map(([uid]) => uid));
  const indices = new Set(rois.map(([, { place }]) => place.file_index));
  const lists = Array.from(indices, (index) => {
    const all = roisOfFile(page, index);
    return [index, { all, these: all.filter(({ uid }) => chosen.has(uid)) }] as const;
  });
  const { file_index: fileIndex, frame_indices: frames } = first[1].place;
  exchange(
    page,
    { old: sideOfRois(page, new Map(lists)), made: sideOfMarks(page, new Map(boxes)) },
    { fileIndex, frame: frames[0] ?? 0, isOn: (frame) => frames.length === 0 || frames.includes(frame) },
  );
  const uids = boxes.map(([uid]) => uid);
  chooseMarks(page, uids, uids.at(-1));
}

/** In one step of undo. A ROI has whole pixels, and no words. */
export function turnIntoRois(page: Page): void {
  const boxes = listChosenBoxes(page);
  const byFile = new Map<FileRecord, Roi[]>();
  for (const [, { place, points }] of boxes) {
    const file = place.type === 'frame' ? findFile(page, place.file_index) : undefined;
    if (file === undefined || place.type !== 'frame') continue;
    const frames = isMultiFrame(file) ? [place.frame_index] : [];
    const roi = { uid: createMarkUid(), box: toRoiBox(file, points), frames };
    byFile.set(file, [...(byFile.get(file) ?? []), roi]);
  }
  const isLoaded = ({ index }: FileRecord) => roisOf(page).store.getState().files.get(index)?.load.kind === 'loaded';
  if (![...byFile.keys()].every(isLoaded)) {
    say(page, 'The ROIs of these images are not loaded yet', 'failed');
    return;
  }
  const [first] = byFile;
  if (first === undefined) return;
  const lists = Array.from(byFile, ([{ index }, these]) => {
    return [index, { all: [...roisOfFile(page, index), ...these], these }] as const;
  });
  const [file, [roi]] = first;
  const frame = roi?.frames[0] ?? 0;
  exchange(
    page,
    { old: sideOfMarks(page, new Map(boxes)), made: sideOfRois(page, new Map(lists)) },
    { fileIndex: file.index, frame, isOn: (shown) => shown === frame },
  );
  const uids = lists.flatMap(([, { these }]) => these.map(({ uid }) => uid));
  chooseMarks(page, uids, uids.at(-1));
}

/** The runs of frames, as they are shown one after the other, that a ROI is on. No frames stand for all. */
function placesOfRoi(
  page: Page,
  file: FileRecord,
  frames: readonly number[],
): readonly (readonly [from: number, to: number])[] {
  const all = frames.length > 0 ? frames : Array.from({ length: Math.max(1, file.frame_count) }, (_, frame) => frame);
  const { positions } = orderOf(stackOf(page, file), file);
  const placeOf = (frame: number) => positions.get(frame) ?? frame;
  const runs: (readonly [number, number])[] = [];
  for (const frame of all.toSorted((a, b) => placeOf(a) - placeOf(b))) {
    const last = runs.at(-1);
    if (last !== undefined && placeOf(frame) === placeOf(last[1]) + 1) runs[runs.length - 1] = [last[0], frame];
    else runs.push([frame, frame]);
  }
  return runs;
}

function placeBox(
  fileIndex: number,
  from: number,
  to: number,
  points: number[][],
): Pick<MarkForm, 'place' | 'points' | 'slices'> {
  const at = (frame: number) => ({ file_index: fileIndex, frame_index: frame });
  if (from === to) return { place: { type: 'frame', ...at(from) }, points };
  return { place: { type: 'stack', from: at(from), to: at(to) }, points: [], slices: [{ ...at(from), points }] };
}

function toPoints([ymin, xmin, ymax, xmax]: RoiBox): number[][] {
  return [
    [xmin, ymin],
    [xmax, ymax],
  ];
}

/** The whole pixels around the box. */
function toRoiBox({ rows, columns }: FileRecord, points: readonly (readonly number[])[]): RoiBox {
  const [xs, ys] = [points.map(([x = 0]) => x), points.map(([, y = 0]) => y)];
  const [xmin, ymin] = [
    keepBelow(Math.floor(Math.min(...xs)), columns - 1),
    keepBelow(Math.floor(Math.min(...ys)), rows - 1),
  ];
  return [
    ymin,
    xmin,
    keepBelow(Math.max(Math.ceil(Math.max(...ys)), ymin + 1), rows),
    keepBelow(Math.max(Math.ceil(Math.max(...xs)), xmin + 1), columns),
  ];
}

function keepBelow(value: number, most: number): number {
  return Math.min(Math.max(value, 0), most);
}
