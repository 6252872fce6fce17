import { ViewerError } from '../../../shared/contract/errors.ts';
import { LAYER_OBJECTS } from '../../../shared/contract/layers.ts';
import type { SheetPlane } from '../../../shared/contract/sheets.ts';
import { stateOf } from '../../bytes/origins/origins.ts';
import type { DicomFile } from '../../images/catalog/dicomFile.ts';
import type { FrameOptions, WindowQuery } from '../../images/pixels/frames.ts';
import { createKeptWork } from '../../images/pixels/keptWork.ts';
import { type KeyFrame, type KeyFrames, type KeyStack, listKeyFramesOf } from '../../images/series/keyFrames.ts';
import type { MemoryAccount } from '../../machine/memory/memoryAccount.ts';
import { mapInLanes } from '../../machine/workers/mapInLanes.ts';
import { toRefusal } from '../../machine/workers/passingFailure.ts';
import { findLayerName } from '../layers/layerFiles.ts';
import type { LayersToShow } from '../layers/overlays.ts';
import { drawnBytes } from './drawnBytes.ts';
import { columnWidth, tallestSheet } from './layOutSheet.ts';
import { planPlanes } from './planeTiles.ts';
import { createErrorPlans, type ErrorSides, type FindErrors, type FoundErrors } from './errorPlans.ts';
import {
  findSheetLayers,
  packTileErrors,
  packTileLayer,
  type SheetLayer,
  type SheetOver,
  toSheetLayer,
} from './sheetLayers.ts';
import type { MarksOnTiles, SheetMarks } from './sheetMarks.ts';
import { type DrawnSheet, drawSheetTask, type SheetTile, type TileMark } from './sheetTasks.ts';
import type { PlannedTile, TileContext } from './sheetTile.ts';
import { planSlide } from './slideTiles.ts';
import { planOverSource } from './sourceTiles.ts';
import { createStackTiles, type SheetWindow } from './stackTiles.ts';
import { isDrawnOnSheets } from './tilePainters.ts';

/** A series; or a file, which stands for its series, and for itself if it is in none. */
export type SheetSubject =
  | { readonly studyInstanceUid: string; readonly seriesInstanceUid: string }
  | { readonly fileIndex: number };

/** What a sheet shows. */
export type SheetWish = {
  readonly of: SheetSubject;
  /** Number of pictures. */
  readonly slices: number;
  /** Pictures in a row; undefined: as many as make the sheet square. */
  readonly columns: number | undefined;
  readonly plane: SheetPlane;
  readonly window: SheetWindow;
  /** In pixels. */
  readonly width: number;
  readonly hasLayers: boolean;
  /** Two layers, of which the pictures show where they agree and where they do not; or those that the user has named. */
  readonly errors?: ErrorSides | 'named' | undefined;
  /** Quality of a JPEG, from 1 to 100; undefined: PNG. */
  readonly jpegQuality?: number | undefined;
};

/** A picture of the sheet that is not as it should be: its number, and why. */
export type TileProblem = { readonly tile: number; readonly code: string };

export type MadeSheet = Omit<DrawnSheet, 'incomplete'> & {
  /** Pictures in a row. */
  readonly across: number;
  /** The window that all pictures have, in modality units, if it is not that of each. */
  readonly window: { readonly center: number; readonly width: number } | undefined;
  /** What each picture shows: file and frame, or a plane. */
  readonly tiles: readonly string[];
  readonly problems: readonly TileProblem[];
  /** Layers and marks that are not drawn, with the reason. */
  readonly leftOut: readonly string[];
};

export type SheetContext = TileContext & {
  readonly memory: MemoryAccount;
  readonly marks: SheetMarks;
  readonly named: Pick<LayersToShow, 'list'>;
  readonly comparisons: { readonly findErrors: FindErrors };
};

export interface Sheets {
  /**
   * Key slices of a series as one picture. Throws `not_found`, and `no_pixel_data` for a series of documents. If no picture
   * can be made, the failure is that of the first.
   */
  make(wish: SheetWish, options: FrameOptions): Promise<MadeSheet & { readonly cached: boolean }>;
}

