import type { MarkBody, MarkMask, MarkSlice, MarksPatch, WireMark } from '../../../../shared/contract/marks.ts';
import { boxVolumeMl } from '../../../../shared/coverBox.ts';
import type { PlaneOrientation, Vector3 } from '../../../../shared/geometry.ts';
import type { PatientGrid } from '../../../show/pictures/pictureSource.ts';
import { MEASURE_TOOLS } from '../../../kit/state/tools.ts';
import type { Point } from '../../../kit/state/viewState.ts';
import { type BoxInPatient, type Measurement, NO_WORDS } from '../shapes/measurement.ts';
import type { FrameAddress } from '../../../kit/api/frames.ts';
import { isSameMask, mergeMasks } from '../masks/mergeMasks.ts';
import { scaleOfPlane } from '../shapes/planeMarks.ts';
import type { Versions } from './createSync.ts';

/** What the server keeps of a mark. `slices` is absent from a measurement unless it goes through a stack. */
export type MarkForm = Pick<WireMark, 'kind' | 'place' | 'points'> &
  Required<Pick<MarkBody, 'label' | 'class' | 'text' | 'comment' | 'author' | 'locked'>> & {
    readonly slices?: MarkSlice[];
  };

/** A measurement on a rotating MIP is only in this page, and has no form. */
export function toForm(item: Measurement): MarkForm | undefined {
  const { kind, words = NO_WORDS, cut } = item;
  if (cut !== undefined) return undefined;
  const { label, class: key, text, comment, author, locked } = words;
  return { kind, ...toGeometry(item), label, class: key, text, comment, author, locked };
}

function toGeometry({ fileIndex, frame, points, isWhole, through, onPlane, box }: Measurement) {
  if (box !== undefined) return { place: { ...toAddress({ fileIndex, frame }), ...toVolumePlace(box) }, points: [] };
  if (onPlane !== undefined) {
    return { place: { ...toAddress({ fileIndex, frame }), ...toPlanePlace(onPlane) }, points: toPairs(points) };
  }
  if (through !== undefined) {
    const { from, to, slices } = through;
    return {
      place: { type: 'stack' as const, from: toAddress(from), to: toAddress(to) },
      points: [],
      // In one order, because two forms with the same outlines are equal.
      slices: slices
        .toSorted((a, b) => a.fileIndex - b.fileIndex || a.frame - b.frame)
        .map((slice) => ({ ...toAddress(slice), points: toPairs(slice.points) })),
    };
  }
  const place: MarkBody['place'] =
    isWhole === true
      ? { type: 'slide', file_index: fileIndex, focal_plane_um: null }
      : { type: 'frame', file_index: fileIndex, frame_index: frame };
  return { place, points: toPairs(points) };
}

function toPlanePlace({ frameOfReferenceUid, plane, slabMm, time }: PatientGrid) {
  return {
    type: 'plane' as const,
    frame_of_reference_uid: frameOfReferenceUid,
    position: [...plane.position],
    orientation: [...plane.rowDirection, ...plane.columnDirection],
    spacing: [plane.rowSpacingMm, plane.columnSpacingMm],
    slab_mm: slabMm,
    time,
  };
}

function toVolumePlace({ frameOfReferenceUid, corner, rowDirection, columnDirection, sizeMm }: BoxInPatient) {
  return {
    type: 'volume' as const,
    frame_of_reference_uid: frameOfReferenceUid,
    position: [...corner],
    orientation: [...rowDirection, ...columnDirection],
    size: [...sizeMm],
  };
}

function toAddress({ fileIndex, frame }: { readonly fileIndex: number; readonly frame: number }) {
  return { file_index: fileIndex, frame_index: frame };
}

function toPairs(points: readonly Point[]): number[][] {
  return points.map(({ x, y }) => [x, y]);
}

function fromPairs(points: readonly (readonly number[])[]): readonly Point[] {
  return points.map(([x = 0, y = 0]) => ({ x, y }));
}

/** The form of a mark of the server; undefined for kinds and places that the page does not draw. */
export function formOf(mark: WireMark): MarkForm | undefined {
  if (mark.kind === 'brush') return toMaskForm(mark);
  const item = toMeasurement(mark, 0);
  return item && toForm(item);
}

export function toMeasurement(mark: MarkForm & Pick<WireMark, 'uid'>, id: number): Measurement | undefined {
  const { uid, kind: markKind, label, class: key, text, comment, author, locked } = mark;
  const kind = MEASURE_TOOLS.find((tool) => tool === markKind);
  const geometry = fromGeometry(mark);
  if (kind === undefined || geometry === undefined) return undefined;
  const words = { label, class: key, text, comment, author, locked };
  return { id, uid, kind, scale: undefined, ...geometry, words, values: undefined };
}

