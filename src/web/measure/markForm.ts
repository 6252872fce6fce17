import type { MarkBody, MarkKind, WireMark } from '../../shared/contract/marks.ts';
import type { MeasureTool } from '../state/tools.ts';
import { type Measurement, NO_WORDS } from './measurement.ts';

const KIND_OF: Readonly<Record<MeasureTool, MarkKind>> = {
  length: 'length',
  angle: 'angle',
  ellipse: 'ellipse',
  rectangle: 'box',
  probe: 'point',
};

type FlatPlace = Extract<MarkBody['place'], { type: 'frame' | 'slide' }>;

/** What the server keeps of a measurement. A measurement on a plane is only in this page, and has none. */
export function toForm({ kind, fileIndex, frame, points, isWhole, cut, words = NO_WORDS }: Measurement) {
  if (cut !== undefined) return undefined;
  const place: FlatPlace =
    isWhole === true
      ? { type: 'slide', file_index: fileIndex, focal_plane_um: null }
      : { type: 'frame', file_index: fileIndex, frame_index: frame };
  const { label, class: key, text, comment, author, locked } = words;
  return {
    kind: KIND_OF[kind],
    place,
    points: points.map(({ x, y }) => [x, y]),
    label,
    class: key,
    text,
    comment,
    author,
    locked,
  } satisfies MarkBody;
}

export type MarkForm = NonNullable<ReturnType<typeof toForm>>;

/** The form of a mark of the server; undefined for kinds and places that the page does not draw. */
export function formOf(mark: WireMark): MarkForm | undefined {
  const item = toMeasurement(mark, 0);
  return item && toForm(item);
}

export function toMeasurement(mark: WireMark, id: number): Measurement | undefined {
  const { uid, kind: markKind, place, points, label, class: key, text, comment, author, locked } = mark;
  const kind = MEASURED_KINDS.find((tool) => KIND_OF[tool] === markKind);
  if (kind === undefined || (place.type !== 'frame' && place.type !== 'slide')) return undefined;
  return {
    id,
    uid,
    kind,
    fileIndex: place.file_index,
    frame: place.type === 'frame' ? place.frame_index : 0,
    points: points.map(([x = 0, y = 0]) => ({ x, y })),
    ...(place.type === 'slide' && { isWhole: true }),
    words: { label, class: key, text, comment, author, locked },
    scale: undefined,
    values: undefined,
  };
}

// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a constant has no keys beyond those of its type
const MEASURED_KINDS = Object.keys(KIND_OF) as MeasureTool[];

const FIELDS = ['place', 'points', 'label', 'class', 'text', 'comment', 'author', 'locked'] as const;

/** The fields in which two forms of a mark differ, with the values of the second. */
export function differenceOf(before: MarkForm, after: MarkForm): Partial<MarkForm> {
  return Object.fromEntries(
    FIELDS.filter((field) => JSON.stringify(before[field]) !== JSON.stringify(after[field])).map((field) => [
      field,
      after[field],
    ]),
  );
}

/**
 * What becomes of a change that two clients have made at the same time: fields that only one of them has changed are
 * taken from it. Undefined if both have changed the same field in different ways.
 */
export function mergeForms(base: MarkForm, mine: MarkForm, theirs: MarkForm): MarkForm | undefined {
  const [own, other] = [differenceOf(base, mine), differenceOf(base, theirs)];
  const isConflict = FIELDS.some(
    (field) => field in own && field in other && JSON.stringify(mine[field]) !== JSON.stringify(theirs[field]),
  );
  return isConflict ? undefined : { ...theirs, ...own };
}
