import {
  MARK_KINDS,
  type MarkKind,
  type MarkMask,
  type MarkPlace,
  type MarkPlaceType,
  MASK_TILE,
} from '../../../src/shared/contract/marks.ts';
import { traitsOf } from '../../../src/shared/markTraits.ts';
import { changeMasks, createBrushMark, findBrushMark } from '../../../src/web/draw/marks/masks/brushes.ts';
import { removeMarks } from '../../../src/web/draw/marks/removeMarks.ts';
import { changeMarkWords, findShape, keepMeasurement } from '../../../src/web/draw/marks/shapes/measurements.ts';
import { type MarkForm, masksOf, parseFrameKey, toMeasurement } from '../../../src/web/draw/marks/sync/markForm.ts';
import { findForm, listUids } from '../../../src/web/draw/marks/sync/markKind.ts';
import { createMarkUid } from '../../../src/web/draw/marks/sync/marks.ts';
import type { Page } from '../../../src/web/kit/state/page.ts';

/** The file of slide marks, by its name. */
export const SLIDE = 2;
/** Every kind on every kind of place. */
export const FORMS = MARK_KINDS.flatMap((kind) => traitsOf(kind).places.map((place) => ({ kind, place })));

/** How often something was written before, and the names of the files of this run by their indices. */
export type Writing = { readonly count: number; readonly order: readonly number[] };

export type MarkEdit =
  | { readonly do: 'create'; readonly form: (typeof FORMS)[number] }
  | { readonly do: 'label' | 'move' | 'delete'; readonly mark: number }
  | { readonly do: 'paint' | 'erase'; readonly mark: number; readonly slice: number };

export function editMarks(page: Page, one: MarkEdit, { count, order }: Writing): void {
  if (one.do === 'create') create(page, one.form, { count, order });
  else {
    const uid = listUids(page)[one.mark];
    const form = uid === undefined ? undefined : findForm(page, uid);
    if (uid === undefined || form === undefined) return;
    const item = findShape(page, uid);
    const mask = findBrushMark(page, uid);
    if (one.do === 'label') changeMarkWords(page, [uid], { label: labelOf(count) });
    else if (one.do === 'delete') removeMarks(page, [uid]);
    else if (one.do === 'move') {
      if (item === undefined || form.place.type === 'volume' || form.place.type === 'stack') return;
      const moved = toMeasurement(uid, { ...form, points: pointsOf(form.kind, count) });
      if (moved !== undefined) keepMeasurement(page, moved);
    } else if ((one.do === 'paint' || one.do === 'erase') && mask !== undefined) {
      const file = 'file_index' in form.place ? form.place.file_index : order.indexOf(one.slice);
      const key = mask.slide === undefined ? `${order.indexOf(one.slice)} 0` : `${file} ${one.slice}`;
      const known = mask.slices.get(key);
      const next =
        one.do === 'erase' ? null : addPixel(known, pixelOf(count, mask.slide === undefined ? 0 : one.slice));
      if (next !== null || known !== undefined) changeMasks(page, mask, new Map([[key, next]]));
    }
  }
}

function create(page: Page, { kind, place }: (typeof FORMS)[number], { count, order }: Writing): void {
  const words = { label: labelOf(count), class: null, text: '', comment: '', author: '', locked: false };
  const file = order.indexOf(place === 'slide' ? SLIDE : count % 2);
  if (kind === 'brush') {
    const slide = place === 'slide' ? { fileIndex: file, step: 1 } : undefined;
    const made = createBrushMark(page, slide);
    changeMasks(page, { ...made, words }, new Map([[`${file} 0`, pixelOf(count, 0)]]));
    return;
  }
  const form: MarkForm = { kind, ...words, ...geometryOf(kind, place, { file, count, order }) };
  const item = toMeasurement(createMarkUid(), form);
  if (item === undefined) throw new Error(`the page does not draw a ${kind} on a ${place}`);
  keepMeasurement(page, item);
}

function labelOf(count: number): string {
  return `label ${count}`;
}

/** Its first x has the number. */
function pointsOf(kind: MarkKind, count: number): number[][] {
  return Array.from({ length: traitsOf(kind).points[0] }, (_, n) => [1 + count + n * 0.25, 2 + n * n]);
}

type Made = { readonly file: number; readonly count: number; readonly order: readonly number[] };

