import type { MarkBody, MarkMask, MarkSlice, WireMark } from '../../../../shared/contract/marks.ts';
import type { RoiBox } from '../../../../shared/contract/annotations.ts';
import type { PlaneOrientation, Vector3 } from '../../../../shared/geometry.ts';
import type { PatientGrid } from '../../../show/pictures/pictureSource.ts';
import type { CutPlace } from '../../../show/pictures/shownFrame.ts';
import { isDrawnKind } from '../../../../shared/markTraits.ts';
import type { Point } from '../../../kit/state/viewState.ts';
import type { BoxInPatient, MarkWords, Measurement } from '../shapes/measurement.ts';
import type { FrameAddress } from '../../../kit/api/frames.ts';
import { scaleOfPlane } from '../shapes/planeMarks.ts';

/** What the server keeps of a mark. `slices` is absent from a measurement unless it goes through a stack. */
export type MarkForm = Pick<WireMark, 'kind' | 'place' | 'points'> &
  Required<Pick<MarkBody, 'label' | 'class' | 'text' | 'comment' | 'author' | 'locked'>> & {
    readonly slices?: MarkSlice[];
  };

/** On a picture that is neither a stored frame nor a plane, such as a rotating MIP: only this tab has it. */
export type CutMark = Omit<MarkForm, 'place'> & {
  readonly place: {
    readonly type: 'cut';
    /** The file whose header applies to the picture. */
    readonly file_index: number;
    readonly frame_index: number;
    readonly cut: CutPlace;
  };
};

/** A rectangle of the specification, which is one of the list of its file on the server. */
export type RoiForm = Omit<MarkForm, 'kind' | 'place'> & {
  readonly kind: 'roi';
  /** No frames stand for all of them. */
  readonly place: { readonly type: 'frames'; readonly file_index: number; readonly frame_indices: readonly number[] };
  readonly box: RoiBox;
};

/** A mark of this page. */
export type PageMark = MarkForm | CutMark | RoiForm;

/** Whether it is one of the marks of the server. */
export function isKept(mark: PageMark | undefined): mark is MarkForm {
  return mark !== undefined && mark.place.type !== 'cut' && mark.place.type !== 'frames';
}

export function isRoi(mark: PageMark): mark is RoiForm {
  return mark.place.type === 'frames';
}

export function isMaskForm(mark: PageMark): mark is MarkForm {
  return isKept(mark) && mark.kind === 'brush';
}