/** Where a mark is; undefined for one that the page does not draw. */
export function fromGeometry({ place, points, slices }: Pick<MarkForm, 'place' | 'points' | 'slices'>) {
  if (place.type === 'stack') {
    const drawn = (slices ?? []).map((slice) => ({ ...fromAddress(slice), points: fromPairs(slice.points) }));
    const [first] = drawn;
    if (first === undefined) return undefined;
    return { ...first, through: { from: fromAddress(place.from), to: fromAddress(place.to), slices: drawn } };
  }
  if (place.type === 'slide') {
    return { fileIndex: place.file_index, frame: 0, points: fromPairs(points), isWhole: true as const };
  }
  if (place.type === 'frame') return { ...fromAddress(place), points: fromPairs(points) };
  const uid = place.frame_of_reference_uid;
  const directions = fromOrientation(place.orientation);
  const position = toTriple(place.position);
  if (place.type === 'volume') {
    const box = { frameOfReferenceUid: uid, ...directions, corner: position, sizeMm: toTriple(place.size) };
    return { ...fromAddress(place), points: NO_POINTS, box, volumeMl: boxVolumeMl(box.sizeMm) };
  }
  const [rowSpacingMm = NaN, columnSpacingMm = NaN] = place.spacing;
  const plane = { ...directions, position, rowSpacingMm, columnSpacingMm };
  return {
    ...fromAddress(place),
    points: fromPairs(points),
    onPlane: { frameOfReferenceUid: uid, plane, slabMm: place.slab_mm, time: place.time },
    scale: scaleOfPlane(plane),
  };
}

/** The same for all boxes, because points are compared by identity. */
const NO_POINTS: readonly Point[] = [];

/** As it is written, because a form must stay the same when it is read and written again. */
function fromOrientation(orientation: readonly number[]): PlaneOrientation {
  return { rowDirection: toTriple(orientation), columnDirection: toTriple(orientation.slice(3)) };
}

function toTriple([x = NaN, y = NaN, z = NaN]: readonly number[]): Vector3 {
  return [x, y, z];
}

function fromAddress(address: { readonly file_index: number; readonly frame_index: number }) {
  return { fileIndex: address.file_index, frame: address.frame_index };
}

function toMaskForm(mark: WireMark): MarkForm {
  const { kind, place, points, slices, label, class: key, text, comment, author, locked } = mark;
  return { kind, place, points, slices, label, class: key, text, comment, author, locked };
}

/** The files that a form names, each once. */
export function filesOfForm({ place, slices = [] }: MarkForm): readonly number[] {
  const placed = place.type === 'stack' ? [place.from.file_index, place.to.file_index] : [place.file_index];
  return [...new Set([...placed, ...slices.map(({ file_index }) => file_index)])];
}

/** The same form with other numbers of files. */
export function renumberForm(form: MarkForm, numberOf: (fileIndex: number) => number): MarkForm {
  const { place, slices } = form;
  const moved = <Address extends { file_index: number }>(address: Address): Address => ({
    ...address,
    file_index: numberOf(address.file_index),
  });
  return {
    ...form,
    place: place.type === 'stack' ? { ...place, from: moved(place.from), to: moved(place.to) } : moved(place),
    ...(slices !== undefined && { slices: slices.map(moved) }),
  };
}

const WORDS = ['label', 'class', 'text', 'comment', 'author', 'locked'] as const;
const FIELDS = ['place', 'points', 'slices', ...WORDS] as const;

/** The fields in which two forms of a mark differ, with the values of the second. */
export function differenceOf(before: MarkForm, after: MarkForm): Partial<MarkForm> {
  return Object.fromEntries(
    FIELDS.filter((field) => JSON.stringify(before[field]) !== JSON.stringify(after[field])).map((field) => [
      field,
      after[field],
    ]),
  );
}

export function areEqualForms(a: MarkForm, b: MarkForm): boolean {
  if (a.kind !== 'brush' || b.kind !== 'brush') return Object.keys(differenceOf(a, b)).length === 0;
  // The frames from which to which a mask goes follow from the slices.
  return WORDS.every((field) => a[field] === b[field]) && changedSlices(a, b).length === 0;
}

/**
 * What becomes of a mark that two clients have changed at the same time: fields that only one of them has changed are
 * taken from it, and of masks the pixels. Undefined if both have changed the same field in different ways.
 */
export function mergeForms({ bases, mine, theirs }: Versions<MarkForm>): MarkForm | undefined {
  const taken = new Set<(typeof FIELDS)[number]>();
  const isMask = mine.kind === 'brush';
  for (const field of isMask ? WORDS : FIELDS) {
    const [ours, other] = [mine, theirs].map((form) => JSON.stringify(form[field]));
    if (ours === other) continue;
    const known = bases.map((base) => base && JSON.stringify(base[field]));
    if (known.includes(other)) taken.add(field);
    else if (bases[0] === undefined || known[0] !== ours) return undefined;
  }
  const own = Object.fromEntries([...taken].map((field) => [field, mine[field]]));
  return { ...theirs, ...own, ...(isMask && { slices: mergeSlices({ bases, mine, theirs }) }) };
}

