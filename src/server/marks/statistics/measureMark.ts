import { ViewerError } from '../../../shared/contract/errors.ts';
import { formatFrameDamage } from '../../../shared/frameDamage.ts';
import { ValueTally } from '../../../shared/regionStatistics.ts';
import { type Line, toRealWorld } from '../../../shared/valueMapping.ts';
import type { ImageFiles } from '../../pixels/imageFiles.ts';
import { loadSlices } from '../../volumes/loadSlices.ts';
import type { TaskContext } from '../../workers/serveTasks.ts';
import { listCovered } from '../volumes/drawMarks.ts';
import type { MeasuredMark, MeasureMarkInput } from './statisticsTasks.ts';

const SAME: Line = { slope: 1, intercept: 0 };

/** Implements `measureMarkTask`. A frame that is damaged ends it: the numbers could not say so. */
export async function measureMark(
  images: ImageFiles,
  { mark, rows, columns, frames, line }: MeasureMarkInput,
  context: TaskContext,
): Promise<MeasuredMark> {
  const buffer = new SharedArrayBuffer(rows * columns * Float64Array.BYTES_PER_ELEMENT);
  const values = new Float64Array(buffer);
  const covered = new Map(
    Array.from(listCovered(mark, { rows, columns }), (one) => [`${one.file} ${one.frame}`, one.cover] as const),
  );
  const tally = new ValueTally();
  const pixels: number[] = [];
  for (const { file, frame, source, mapping } of frames) {
    const cover = covered.get(`${file} ${frame}`);
    let inside = 0;
    cover?.((_, first, end) => (inside += end - first));
    pixels.push(inside);
    if (inside === 0) continue;
    const input = { storage: 'float64', isModality: true, rows, columns, buffer } as const;
    const slices = [{ place: 0, source, frame }];
    const toValue = mapping && toRealWorld(mapping);
    const [loaded] = await loadSlices(images, { ...input, slices }, context, toValue);
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
  return { statistics: tally.statistics(), pixels };
}