type Plan = { readonly tiles: readonly PlannedTile[]; readonly leftOut: string[] };

const MOST_PIXELS = 2 ** 24;

export function createSheets(context: SheetContext): Sheets {
  const { catalog, series, layers, tasks, memory, marks } = context;
  const cache = memory.cache<MadeSheet>('sheets');
  const kept = createKeptWork<MadeSheet>({ cache, bytesOf: ({ bytes }) => bytes.length });
  const errorPlans = createErrorPlans(context, cache.part<FoundErrors>('errors'));
  const stackTiles = createStackTiles(context);

  async function findKeyFrames({ of, slices }: SheetWish): Promise<KeyFrames> {
    const file = 'fileIndex' in of ? catalog.get(of.fileIndex) : undefined;
    if (file !== undefined && (file.studyInstanceUid === '' || file.seriesInstanceUid === '')) {
      const stacks = file.hasPixels && file.frameCount > 0 ? [listKeyFramesOf(file, slices)] : [];
      return { stacks, other: file.index, isPending: false };
    }
    const { studyInstanceUid, seriesInstanceUid } = 'fileIndex' in of ? catalog.get(of.fileIndex) : of;
    const found = await series.findKeyFrames({ studyInstanceUid, seriesInstanceUid, wanted: slices });
    if (found === undefined) throw new ViewerError('not_found', 'there is no such series');
    if (!found.isPending) return found;
    throw new ViewerError('decode_busy', 'the positions of the frames are still being read; try again in a moment');
  }

  /** With errors of two layers, the worst frame is one of those that are shown. */
  async function findOver(
    stack: KeyStack,
    leftOut: string[],
    { hasLayers, errors }: SheetWish,
    options: FrameOptions,
  ): Promise<SheetOver & { readonly worst?: KeyFrame | undefined }> {
    const [first] = stack.frames;
    const file = catalog.files[first?.fileIndex ?? -1];
    if ((!hasLayers && errors === undefined) || first === undefined || file === undefined) return { layers: [] };
    const target = { file, frame: first.frame };
    const found = await findSheetLayers(layers, target, hasLayers ? leftOut : [], { signal: options.signal });
    const planned =
      errors === undefined ? undefined : await errorPlans.plan(errors, { target, found, leftOut }, options);
    const rest = found.filter((one) => one !== planned?.errors.truth && one !== planned?.errors.test);
    return { layers: hasLayers ? rest : [], errors: planned?.errors, worst: planned?.worst };
  }

  /** The pictures of an object that lies over images, such as a segmentation; undefined if it is none. */
  async function planObject(
    file: DicomFile | undefined,
    wanted: number,
    plan: Plan,
    wish: SheetWish,
    options: FrameOptions,
  ) {
    const name = file && findLayerName(file);
    if (file === undefined || name === undefined) return undefined;
    const { isImage, kind } = LAYER_OBJECTS[name];
    if (isImage || !isDrawnOnSheets(kind)) return undefined;
    const described = await layers.describe({ file: file.index }, { signal: options.signal });
    const own = await toSheetLayer(described);
    if (!isDrawnOnSheets(own.kind)) return undefined;
    const { description } = described;
    const { window, width } = wish;
    const tiles = await planOverSource(context, stackTiles, { description, own, wanted, window, width }, options);
    if (tiles.length > 0) return tiles;
    if (!file.hasPixels) throw new ViewerError('semantic_mapping_unavailable', description.placement.reason);
    plan.leftOut.push(`layer ${file.index}: semantic_mapping_unavailable`);
    return undefined;
  }

  async function planStack(stack: KeyStack, plan: Plan, wish: SheetWish, options: FrameOptions) {
    const file = catalog.files[stack.frames[0]?.fileIndex ?? -1];
    const wanted = stack.frames.length + (stack.peaks.length > 0 ? 1 : 0);
    const overSource = await planObject(file, wanted, plan, wish, options);
    if (overSource !== undefined) return overSource;
    const over = await findOver(stack, plan.leftOut, wish, options);
    const withWorst = over.worst === undefined ? stack : await showFrame(stack, over.worst);
    return stackTiles.plan(withWorst, wish.window, over, options);
  }

  /** The same frames with another one in place of the nearest of them. */
  async function showFrame(stack: KeyStack, wanted: KeyFrame): Promise<KeyStack> {
    const [first] = stack.frames;
    const whole = first && (await series.findStack(first.fileIndex, first.frame));
    if (whole === undefined || whole.kind === 'too_many_frames') return stack;
    const placeOf = ({ fileIndex, frame }: KeyFrame) => {
      for (let at = 0; at < whole.length; at += 1) {
        if (whole.fileIndices[at] === fileIndex && whole.frameIndices[at] === frame) return at;
      }
      return -1;
    };
    const place = placeOf(wanted);
    if (place < 0) return stack;
    const distances = stack.frames.map((frame) => Math.abs(placeOf(frame) - place));
    const nearest = distances.indexOf(Math.min(...distances));
    return { ...stack, frames: stack.frames.map((frame, at) => (at === nearest ? wanted : frame)) };
  }

  async function planSheet(wish: SheetWish, options: FrameOptions): Promise<Plan> {
    const { stacks, other } = await findKeyFrames(wish);
    const plan: Plan = { tiles: [], leftOut: [] };
    const { plane, window, slices, width } = wish;
    const ofSlides = stacks.filter(({ kind }) => kind === 'wsi_pyramid_level' || kind === 'wsi_companion');
    const images = stacks.filter((stack) => !ofSlides.includes(stack));
    if (plane !== 'native') {
      const largest = images.toSorted((a, b) => b.length - a.length)[0];
      if (largest === undefined)
        throw new ViewerError('volume_unavailable', 'no volume: the series has no such images');
      const over = await findOver(largest, plan.leftOut, wish, options);
      const tiles = await planPlanes(context, largest, { name: plane, wanted: slices, window, over }, options);
      return { ...plan, tiles };
    }
    const tiles: PlannedTile[] = [];
    const [slide] = ofSlides;
    if (slide !== undefined) {
      const over = await findOver(slide, plan.leftOut, { ...wish, errors: undefined }, options);
      if (typeof wish.errors === 'object') plan.leftOut.push('errors: not_compared_on_slides');
      tiles.push(...planSlide(context, ofSlides, { width, over: over.layers }));
    }
    for (const stack of images) tiles.push(...(await planStack(stack, plan, wish, options)));
    if (tiles.length === 0) {
      const file = catalog.files[other ?? -1];
      tiles.push(...((await planObject(file, slices, plan, wish, options)) ?? []));
      if (tiles.length === 0) throw new ViewerError('no_pixel_data', explainNothing(file));
    }
    return { ...plan, tiles: tiles.slice(0, slices) };
  }

  async function findMarks({ tiles }: Plan, { hasLayers }: SheetWish, { signal }: FrameOptions): Promise<MarksOnTiles> {
    if (!hasLayers) return { marks: [], key: '', leftOut: 0 };
    const places = tiles.flatMap(({ marked }) => marked ?? []);
    const found = await marks.find(places, { signal });
    let next = 0;
    const all = tiles.map(({ marked }): readonly TileMark[] => (marked === undefined ? [] : found.marks[next++]!));
    return { ...found, marks: all };
  }

  async function draw(plan: Plan, found: MarksOnTiles, wish: SheetWish, options: FrameOptions): Promise<MadeSheet> {
    const across = acrossOf(wish, plan.tiles.length);
    const width = columnWidth(wish.width, across);
    const failures: (ViewerError | undefined)[] = [];
    const windows: (WindowQuery | undefined)[] = [];
    const leftOut = [...plan.leftOut];
    const tiles = await mapInLanes(plan.tiles, async (tile, at) => {
      const making: Making = { options, failures: [], windows: [], leftOut };
      const made = await makeTile(tile, width, found.marks[at] ?? [], making);
      [failures[at]] = making.failures;
      [windows[at]] = making.windows;
      return made;
    });
    if (tiles.every(({ sign }) => sign === 'failed') && failures[0] !== undefined) throw failures[0];
    const input = { width: wish.width, columns: across, tiles, jpegQuality: wish.jpegQuality };
    const { signal, priority = 'prefetch' } = options;
    const of = { bytes: drawnBytes(input) };
    const { incomplete, ...drawn } = await tasks.run(drawSheetTask, input, { of, signal, priority });
    if (found.leftOut > 0) leftOut.push(`marks: ${found.leftOut}`);
    return {
      ...drawn,
      across,
      window: findCommonWindow(windows),
      tiles: plan.tiles.map(({ name }) => name),
      problems: tiles.flatMap(({ sign }, tile) => [
        ...(sign === undefined ? [] : [{ tile, code: failures[tile]?.code ?? 'damaged' }]),
        ...(incomplete.includes(tile) ? [{ tile, code: 'too_many_lines' }] : []),
      ]),
      leftOut,
    };
  }

  return {
    async make(wish, options) {
      requireSize(wish);
      const plan = await planSheet(wish, options);
      const found = await findMarks(plan, wish, options);
      const states: string[] = [];
      for (const { files, name, key: own = '', layers: over, errors } of plan.tiles) {
        states.push(name, own, ...over.map((layer) => layer.key));
        states.push(errors?.truth?.key ?? '', errors?.test?.key ?? '', JSON.stringify(errors?.pairs ?? []));
        for (const file of files) states.push(await stateOf(file.source));
      }
      const key = JSON.stringify([wish, states, plan.leftOut, found.key]);
      const work = (signal: AbortSignal) => draw(plan, found, wish, { ...options, signal });
      const { value, cached } = await kept.get(key, options, work);
      return { ...value, cached };
    },
  };
}

