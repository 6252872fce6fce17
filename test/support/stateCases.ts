import { readFileSync } from 'node:fs';
import type { DataSetInput, ElementInput } from '../../src/server/standard/dicom/dataSetInput.ts';

/** Cases of presentation states for which makeStates.py records answers. */
export type StateCases = {
  readonly images: Readonly<Record<string, CaseImage>>;
  readonly states: Readonly<
    Record<string, { readonly image: string; readonly class?: string; readonly elements: CaseElements }>
  >;
  /** Of all blends. */
  readonly palette: CaseElements;
  readonly blends: Readonly<
    Record<string, { readonly opacity: number; readonly under: CaseElements; readonly over: CaseElements }>
  >;
  readonly compounds: readonly CaseElements[];
  readonly canvas: readonly [width: number, height: number];
  readonly areaImage: readonly [width: number, height: number];
  readonly areas: readonly CaseElements[];
};

type Ramp = readonly [count: number, start: number, step: number, modulo: number, shift: number];
type CaseValue =
  | string
  | number
  | readonly (string | number)[]
  | readonly CaseElements[]
  | { readonly ramp: Ramp }
  | { readonly vr: string; readonly bytes: readonly number[] }
  | { readonly vr: string; readonly value: string | number | readonly number[] };
type CaseElements = { readonly [keyword: string]: CaseValue };
type CaseImage = { readonly samples: { readonly ramp: Ramp }; readonly elements: CaseElements };

export const STATE_CASES: StateCases = JSON.parse(
  readFileSync(new URL('../pixels/stateCases.json', import.meta.url), 'utf8'),
);

/** The elements of a case, as they are written. */
export function toElements(elements: CaseElements): DataSetInput {
  return Object.fromEntries(Object.entries(elements).map(([keyword, value]) => [keyword, toElement(value)]));
}

function toElement(value: CaseValue): ElementInput {
  if (typeof value !== 'object') return value;
  if (isItems(value)) return value.map(toElements);
  if ('ramp' in value) return expand(value.ramp);
  return 'bytes' in value ? { vr: value.vr, value: Uint8Array.from(value.bytes) } : value;
}

function isItems(value: CaseValue): value is readonly CaseElements[] {
  return Array.isArray(value) && typeof value[0] === 'object';
}

function expand([count, start, step, modulo, shift]: Ramp): Uint16Array {
  return Uint16Array.from({ length: count }, (_, at) => ((start + at * step) % modulo) >> shift);
}

export function samplesOfCase(name: string): Uint16Array {
  return expand(STATE_CASES.images[name]!.samples.ramp);
}

/** An image of a case, without what identifies it. */
export function imageOfCase(name: string): DataSetInput {
  const { elements } = STATE_CASES.images[name]!;
  return { SamplesPerPixel: 1, ...toElements(elements), PixelData: samplesOfCase(name) };
}
