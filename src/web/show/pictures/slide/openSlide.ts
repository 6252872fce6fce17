import { asError } from '../../../../shared/asError.ts';
import type { WsiContextResponse } from '../../../../shared/contract/wsi.ts';
import type { FrameAddress } from '../../../kit/api/frames.ts';
import { fetchSlideContext, fetchSlideTiles } from '../../../kit/api/slides.ts';
import { findFile } from '../../../kit/state/library.ts';
import type { Page } from '../../../kit/state/page.ts';
import type { PictureChoice } from '../../../kit/state/shownTiles.ts';
import { buildLevelTiles, type LevelTiles } from './levelTiles.ts';
import { buildSlide, type Slide } from './slide.ts';
import { readSlideWindows, type SlideWindows } from './slideWindow.ts';

/** A slide whose levels are read on demand. */
export interface OpenSlide {
  readonly slide: Slide;
  /** The picture that contains the frame from which the slide was opened. */
  readonly first: PictureChoice;
  hasFile(fileIndex: number): boolean;
  tilesOf(level: number): LevelTiles | undefined;
  /** Starts reading the tile positions of these levels if they are not known. */
  need(levels: readonly number[]): void;
  /** Windows that fit a gray picture. Undefined until they are read; the call starts the reading. */
  windowsOf(choice: PictureChoice): SlideWindows | undefined;
  /** The reason why something could not be read. */
  findError(): Error | undefined;
  retry(): void;
  close(): void;
}

/** Number of tiles from which the range of values of a picture is determined. */
const MOST_WINDOW_TILES = 9;

/** Undefined if nothing declares the positions of the tiles. */
export async function openSlide(
  page: Page,
  address: FrameAddress,
  { signal, onChange }: { readonly signal: AbortSignal; readonly onChange: () => void },
): Promise<OpenSlide | undefined> {
  const context = await fetchSlideContext(address, signal);
  const file = findFile(page, context.pyramid_levels[0]?.file_indices[0]) ?? findFile(page, address.fileIndex);
  const slide = file && buildSlide(context, file);
  if (slide === undefined) return undefined;
  const ended = new AbortController();
  const reading = AbortSignal.any([signal, ended.signal]);
  const levels = new Map<number, LevelTiles>();
  const windows = new Map<string, SlideWindows>();
  /** Reads that are in flight or have failed are not started again. */
  const begun = new Set<string>();
  let error: Error | undefined;

  const begin = async (what: string, read: () => Promise<void>) => {
    if (begun.has(what)) return;
    begun.add(what);
    try {
      await read();
    } catch (thrown) {
      if (reading.aborted) return;
      error = asError(thrown);
    }
    if (!reading.aborted) onChange();
  };

  const readLevel = async (level: number) => {
    const shape = slide.levels[level];
    if (shape === undefined) return;
    const answers = await Promise.all(shape.fileIndices.map((index) => fetchSlideTiles(index, reading)));
    levels.set(level, buildLevelTiles(shape, answers));
  };

  const readWindows = async (choice: PictureChoice) => {
    const { width, height } = slide.levels[slide.backing] ?? slide.image;
    const all = levels.get(slide.backing)?.find({ x: 0, y: 0, width, height }, choice) ?? [];
    windows.set(choice.path, await readSlideWindows(spread(all, MOST_WINDOW_TILES), reading));
  };

  return {
    slide,
    first: firstChoice(context),
    hasFile: (fileIndex) => slide.levels.some(({ fileIndices }) => fileIndices.includes(fileIndex)),
    tilesOf: (level) => levels.get(level),
    need(wanted) {
      for (const level of wanted) if (!levels.has(level)) void begin(`level ${level}`, () => readLevel(level));
    },
    windowsOf(choice) {
      const known = windows.get(choice.path);
      if (known === undefined && levels.has(slide.backing)) {
        void begin(`windows ${choice.path}`, () => readWindows(choice));
      }
      return known;
    },
    findError: () => error,
    retry() {
      if (error === undefined) return;
      error = undefined;
      begun.clear();
      onChange();
    },
    close: () => ended.abort(),
  };
}

function firstChoice({ optical_path, focal_plane }: WsiContextResponse): PictureChoice {
  return {
    path: optical_path?.identifier ?? `#${optical_path?.index ?? 0}`,
    planeUm: focal_plane?.z_offset_slide ?? undefined,
    planeIndex: focal_plane?.index ?? 0,
  };
}

/** At most `most` items, evenly distributed. */
function spread<T>(items: readonly T[], most: number): T[] {
  const step = Math.max(1, items.length / most);
  return items.filter((_, at) => Math.floor(at / step) !== Math.floor((at - 1) / step));
}
