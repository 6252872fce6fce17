import { samplePositions } from '../../../shared/chooseStackWindow.ts';
import { type DeclaredVoi, isValidWindow } from '../../../shared/chooseVoi.ts';
import { RT_DOSE_STORAGE } from '../../../shared/contract/layers.ts';
import type { Catalog } from '../catalog/catalog.ts';
import type { FrameOptions, Frames } from '../pixels/frames.ts';
import { sampleStackWindow } from '../series/sampleStack.ts';
import type { SeriesList } from '../series/seriesList.ts';
import { createSharedWork } from '../../machine/workers/sharedWork.ts';
import type { KnownVolume } from './volumeMemory.ts';

/** The window of volumes whose images declare none: that of their stack, so that all planes have the same. */
export interface VolumeWindows {
  find(volume: KnownVolume, options: FrameOptions): Promise<DeclaredVoi>;
}

export type VolumeWindowsContext = {
  readonly catalog: Pick<Catalog, 'files'>;
  readonly series: Pick<SeriesList, 'findStack'>;
  readonly frames: Pick<Frames, 'percentiles'>;
};

/** Volumes whose window is remembered; of more it is looked for again. */
const MOST_REMEMBERED = 256;

export function createVolumeWindows({ catalog, series, frames }: VolumeWindowsContext): VolumeWindows {
  const known = new Map<string, DeclaredVoi>();
  const shared = createSharedWork<DeclaredVoi>();

  /** The images that the page takes for the window of the stack, in the same order. */
  async function choose({ fileIndices, frameIndices, sample }: KnownVolume, options: FrameOptions) {
    const stack = await series.findStack(fileIndices[0]!, frameIndices[0]);
    const all = stack === undefined || stack.kind === 'too_many_frames' ? { fileIndices, frameIndices } : stack;
    const count = all.fileIndices.length;
    const sampled = samplePositions(count).map((at) => ({
      fileIndex: all.fileIndices[at]!,
      frame: all.frameIndices[at]!,
    }));
    const { suvFactor } = sample;
    const window = await sampleStackWindow({ catalog, frames }, { sampled, count, suvFactor }, options);
    return window === undefined ? sample.voi : { ...sample.voi, windows: [window] };
  }

  return {
    async find(volume, options) {
      const { voi } = volume.sample;
      const scale = findScale(volume);
      const isDeclared = voi.windows.some(isValidWindow) || voi.tables.length > 0;
      // Of a volume that its user fills, there are no images to look at.
      if (isDeclared || volume.fill !== undefined) return toVolume(toMapped(voi, volume), scale);
      const remembered = known.get(volume.key);
      const found =
        remembered ??
        (await shared.join(volume.key, options.signal, (signal) => choose(volume, { ...options, signal })));
      known.delete(volume.key);
      known.set(volume.key, found);
      const [oldest] = known.keys();
      if (known.size > MOST_REMEMBERED && oldest !== undefined) known.delete(oldest);
      return toVolume(toMapped(found, volume), scale);
    },
  };

  /** The windows of a dose are in the stored values of its frames, and the samples of its volume in Gray. */
  function findScale({ fileIndices, sample }: KnownVolume): number {
    const isDose = catalog.files[fileIndices[0] ?? -1]?.sopClassUid === RT_DOSE_STORAGE;
    return isDose ? (sample.rescale?.slope ?? 1) : 1;
  }
}

/** The windows of images are in modality values, and the samples of a mapped volume are not. */
function toMapped(voi: DeclaredVoi, { mappings }: KnownVolume): DeclaredVoi {
  if (mappings === undefined) return voi;
  const windows = voi.windows.flatMap(({ center, width }) => {
    const ends = [center - width / 2, center + width / 2].map(mappings.ofModality);
    const [low = NaN, high = NaN] = ends;
    const mapped = { center: (low + high) / 2, width: Math.abs(high - low) };
    return isValidWindow(mapped) ? [mapped] : [];
  });
  return { ...voi, windows, tables: [] };
}

function toVolume(voi: DeclaredVoi, scale: number): DeclaredVoi {
  if (scale === 1) return voi;
  return {
    ...voi,
    windows: voi.windows.map(({ center, width }) => ({ center: center * scale, width: width * scale })),
  };
}
