import type { FileRecord } from '../../../../shared/contract/files.ts';
import { describeFrameDamage, isDamagedRow } from '../../../../shared/frameDamage.ts';
import type { Reading } from '../../../../shared/valueMapping.ts';
import { isGray, MOST_RAW_PIXELS } from '../../../../shared/rawFrames.ts';
import type { FrameLoader, FrameWish } from '../../../show/pictures/frameLoader.ts';
import type { LoadedFrame } from '../../../show/pictures/loadedFrame.ts';
import { probeFrame } from '../../../show/pictures/probeFrame.ts';
import type { FramePlace, MeasuredValues } from './measurement.ts';
import type { Region } from '../../../../shared/region.ts';
import { gatherStatistics } from '../../../../shared/regionStatistics.ts';
import { runInSlices } from '../../../kit/ui/runInSlices.ts';

/** Up to this number of pixels, samples are fetched for a measurement even if the picture is shown without them. */
const MOST_MEASURED_PIXELS = 4 * MOST_RAW_PIXELS;

export type ValuesRequest = {
  readonly loader: FrameLoader;
  readonly file: FileRecord;
  readonly frame: number;
  readonly region: Region;
  /** Undefined until it is known; an error if it cannot be determined. */
  readonly reading: Reading | Error | undefined;
  readonly isWanted: () => boolean;
};

/** Undefined while the samples or their meaning are missing. */
export async function measureValues(request: ValuesRequest): Promise<MeasuredValues | undefined> {
  const { loader, file, frame, region, reading, isWanted } = request;
  if (!isGray(sampleShapeOf(file))) return findColor(loader, { fileIndex: file.index, frame }, region);
  const tooLarge = refuseLarge(file);
  if (tooLarge !== undefined) return tooLarge;
  if (reading instanceof Error) return { kind: 'none', reason: reading.message };
  const outcome = loader.find(rawWish({ fileIndex: file.index, frame }));
  if (outcome?.status === 'failed') return { kind: 'none', reason: outcome.error.message };
  if (outcome?.value.kind !== 'gray' || reading === undefined) return undefined;
  const damaged = refuseDamaged(outcome.value, region);
  if (damaged !== undefined) return damaged;
  const statistics = await runInSlices(gatherStatistics(outcome.value, region, reading.toValue), isWanted);
  return statistics && { kind: 'numbers', statistics, unit: reading.unit, origin: reading.origin };
}

/** What is said instead of the values of a large image. */
export function refuseLarge({ rows, columns }: FileRecord): MeasuredValues | undefined {
  const pixels = rows * columns;
  if (pixels <= MOST_MEASURED_PIXELS) return undefined;
  const reason = `an image of ${Math.round(pixels / 1e6)} million pixels is too large to measure values`;
  return { kind: 'none', reason };
}

export function rawWish({ fileIndex, frame }: FramePlace): FrameWish {
  return { fileIndex, frame, form: { kind: 'raw' } };
}

/** Whether the samples are fetched for display anyway. */
export function areSamplesShown(file: FileRecord): boolean {
  return !isGray(sampleShapeOf(file)) || file.rows * file.columns <= MOST_RAW_PIXELS;
}

export function sampleShapeOf({ rows, columns, photometric_interpretation: photometricInterpretation }: FileRecord) {
  return { rows, columns, photometricInterpretation, aspect: 1 };
}

/** Refuses to measure pixels that a decoder had to invent. */
function refuseDamaged({ damage, rows, columns }: LoadedFrame, region: Pick<Region, 'from' | 'to'>) {
  if (damage === undefined) return undefined;
  const lastRow = Math.min(rows, Math.ceil(region.to.y)) - 1;
  const isOutside = lastRow < 0 || region.from.y >= rows || region.from.x >= columns || region.to.x <= 0;
  if (isOutside || !isDamagedRow(damage, lastRow)) return undefined;
  return {
    kind: 'none',
    reason: `${describeFrameDamage(damage).toLowerCase()}, and the region overlaps that part`,
  } as const;
}

/** Only for a single pixel, because a mean of colors is not meaningful. */
function findColor(loader: FrameLoader, place: FramePlace, { shape, from, to }: Region): MeasuredValues | undefined {
  if (shape !== 'rectangle' || to.x - from.x !== 1 || to.y - from.y !== 1) return { kind: 'color', rgb: undefined };
  const shown = loader.find({ ...place, form: { kind: 'picture', choice: { kind: 'default' } } });
  if (shown?.status !== 'ready') return undefined;
  const damaged = refuseDamaged(shown.value, { from, to });
  if (damaged !== undefined) return damaged;
  const stored = probeFrame(shown.value, { x: from.x + 0.5, y: from.y + 0.5 })?.stored;
  return { kind: 'color', rgb: typeof stored === 'number' ? undefined : stored };
}