export function toMark({ kind, fileIndex, frame, place, points: drawn, words }: Measurement): PageMark {
  const address = toAddress({ fileIndex, frame });
  const points = toPairs(drawn);
  switch (place.type) {
    case 'frame':
      return { kind, place: { type: 'frame', ...address }, points, ...words };
    case 'slide':
      return { kind, place: { type: 'slide', file_index: fileIndex, focal_plane_um: null }, points, ...words };
    case 'plane':
      return { kind, place: { ...address, ...toPlanePlace(place.grid) }, points, ...words };
    case 'cut':
      return { kind, place: { type: 'cut', ...address, cut: place.cut }, points, ...words };
    case 'volume':
      return { kind, place: { ...address, ...toVolumePlace(place.box) }, points: [], ...words };
    case 'stack': {
      const { from, to, slices } = place;
      // In one order, because two forms with the same outlines are equal.
      const outlines = slices.toSorted((a, b) => a.fileIndex - b.fileIndex || a.frame - b.frame);
      return {
        kind,
        place: { type: 'stack', from: toAddress(from), to: toAddress(to) },
        points: [],
        slices: outlines.map((slice) => ({ ...toAddress(slice), points: toPairs(slice.points) })),
        ...words,
      };
    }
  }
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

/** The same array for the same array, because points are compared by identity. */
function fromPairs(pairs: readonly (readonly number[])[]): readonly Point[] {
  const points = knownPoints.get(pairs) ?? pairs.map(([x = 0, y = 0]) => ({ x, y }));
  knownPoints.set(pairs, points);
  return points;
}

const knownPoints = new WeakMap<readonly (readonly number[])[], readonly Point[]>();

/** The form of a mark of the server; undefined for kinds and places that the page does not draw. */
export function formOf(mark: WireMark): MarkForm | undefined {
  if (mark.kind === 'brush') return toMaskForm(mark);
  const item = toMeasurement(mark.uid, mark);
  const form = item && toMark(item);
  return isKept(form) ? form : undefined;
}

/** A shape as it is drawn and measured; undefined for what the page does not draw. */
export function toMeasurement(uid: string, mark: PageMark): Measurement | undefined {
  const { kind } = mark;
  if (!isDrawnKind(kind)) return undefined;
  const geometry = fromGeometry(mark);
  return geometry && { uid, kind, scale: undefined, ...geometry, words: wordsOf(mark), values: undefined };
}

type Geometry = Pick<Measurement, 'fileIndex' | 'frame' | 'place' | 'points'> & Partial<Pick<Measurement, 'scale'>>;

/** Undefined for one that the page does not draw. */
function fromGeometry({ place, points: pairs, slices = [] }: PageMark): Geometry | undefined {
  const points = fromPairs(pairs);
  switch (place.type) {
    case 'frames':
      return undefined;
    case 'frame':
      return { ...fromAddress(place), points, place: { type: 'frame' } };
    case 'slide':
      return { fileIndex: place.file_index, frame: 0, points, place: { type: 'slide' } };
    case 'cut':
      return { ...fromAddress(place), points, place: { type: 'cut', cut: place.cut } };
    case 'stack': {
      const drawn = slices.map((slice) => ({ ...fromAddress(slice), points: fromPairs(slice.points) }));
      const [first] = drawn;
      const range = { from: fromAddress(place.from), to: fromAddress(place.to) };
      return first && { ...first, place: { type: 'stack', ...range, slices: drawn } };
    }
    case 'volume': {
      const { frame_of_reference_uid: frameOfReferenceUid, orientation, position, size } = place;
      const extent = { corner: toTriple(position), sizeMm: toTriple(size) };
      const box = { frameOfReferenceUid, ...fromOrientation(orientation), ...extent };
      return { ...fromAddress(place), points: NO_POINTS, place: { type: 'volume', box } };
    }
    case 'plane': {
      const { frame_of_reference_uid: frameOfReferenceUid, orientation, position, slab_mm: slabMm, time } = place;
      const [rowSpacingMm = NaN, columnSpacingMm = NaN] = place.spacing;
      const plane = { ...fromOrientation(orientation), position: toTriple(position), rowSpacingMm, columnSpacingMm };
      const grid = { frameOfReferenceUid, plane, slabMm, time };
      return { ...fromAddress(place), points, place: { type: 'plane', grid }, scale: scaleOfPlane(plane) };
    }
  }
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
  const { kind, place, points, slices } = mark;
  return { kind, place, points, slices, ...wordsOf(mark) };
}

/** The files that a mark names, each once. */
export function filesOfForm({ place, slices = [] }: PageMark): readonly number[] {
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

/** The same for a mark of this tab. The names of pictures have the index of a file of their volume. */
export function renumberCut({ place, ...mark }: CutMark, fileIndex: number): CutMark {
  const key = place.cut.key.replace(/^\d+/, String(fileIndex));
  const sourceId = place.cut.sourceId.replace(/^([a-z]+\/)\d+/, `$1${fileIndex}`);
  return { ...mark, place: { ...place, file_index: fileIndex, cut: { ...place.cut, key, sourceId } } };
}

export function isCut(mark: PageMark): mark is CutMark {
  return mark.place.type === 'cut';
}

export function withWords<Form extends PageMark>(form: Form, words: Partial<MarkWords>): Form {
  return { ...form, ...words };
}

export function wordsOf({ label, class: key, text, comment, author, locked }: MarkWords): MarkWords {
  return { label, class: key, text, comment, author, locked };
}

/** The mask with other pixels, by `frameKey`. */
export function withMasks<Form extends PageMark>(form: Form, masks: ReadonlyMap<string, MarkMask>): Form {
  const [first = '0 0'] = masks.keys();
  const at = toAddress(parseFrameKey(first));
  const slices = Array.from(masks, ([key, mask]) => toSlice(key, mask));
  return { ...form, slices, ...(form.place.type === 'stack' && { place: { type: 'stack', from: at, to: at } }) };
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
