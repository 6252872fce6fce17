import type { MarkBody, MarkSlice } from '../../src/shared/contract/marks.ts';
import type { RoiBox } from '../../src/shared/contract/annotations.ts';
import type { ReviewResponse, WireReviewUnit } from '../../src/shared/contract/review.ts';
import { HEADER } from '../../src/shared/contract/headers.ts';
import type { Random } from '../fuzz/random.ts';
import { FRAME_OF_REFERENCE, type KillFile, listKillFiles, SLICES } from './killFiles.ts';

/** As text, so that it can be compared; null if there is none. */
export type KeptValue = {
  acknowledged: string | null;
  /** Sent, and not acknowledged: a later run may have one of them. */
  underway: (string | null)[];
};

export type Edits = {
  readonly redactions: Map<number, KeptValue>;
  readonly rois: Map<number, KeptValue>;
  readonly marks: Map<string, KeptValue>;
  /** Verdicts of a review by SOP Instance UID. */
  readonly verdicts: Map<string, KeptValue>;
};

export type EditOptions = {
  readonly random: Random;
  readonly fail: (what: string) => void;
  /** Called for each edit that was acknowledged. */
  readonly onEdit: () => void;
  readonly onVerdict: () => void;
};

const FILES = listKillFiles();

/** Edits at random until it is stopped or the server ends: each value by one client, several of them at once. */
export function startEdits(baseUrl: string, edits: Edits, options: EditOptions): { readonly stop: () => void } {
  const stopping = new AbortController();
  const repeat = async (step: () => Promise<void>) => {
    while (!stopping.signal.aborted) await step().catch(() => stopping.abort());
  };
  void repeat(() => editBoxes(baseUrl, 'redactions', edits.redactions, options));
  void repeat(() => editBoxes(baseUrl, 'annotations', edits.rois, options));
  void repeat(() => editMark(baseUrl, edits.marks, options));
  // Clients of one file, which have units of their own.
  for (const client of [0, 1]) {
    const units = listUnits(baseUrl).then((all) => all.filter((_, n) => n % 2 === client));
    void repeat(async () => decide(baseUrl, options.random.pick(await units), edits.verdicts, options));
  }
  return { stop: () => stopping.abort() };
}

const JSON_BODY = { 'Content-Type': 'application/json' };

function valueIn<Key>(store: Map<Key, KeptValue>, key: Key): KeptValue {
  const known = store.get(key) ?? { acknowledged: null, underway: [] };
  store.set(key, known);
  return known;
}

async function editBoxes(
  baseUrl: string,
  what: 'redactions' | 'annotations',
  store: Map<number, KeptValue>,
  { random, fail, onEdit }: EditOptions,
): Promise<void> {
  const file = random.pick(FILES.filter(({ kind }) => kind !== 'video'));
  const count = random.below(4);
  const boxes = Array.from({ length: count }, () => makeBox(file, random));
  const frames = boxes.map(() => (file.frames > 1 && random.chance(0.5) ? [random.below(file.frames)] : []));
  // A long one now and then, so that the journal is rewritten.
  const isLong = what === 'annotations' && random.chance(0.05);
  const coords = isLong ? Array.from({ length: 20_000 }, (): RoiBox => [0, 0, 1 + random.below(5), 5]) : boxes;
  const lists = isLong || frames.every((list) => list.length === 0) ? [] : frames;
  const text = JSON.stringify(coords.map((box, at) => JSON.stringify([box, lists[at] ?? []])).toSorted());
  const value = valueIn(store, file.index);
  value.acknowledged ??= '[]';
  value.underway = [text];
  const response = await fetch(`${baseUrl}/api/file/${file.index}/${what}`, {
    method: 'PUT',
    headers: JSON_BODY,
    body: JSON.stringify({ num_roi: coords.length, roi_coords: coords, roi_frames: lists }),
  });
  if (response.status !== 200) return fail(`${what} were refused: ${response.status} ${await response.text()}`);
  if (response.headers.get(HEADER.annotationDurability) !== 'kept') return fail(`${what} were not kept`);
  value.acknowledged = text;
  value.underway = [];
  onEdit();
}

async function listUnits(baseUrl: string): Promise<readonly WireReviewUnit[]> {
  const { review }: ReviewResponse = await (await fetch(`${baseUrl}/api/review?limit=1000`)).json();
  return review?.units ?? [];
}

let verdictsGiven = 0;

async function decide(
  baseUrl: string,
  { unit, instance }: WireReviewUnit,
  store: Map<string, KeptValue>,
  { random, fail, onVerdict }: EditOptions,
): Promise<void> {
  const verdict = random.pick(['accept', 'reject', 'unsure', null]);
  const comment = verdict === null ? '' : `decision ${(verdictsGiven += 1)}`;
  const value = valueIn(store, instance ?? '');
  const next = verdict === null ? null : `${verdict} ${comment}`;
  value.underway = [next];
  const body = JSON.stringify({ verdict, comment });
  const response = await fetch(`${baseUrl}/api/review/${unit}`, { method: 'PUT', headers: JSON_BODY, body });
  if (response.status !== 200) return fail(`a verdict was refused: ${response.status} ${await response.text()}`);
  value.acknowledged = next;
  value.underway = [];
  onVerdict();
}

/** Never with the first pixel, which stays the darkest one. */
function makeBox({ rows, columns }: KillFile, random: Random): RoiBox {
  const top = 1 + random.below(rows - 3);
  const left = 1 + random.below(columns - 5);
  return [top, left, top + 1 + random.below(2), left + 2 + random.below(3)];
}

