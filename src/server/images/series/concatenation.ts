import type { ConcatenationPart } from '../catalog/placement.ts';
import type { DicomFile } from '../catalog/dicomFile.ts';
import type { StackWarning } from './stack.ts';
import { listSome } from './warningTexts.ts';

/** A file that is one part of an object split into several. */
export type Part = DicomFile & { readonly placement: { readonly concatenation: ConcatenationPart } };

export function isPart(file: DicomFile): file is Part {
  return file.placement?.concatenation !== undefined;
}

/** Orders by frame offset, else by part number; `parts` are sorted by index. */
export function orderParts(parts: readonly Part[]): Part[] {
  return parts.toSorted((a, b) => placeOf(a) - placeOf(b));
}

function placeOf({ placement: { concatenation } }: Part): number {
  return concatenation.frameOffset ?? concatenation.number ?? 0;
}

/** Reports missing parts. `parts` are in their order. */
export function inspectConcatenation(parts: readonly Part[]): StackWarning[] {
  const message = describeMissing(parts);
  if (message === undefined) return [];
  const fileIndices = parts.map(({ index }) => index).toSorted((a, b) => a - b);
  return [{ code: 'incomplete_concatenation', message, fileIndices }];
}

function describeMissing(parts: readonly Part[]): string | undefined {
  const numbers = new Set(parts.map(({ placement }) => placement.concatenation.number));
  const totals = parts.flatMap(({ placement }) => placement.concatenation.total ?? []);
  const known = [...numbers].flatMap((number) => number ?? []);
  const total = Math.min(Math.max(0, ...totals, ...known), MOST_PARTS);
  const missing = Array.from({ length: total }, (_, at) => at + 1).filter((number) => !numbers.has(number));
  if (missing.length > 0 && known.length > 0) return `of ${total} parts, these are missing: ${listSome(missing)}`;
  return describeMissingFrames(parts);
}

/** In-concatenation Total Number is an unsigned short. */
const MOST_PARTS = 65_535;

/** If the part numbers show nothing missing, the frames may: each part starts where the previous one ends. */
function describeMissingFrames(parts: readonly Part[]): string | undefined {
  let next = 0;
  for (const { placement, frameCount } of parts) {
    const { frameOffset } = placement.concatenation;
    if (frameOffset === undefined) return undefined;
    if (frameOffset > next) return `frames ${next + 1} to ${frameOffset} of the concatenation are missing`;
    next = Math.max(next, frameOffset + frameCount);
  }
  return undefined;
}