function geometryOf(
  kind: MarkKind,
  type: MarkPlaceType,
  { file, count, order }: Made,
): Pick<MarkForm, 'place' | 'points' | 'slices'> {
  const at = { file_index: file, frame_index: 0 };
  const points = pointsOf(kind, count);
  const patient = { frame_of_reference_uid: '1.2.9', position: [count, 2, 3], orientation: [1, 0, 0, 0, 1, 0] };
  if (type === 'frame') return { place: { type, ...at }, points };
  if (type === 'slide') return { place: { type, file_index: file, focal_plane_um: null }, points };
  if (type === 'volume') return { place: { type, ...at, ...patient, size: [4, 5, 6] }, points: [] };
  if (type === 'plane') return { place: { type, ...at, ...patient, spacing: [1, 1], slab_mm: 0, time: 0 }, points };
  const [from, to] = [0, 1].map((of) => ({ file_index: order.indexOf(of), frame_index: 0 }));
  const slices = [from!, to!].map((slice) => ({ ...slice, points }));
  return {
    place: { type, from: from!, to: to! },
    points: [],
    slices: slices.toSorted((a, b) => a.file_index - b.file_index),
  };
}

/** One pixel in a tile, or in a frame of 200 columns. */
function pixelOf(count: number, tile: number): MarkMask {
  return { left: tile * MASK_TILE + (count % 100), top: Math.floor(count / 100), width: 1, height: 1, runs: [0, 1] };
}

function addPixel(known: MarkMask | undefined, pixel: MarkMask): MarkMask {
  const pixels = new Set([...(known === undefined ? [] : pixelsOf(known)), ...pixelsOf(pixel)]);
  const places = [...pixels].map((one) => one.split(' ').map(Number));
  const [left, top] = [Math.min(...places.map(([x]) => x!)), Math.min(...places.map(([, y]) => y!))];
  const width = Math.max(...places.map(([x]) => x!)) - left + 1;
  const height = Math.max(...places.map(([, y]) => y!)) - top + 1;
  const runs: number[] = [];
  let isIn = false;
  let run = 0;
  for (let at = 0; at < width * height; at += 1) {
    const bit = pixels.has(`${left + (at % width)} ${top + Math.floor(at / width)}`);
    if (bit !== isIn) {
      runs.push(run);
      run = 0;
      isIn = bit;
    }
    run += 1;
  }
  return { left, top, width, height, runs: [...runs, run] };
}

function pixelsOf({ left, top, width, runs }: MarkMask): readonly string[] {
  const pixels: string[] = [];
  let at = 0;
  for (const [n, run] of runs.entries()) {
    for (const end = at + run; at < end; at += 1) {
      if (n % 2 === 1) pixels.push(`${left + (at % width)} ${top + Math.floor(at / width)}`);
    }
  }
  return pixels;
}

/** What a mark says: its label, its geometry or its pixels, with names of files that are the same in each run. */
export function markTokens(
  form: Pick<MarkForm, 'kind' | 'place' | 'points' | 'slices' | 'label'>,
  order: readonly number[],
): readonly string[] {
  if (form.kind === 'brush') {
    const pixels = [...masksOf(form)].flatMap(([key, mask]) => {
      const { fileIndex, frame } = parseFrameKey(key);
      return pixelsOf(mask).map((pixel) => `pixel ${pixel} on ${order[fileIndex]}, ${frame}`);
    });
    return [form.label, ...pixels];
  }
  return [form.label, `${form.kind} ${geometryText(form, order)}`];
}

function geometryText(
  { place, points, slices = [] }: Pick<MarkForm, 'place' | 'points' | 'slices'>,
  order: readonly number[],
): string {
  const name = (file: number) => order[file];
  const where: MarkPlace =
    place.type === 'stack'
      ? {
          type: 'stack',
          from: { ...place.from, file_index: name(place.from.file_index)! },
          to: { ...place.to, file_index: name(place.to.file_index)! },
        }
      : { ...place, file_index: name(place.file_index)! };
  const outlines = slices.map(({ file_index, ...slice }) => ({ file: name(file_index), ...slice }));
  return JSON.stringify([where, points, outlines.toSorted((a, b) => (a.file ?? 0) - (b.file ?? 0))]);
}

export function listForms(page: Page): readonly (MarkForm & { readonly uid: string })[] {
  return listUids(page).flatMap((uid) => {
    const form = findForm(page, uid);
    return form === undefined ? [] : [{ ...form, uid }];
  });
}

export function marksText(
  marks: readonly (Parameters<typeof markTokens>[0] & { readonly uid: string })[],
  order: readonly number[],
): string {
  return JSON.stringify(
    marks.map((one) => [one.uid, markTokens(one, order).toSorted()]).toSorted(([a], [b]) => (a! < b! ? -1 : 1)),
  );
}
