import type { WsiContextResponse } from '../../shared/contract/wsi.ts';
import type { FrameAddress } from '../api/frames.ts';
import { fetchSlideContext, fetchSlideTiles } from '../api/slides.ts';
import { findFile } from '../state/library.ts';
import type { PictureChoice } from '../state/shownTiles.ts';
import { buildLevelTiles, type LevelTiles } from './levelTiles.ts';
import { buildSlide, type Slide } from './slide.ts';
import { readSlideWindows, type SlideWindows } from './slideWindow.ts';

/** A slide whose levels are read as they are needed. */
export interface OpenSlide {
  readonly slide: Slide;
  /** The picture that the frame by which it was opened is part of. */
  readonly first: PictureChoice;
  hasFile(fileIndex: number): boolean;
  tilesOf(level: number): LevelTiles | undefined;
  /** Begins to read where the tiles of these levels lie, if that is not known. */
  need(levels: readonly number[]): void;
  /** Windows that fit a gray picture; undefined until they are read, which this begins. */
  windowsOf(choice: PictureChoice): SlideWindows | undefined;
  /** Why something of it could not be read. */
  findError(): Error | undefined;
  retry(): void;
  close(): void;
}

/** Tiles that tell the range of values of a picture. */
const MOST_WINDOW_TILES = 9;

/** Undefined for tiles of which nothing says where they lie. */
export async function openSlide(
  address: FrameAddress,
  { signal, onChange }: { readonly signal: AbortSignal; readonly onChange: () => void },
): Promise<OpenSlide | undefined> {
  const context = await fetchSlideContext(address, signal);
  const file = findFile(context.pyramid_levels[0]?.file_indices[0]) ?? findFile(address.fileIndex);
  const slide = file && buildSlide(context, file);
  if (slide === undefined) return undefined;
  const ended = new AbortController();
  const reading = AbortSignal.any([signal, ended.signal]);
  const levels = new Map<number, LevelTiles>();
  const windows = new Map<string, SlideWindows>();
  /** What is on its way or has failed is not begun again. */
  const begun = new Set<string>();
  let error: Error | undefined;

  const begin = async (what: string, read: () => Promise<void>) => {
    if (begun.has(what)) return;
    begun.add(what);
    try {
      await read();
    } catch (thrown) {
      if (reading.aborted) return;
      error = thrown instanceof Error ? thrown : new Error(String(thrown));
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

/** So many of them, evenly. */
function spread<T>(items: readonly T[], most: number): T[] {
  const step = Math.max(1, items.length / most);
  return items.filter((_, at) => Math.floor(at / step) !== Math.floor((at - 1) / step));
}
