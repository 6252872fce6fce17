import type { DicomFile } from '../../images/catalog/dicomFile.ts';
import { stateOf } from '../../bytes/origins/origins.ts';
import type { FrameOptions, WindowQuery } from '../../images/pixels/frames.ts';
import type { KeyFrame, KeyStack } from '../../images/series/keyFrames.ts';
import { sampleStackWindow } from '../../images/series/sampleStack.ts';
import { ignoreRefusal } from '../../machine/workers/passingFailure.ts';
import { findPeakTask } from './sheetTasks.ts';
import type { SheetOver } from './sheetLayers.ts';
import { type FindWindow, type PlannedTile, planFrame, type TileContext } from './sheetTile.ts';

/** How gray values become brightness: as the page would choose, as each file says, or as the request says. */
export type SheetWindow = 'auto' | 'file' | { readonly center: number; readonly width: number };

/** Size of the pictures that the peak of a cine is found in. */
const PEAK_SIZE = 64;
/** Peaks that are remembered: a number each. */
const MOST_PEAKS = 4_096;

export type StackTiles = {
  /** The key frames of a stack. */
  plan(stack: KeyStack, window: SheetWindow, over: SheetOver, options: FrameOptions): Promise<PlannedTile[]>;
  /** The window of the pictures of a stack; the same function gives it once. */
  windowOf(stack: Pick<KeyStack, 'sampled' | 'length'>, window: SheetWindow): FindWindow;
};

export function createStackTiles(context: TileContext): StackTiles {
  const { catalog, frames, semantics, tasks } = context;
  const peaks = new Map<string, number>();

  /** The image of a PET series tells how to convert its values, as for the page. */
  async function findSuv(file: DicomFile, frame: number, { signal }: FrameOptions): Promise<number | undefined> {
    if (file.modality !== 'PT') return undefined;
    const values = await semantics.values(file, frame, { signal }).catch(ignoreRefusal);
    const suv = values?.pet?.suv;
    return suv !== undefined && 'factor' in suv ? suv.factor : undefined;
  }

  async function chooseWindow(
    { sampled, length }: Pick<KeyStack, 'sampled' | 'length'>,
    options: FrameOptions,
  ): Promise<WindowQuery> {
    const [first] = sampled;
    const file = first && catalog.files[first.fileIndex];
    const isGray = file?.photometricInterpretation.startsWith('MONOCHROME') === true;
    if (first === undefined || !isGray || length < 2 || file.defaultWindow !== undefined) return {};
    const suvFactor = await findSuv(file, first.frame, options);
    const window = await sampleStackWindow({ catalog, frames }, { sampled, count: length, suvFactor }, options);
    return window === undefined || window.hasOwnVoi ? {} : { wc: window.center, ww: window.width };
  }

  function windowOf(stack: Pick<KeyStack, 'sampled' | 'length'>, window: SheetWindow): FindWindow {
    if (window === 'file') return async () => ({});
    if (window !== 'auto') return async () => ({ wc: window.center, ww: window.width });
    let found: Promise<WindowQuery> | undefined;
    return (options) => (found ??= chooseWindow(stack, options));
  }

  /** The frame that differs most from the first one, such as the one with most contrast agent. */
  async function findPeak(first: KeyFrame, candidates: readonly KeyFrame[], options: FrameOptions): Promise<number> {
    const all = [first, ...candidates];
    const file = catalog.files[first.fileIndex]!;
    const key = [await stateOf(file.source), ...all.map(({ fileIndex, frame }) => `${fileIndex}/${frame}`)].join(' ');
    const known = peaks.get(key);
    if (known !== undefined) return known;
    const pictures: Uint8Array[] = [];
    const places: number[] = [];
    for (const [at, { fileIndex, frame }] of all.entries()) {
      const one = await frames
        .thumbnail(catalog.files[fileIndex]!, frame, { size: PEAK_SIZE }, options)
        .catch(ignoreRefusal);
      if (one === undefined) continue;
      pictures.push(one.bytes);
      places.push(at - 1);
    }
    // Without the first one there is nothing to compare with.
    const isKnown = places[0] === -1 && pictures.length > 1;
    const { signal, priority = 'prefetch' } = options;
    const found = isKnown ? await tasks.run(findPeakTask, pictures, { signal, priority }) : 0;
    const peak = isKnown ? places[found]! : candidates.length >> 1;
    const [oldest] = peaks.keys();
    if (peaks.size >= MOST_PEAKS && oldest !== undefined) peaks.delete(oldest);
    peaks.set(key, peak);
    return peak;
  }

  return {
    windowOf,
    async plan(stack, window, over, options) {
      const findWindow = windowOf(stack, window);
      const [first] = stack.frames;
      const peak =
        first === undefined || stack.peaks.length === 0
          ? []
          : [stack.peaks[await findPeak(first, stack.peaks, options)] ?? first];
      return [...stack.frames, ...peak].flatMap(({ fileIndex, frame }) => {
        const file = catalog.files[fileIndex];
        return file === undefined ? [] : [planFrame(context, file, { frame, findWindow, over })];
      });
    },
  };
}
