import { fetchVolumeRegion } from '../../../kit/api/volumes.ts';
import type { Page } from '../../../kit/state/page.ts';
import { wait } from '../../../kit/state/wait.ts';
import type { BrushMark } from '../masks/brushes.ts';
import { frameKey } from '../sync/markForm.ts';
import { loadTargetVolume, masksAt, type MaskTarget } from './maskTarget.ts';
import { planWork, toKeys } from './planMask.ts';
import type { PlanMask } from './proposals.ts';

/** The range is at rest when it has not changed for so long. */
const REST_MS = 200;

type Start = {
  /** A pixel of the picture. */
  readonly seed: readonly [column: number, row: number];
  /** The same region on the picture alone, which is there at once. */
  readonly inPicture: PlanMask;
};

/** Grows a region through the volume, which the server has in memory. Until it is there, the region of the picture is shown. */
export function planRegionVolume(
  page: Page,
  target: MaskTarget,
  mark: BrushMark,
  { seed: [column, row], inPicture }: Start,
): PlanMask {
  return async (settings, options) => {
    const { signal, show } = options;
    const own = await inPicture(settings, options);
    if (own === undefined || signal.aborted) return undefined;
    show({ ...own, text: `${own.text} In this image; the volume follows…` });
    await wait(REST_MS, signal);
    if (signal.aborted) return undefined;

    const { ground } = target;
    const { volume, keys, time } = await loadTargetVolume(page, target);
    const sample = ground.sampleAt(column, row);
    const place = sample === undefined ? -1 : keys.indexOf(frameKey(sample.frame));
    if (sample === undefined || place < 0) throw new Error('This place is outside of the volume');
    if (!ground.isCut && volume.isRealWorld) {
      throw new Error('The volume has other values than this image. Grow the region on a plane of it.');
    }
    // Doses have other values in their stored frames.
    const scale = ground.isCut ? 1 : volume.toFrameValue;
    const { slices, voxels } = await fetchVolumeRegion(
      volume.address,
      { seed: [place, sample.row, sample.column], low: settings.low / scale, high: settings.high / scale, time },
      signal,
    );
    if (signal.aborted) return undefined;
    if (voxels === 0) throw new Error('The voxel at this place has a value outside of the range');
    const found = new Map(
      slices.map(({ file_index: fileIndex, frame_index: frame, mask }) => [frameKey({ fileIndex, frame }), mask]),
    );
    const { rows, columns, rowSpacingMm, columnSpacingMm, positionsMm } = volume.table;
    const job = {
      columns,
      rows,
      spacing: { column: columnSpacingMm, row: rowSpacingMm, positions: positionsMm },
      masks: masksAt(mark, keys),
      work: { kind: 'unite', others: keys.map((key) => found.get(key)) } as const,
    };
    return planWork(page, job, { signal, noun: 'voxels', toChanges: (changed) => toKeys(changed, keys) });
  };
}