let marksMade = 0;

async function editMark(
  baseUrl: string,
  store: Map<string, KeptValue>,
  { random, fail, onEdit }: EditOptions,
): Promise<void> {
  const known = [...store].filter(([, value]) => value.acknowledged !== null);
  const change = async (uid: string, next: string | null, send: () => Promise<Response>) => {
    const value = valueIn(store, uid);
    value.underway = [next];
    const response = await send();
    if (response.status !== 200) return fail(`a mark was refused: ${response.status} ${await response.text()}`);
    if (response.headers.get(HEADER.annotationDurability) !== 'kept') return fail('a mark was not kept');
    value.acknowledged = next;
    value.underway = [];
    onEdit();
  };
  if (known.length < 12 || random.chance(0.3)) {
    const uid = `2.25.${Date.now()}${(marksMade += 1)}`;
    const body = makeMark(uid, random);
    const send = () =>
      fetch(`${baseUrl}/api/marks`, { method: 'POST', headers: JSON_BODY, body: JSON.stringify(body) });
    return change(uid, describeBody(body), send);
  }
  const [uid, { acknowledged }] = random.pick(known);
  const { marks }: { marks: { id?: number; uid?: string }[] } = await (await fetch(`${baseUrl}/api/marks`)).json();
  const id = marks.find((mark) => mark.uid === uid)?.id;
  if (id === undefined) return fail(`mark ${uid} is gone`);
  if (known.length > 24 || random.chance(0.2)) {
    return change(uid, null, () => fetch(`${baseUrl}/api/mark/${id}`, { method: 'DELETE' }));
  }
  const comment = `edit ${random.below(1e6)}`;
  const [kind, place, points, slices, label, key]: unknown[] = JSON.parse(acknowledged ?? '[]');
  const next = JSON.stringify([kind, place, points, slices, label, key, comment]);
  const send = () =>
    fetch(`${baseUrl}/api/mark/${id}`, { method: 'PATCH', headers: JSON_BODY, body: JSON.stringify({ comment }) });
  return change(uid, next, send);
}

/** In the form in which the server lists it. */
function describeBody({ kind, place, points, slices, label, class: key, comment }: MarkBody): string {
  return JSON.stringify([kind, place, points, slices ?? [], label, key, comment]);
}

const AXES = [1, 0, 0, 0, 1, 0];

/** A mark of any kind at any place. */
function makeMark(uid: string, random: Random): MarkBody {
  const words = { label: `finding ${random.below(9)}`, class: random.pick(['nodule', 'vessel', null]), comment: 'new' };
  const x = 1 + random.below(8);
  const mask = (left: number, top: number) => ({ left, top, width: 2 + (x % 3), height: 1, runs: [0, 2 + (x % 3)] });
  const slice = (file_index: number, frame_index = 0): MarkSlice => ({
    file_index,
    frame_index,
    points: [],
    mask: mask(x, 2),
  });
  const box = [
    [x, 1],
    [x + 1.5, 4],
  ];
  const address = { file_index: random.below(SLICES), frame_index: 0 };
  const space = { frame_of_reference_uid: FRAME_OF_REFERENCE, position: [0, x, 0], orientation: AXES };
  const stack = {
    type: 'stack' as const,
    from: { file_index: 0, frame_index: 0 },
    to: { file_index: 3, frame_index: 0 },
  };
  const onVideo = { file_index: SLICES + 1, frame_index: random.below(5) };
  const video = { type: 'frame' as const, ...onVideo };
  const slide = { type: 'slide' as const, file_index: SLICES, focal_plane_um: null };
  const points = (count: number) => Array.from({ length: count }, (_, at) => [x + at, 1 + ((at * 3) % 7)]);
  const make = random.pick<() => Omit<MarkBody, 'uid'>>([
    () => ({ kind: 'box', place: { type: 'frame', ...address }, points: box }),
    () => ({ kind: 'ellipse', place: video, points: box }),
    () => ({ kind: 'polygon', place: slide, points: points(3) }),
    () => ({ kind: 'freehand', place: { type: 'frame', ...address }, points: points(5) }),
    () => ({ kind: 'point', place: slide, points: points(1) }),
    () => ({ kind: 'arrow', place: { type: 'frame', ...address }, points: points(2), text: 'here' }),
    () => ({
      kind: 'length',
      place: { type: 'plane', ...address, ...space, spacing: [1, 1], slab_mm: 0, time: 0 },
      points: points(2),
    }),
    () => ({ kind: 'angle', place: { type: 'frame', ...address }, points: points(3) }),
    () => ({ kind: 'cobb', place: { type: 'frame', ...address }, points: points(4) }),
    () => ({ kind: 'bidirectional', place: { type: 'frame', ...address }, points: points(4) }),
    () => ({ kind: 'box', place: { type: 'volume', ...address, ...space, size: [2, x, 3] }, points: [] }),
    () => ({ kind: 'brush', place: stack, points: [], slices: [slice(0), slice(1), slice(3)] }),
    () => ({ kind: 'brush', place: { ...slide, mask_step: 1 }, points: [], slices: [slice(SLICES)] }),
    () => ({
      kind: 'brush',
      place: { type: 'stack', from: onVideo, to: onVideo },
      points: [],
      slices: [slice(SLICES + 1, onVideo.frame_index)],
    }),
  ]);
  return { uid, ...make(), ...words };
}
