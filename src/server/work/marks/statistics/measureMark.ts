import { ViewerError } from '../../../../shared/contract/errors.ts';
import { formatFrameDamage } from '../../../../shared/frameDamage.ts';
import { toArea } from '../../../../shared/markMeasures.ts';
import type { Outline } from '../../../../shared/markSlices.ts';
import { ValueTally } from '../../../../shared/regionStatistics.ts';
import type { Line } from '../../../../shared/valueMapping.ts';
import type { ImageFiles } from '../../../images/pixels/imageFiles.ts';
import { loadSlices } from '../../../images/volumes/loadSlices.ts';
import type { TaskContext } from '../../../machine/workers/serveTasks.ts';
import { drawnVolumeMl } from '../formats/drawnVolume.ts';
import { caveatsOfOutline, cornersOfMask, measureOutline, scaleOfMark } from '../formats/formatShapes.ts';
import { listFrameOutlines } from '../formats/frameOutlines.ts';
import { listCovered } from '../volumes/drawMarks.ts';
import type { MarkToDraw } from '../volumes/markVolumeTasks.ts';
import type { MeasuredMark, MeasureMarkInput } from './statisticsTasks.ts';

const SAME: Line = { slope: 1, intercept: 0 };

/** Implements `measureMarkTask`. A frame that is damaged ends it: the numbers could not say so. */
export async function measureMark(
  images: ImageFiles,
  { mark, rows, columns, frames, first: firstPlace, line }: MeasureMarkInput,
  context: TaskContext,
): Promise<MeasuredMark> {
  const buffer = new SharedArrayBuffer(rows * columns * Float64Array.BYTES_PER_ELEMENT);
  const values = new Float64Array(buffer);
  const covered = new Map(
    Array.from(listCovered(mark, { rows, columns }), (one) => [`${one.file} ${one.frame}`, one.cover] as const),
  );
  const tally = new ValueTally();
  const pixels: number[] = [];
  let [pixelsAreaMm2, pixelsVolumeMl] = [0, 0];
  for (const [n, { file, frame, source, mapping }] of frames.entries()) {
    const cover = covered.get(`${file} ${frame}`);
    let inside = 0;
    cover?.((_, first, end) => (inside += end - first));
    pixels.push(inside);
    if (inside === 0) continue;
    const { areaMm2, depthMm } = pixelAt(mark, firstPlace + n);
    pixelsAreaMm2 += inside * areaMm2;
    pixelsVolumeMl += (inside * areaMm2 * depthMm) / 1_000;
    const input = { storage: 'float64', isModality: true, rows, columns, buffer } as const;
    const slices = [{ place: 0, source, frame, mapping }];
    const [loaded] = await loadSlices(images, { ...input, slices }, context);
    const { failure, damage } = loaded ?? {};
    if (failure !== undefined) throw new ViewerError(failure.code, failure.message);
    if (damage !== undefined) {
      const message = `frame ${frame} of file ${file} is damaged: ${formatFrameDamage(damage)}`;
      throw new ViewerError('pixel_decode_failed', message);
    }
    const { slope, intercept } = mapping === undefined ? line : SAME;
    cover?.((row, first, end) => {
      for (let at = row * columns + first; at < row * columns + end; at += 1) {
        tally.add(values[at]! * slope + intercept);
      }
    });
  }
  const drawn =
    firstPlace === 0
      ? { areaMm2: drawnAreaMm2(mark), volumeMl: drawnVolumeMl(mark), caveats: listCaveats(mark) }
      : { caveats: [] };
  return { statistics: tally.statistics(), pixels, pixelsAreaMm2, pixelsVolumeMl, ...drawn };
}

/** What must be said about its sizes as drawn, once for all of its outlines. */
function listCaveats(mark: MarkToDraw): readonly string[] {
  const caveats = new Set<string>();
  for (const { points, mask } of listFrameOutlines(mark)) {
    if (mask === undefined) for (const one of caveatsOfOutline(mark.content.kind, points)) caveats.add(one);
  }
  return [...caveats];
}

/** Of a mark on one frame. */
function drawnAreaMm2(mark: MarkToDraw): number | undefined {
  const { kind, place, points } = mark.content;
  if (place.type !== 'frame') return undefined;
  const { scale } = scaleOfMark(mark, 0, points);
  return measureOutline(kind, points, scale).find(({ unit }) => unit === 'mm²')?.value;
}

/** Size and depth of the pixels of a frame that the mark is on. */
function pixelAt(mark: MarkToDraw, at: number): { readonly areaMm2: number; readonly depthMm: number } {
  const { scale, depthMm } = scaleOfMark(mark, at, outlineOn(mark, at));
  return { areaMm2: scale.unit === 'mm' ? toArea(1, scale).value : NaN, depthMm };
}

/** The outline, or the corners of the mask, that a mark has on one of its frames. */
function outlineOn(mark: MarkToDraw, wanted: number): Outline {
  // Only parts of ultrasound images have scales that depend on it.
  if (mark.regions.length === 0) return [];
  for (const { at, points, mask } of listFrameOutlines(mark)) {
    if (at === wanted) return mask === undefined ? points : cornersOfMask(mask);
  }
  return [];
}