/** What was painted here is in it, and what others have painted since. */
function mergeSlices({ bases, mine, theirs }: Versions<MarkForm>): MarkSlice[] {
  const known = bases.map((base) => masksOf(base));
  const [own, other] = [masksOf(mine), masksOf(theirs)];
  return [...new Set([...other.keys(), ...own.keys()])].flatMap((key) => {
    const [painted, found] = [own.get(key) ?? null, other.get(key) ?? null];
    const isKnown = known.some((masks) => isSameMask(masks.get(key) ?? null, found));
    const mask = isKnown ? painted : mergeMasks(known[0]?.get(key) ?? null, painted, found);
    return mask === null ? [] : [toSlice(key, mask)];
  });
}

type Sliced = { readonly slices?: readonly MarkSlice[] | undefined };

/** The masks of a form, by `frameKey`. */
export function masksOf({ slices = NO_SLICES }: Sliced = {}): ReadonlyMap<string, MarkMask> {
  const known = maskTables.get(slices);
  if (known !== undefined) return known;
  const table = new Map(
    slices.flatMap(({ file_index: fileIndex, frame_index: frame, mask }) =>
      mask === undefined ? [] : [[frameKey({ fileIndex, frame }), mask] as const],
    ),
  );
  maskTables.set(slices, table);
  return table;
}

const NO_SLICES: readonly MarkSlice[] = [];
/** A form never changes. */
const maskTables = new WeakMap<readonly MarkSlice[], ReadonlyMap<string, MarkMask>>();

export function frameKey({ fileIndex, frame }: FrameAddress): string {
  return `${fileIndex} ${frame}`;
}

export function parseFrameKey(key: string): FrameAddress {
  const [fileIndex = 0, frame = 0] = key.split(' ').map(Number);
  return { fileIndex, frame };
}

export function toSlice(key: string, mask: MarkMask | null): MarkSlice {
  return { ...toAddress(parseFrameKey(key)), points: [], ...(mask !== null && { mask }) };
}

/** The slices that make the masks of the second form of those of the first. A slice without a mask removes one. */
export function changedSlices(before: MarkForm | undefined, after: MarkForm): readonly MarkSlice[] {
  if (before?.slices === after.slices) return [];
  const [old, now] = [masksOf(before), masksOf(after)];
  return [...new Set([...old.keys(), ...now.keys()])].flatMap((key) => {
    const mask = now.get(key) ?? null;
    return isSameMask(old.get(key) ?? null, mask) ? [] : [toSlice(key, mask)];
  });
}

/** Numbers in one request, which the server limits to 2 MiB: a run has at most 10 digits and a comma. */
const MOST_RUNS = 150_000;

/** As much of a mask as one request can make of what the server has. */
export function cutMask(before: MarkForm | undefined, after: MarkForm): MarkForm {
  const changed = changedSlices(before, after);
  let runs = 0;
  const taken = changed.filter(({ mask }, n) => (runs += mask?.runs.length ?? 0) <= MOST_RUNS || n === 0);
  if (taken.length === changed.length) return after;
  const masks = new Map(masksOf(before));
  for (const { file_index: fileIndex, frame_index: frame, mask } of taken) {
    if (mask === undefined) masks.delete(frameKey({ fileIndex, frame }));
    else masks.set(frameKey({ fileIndex, frame }), mask);
  }
  return { ...after, slices: Array.from(masks, ([key, mask]) => toSlice(key, mask)) };
}

/** Whether the mark has outlines on several frames, before or after a change. They are replaced as a whole. */
export function hasSlicesChanged(before: MarkForm, after: MarkForm): boolean {
  return ['place', 'slices'].some((field) => field in differenceOf(before, after));
}

const WORDS_OF_MANY = ['label', 'class', 'comment', 'author', 'locked'] as const;

/** The change from one form to another, if it is one that a single request can make to many marks. */
export function findWordChange(before: MarkForm, after: MarkForm): MarksPatch['change'] | undefined {
  const changed = FIELDS.filter((field) => JSON.stringify(before[field]) !== JSON.stringify(after[field]));
  const words = WORDS_OF_MANY.filter((field) => changed.includes(field));
  if (words.length === 0 || words.length < changed.length) return undefined;
  const { label, class: key, comment, author, locked } = after;
  const values = { label, class: key, comment, author, locked };
  return Object.fromEntries(words.map((field) => [field, values[field]]));
}
