import { MEASURE_TOOLS } from '../../../kit/state/tools.ts';
import type { Measurement } from './measurement.ts';
import type { MeasureState } from './measurements.ts';

type Kept = Pick<MeasureState, 'items' | 'nextId'>;

/** Stores the start of the server, because file indices are valid only within one run of it. */
export function formatKept(items: Kept['items'], serverStartMs: number): string {
  return JSON.stringify({ serverStartMs, items });
}

/** Undefined if the text is from another run or has another form. */
export function parseKept(text: string | undefined, serverStartMs: number): Kept | undefined {
  const kept = parseJson(text);
  if (!isRecord(kept) || kept['serverStartMs'] !== serverStartMs || !Array.isArray(kept['items'])) return undefined;
  const items = kept['items'].filter(isMeasurement);
  return { items, nextId: Math.max(0, ...items.map(({ id }) => id)) + 1 };
}

function parseJson(text: string | undefined): unknown {
  try {
    return JSON.parse(text ?? 'null');
  } catch {
    return undefined;
  }
}

function isMeasurement(value: unknown): value is Measurement {
  return (
    isRecord(value) &&
    [value['id'], value['fileIndex'], value['frame']].every(Number.isInteger) &&
    MEASURE_TOOLS.some((tool) => tool === value['kind']) &&
    Array.isArray(value['points']) &&
    value['points'].every((point) => isRecord(point) && Number.isFinite(point['x']) && Number.isFinite(point['y']))
  );
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}