/** One picture with what lies over it. A file that cannot be decoded is a sign on the sheet, and a line beside it. */
async function makeTile(tile: PlannedTile, width: number, drawn: readonly TileMark[], made: Making) {
  const { rows, columns, pixelAspectRatio } = tile;
  const shape = { rows, columns, pixelAspectRatio, errors: undefined, marks: drawn };
  const picture = await tile.draw(width, made.options).catch((error: unknown) => {
    made.failures.push(toRefusal(error));
    return undefined;
  });
  if (picture === undefined) return { ...shape, pieces: [], sign: 'failed', layers: [], marks: [] } satisfies SheetTile;
  made.windows.push(picture.window);
  const pack = (layer: SheetLayer) => packTileLayer(layer, (ref) => tile.pack(ref, made.options), made.leftOut);
  const over = await mapInLanes(tile.layers, pack);
  const packed = over.filter((one) => one !== undefined);
  const errors = tile.errors && (await packTileErrors(tile.errors, pack));
  const isDamaged = picture.isDamaged || packed.some((one) => one.isDamaged) || errors?.isDamaged === true;
  const { pieces } = picture;
  return { ...shape, pieces, sign: isDamaged ? 'damaged' : undefined, layers: packed, errors } satisfies SheetTile;
}

/** What making a picture takes, and what it says beside the picture. */
type Making = {
  readonly options: FrameOptions;
  readonly failures: ViewerError[];
  readonly windows: (WindowQuery | undefined)[];
  readonly leftOut: string[];
};

function findCommonWindow([first, ...others]: readonly (WindowQuery | undefined)[]): MadeSheet['window'] {
  if (first?.wc === undefined || first.ww === undefined) return undefined;
  const { wc: center, ww: width } = first;
  const isSame = others.every((one) => one !== undefined && one.wc === center && one.ww === width);
  return isSame ? { center, width } : undefined;
}

function acrossOf({ columns, slices }: SheetWish, count: number): number {
  return Math.max(1, Math.min(count, columns ?? Math.ceil(Math.sqrt(Math.min(slices, count)))));
}

function requireSize(wish: SheetWish): void {
  const pixels = wish.width * tallestSheet(wish.slices, wish.width, acrossOf(wish, wish.slices));
  if (pixels <= MOST_PIXELS) return;
  throw new ViewerError(
    'invalid_query',
    `the sheet may have more than ${MOST_PIXELS} pixels: ask for a smaller w, or more columns`,
  );
}

function explainNothing(file: DicomFile | undefined): string {
  const kind = file === undefined ? '' : `; its first file is of the kind ${file.objectKind.replaceAll('_', ' ')}`;
  return `the series has no images${kind}`;
}
