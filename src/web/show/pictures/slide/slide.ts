import type { FileRecord } from '../../../../shared/contract/files.ts';
import type { WsiContextResponse } from '../../../../shared/contract/wsi.ts';
import type { ShownLevel } from '../../../kit/state/shownTiles.ts';
import type { Point, ViewedImage } from '../../../kit/state/viewState.ts';

/** One resolution of the slide. Levels need not be exact halves. */
export type SlideLevel = Omit<ShownLevel, 'index'>;

/** A whole slide as one image, in pixels of its largest level. */
export type Slide = {
  readonly image: ViewedImage;
  /** Largest first. */
  readonly levels: readonly [SlideLevel, ...SlideLevel[]];
  /** The smallest level with enough detail. It is drawn behind everything, and smaller levels are not used. */
  readonly backing: number;
  /** Of the largest level. */
  readonly mmPerPixel: number | undefined;
  readonly companions: readonly SlideCompanion[];
  readonly warnings: readonly string[];
};

/** An image of the same slide beside its pyramid, such as its label. */
export type SlideCompanion = { readonly fileIndex: number; readonly role: string };

/** Some pyramids end in levels of a few pixels, which are not used. */
const LEAST_BACKING_PX = 256;

/** Undefined if the file does not declare the size of the picture that its tiles form. */
export function buildSlide(
  context: WsiContextResponse,
  file: Pick<FileRecord, 'rows' | 'columns' | 'pixel_spacing_mm' | 'pixel_aspect_ratio'>,
): Slide | undefined {
  const [first, ...others] = context.pyramid_levels.length > 0 ? context.pyramid_levels : ownLevel(context, file);
  if (first === undefined) return undefined;
  const levels = [toLevel(first, first), ...others.map((level) => toLevel(level, first))] as const;
  return {
    image: { width: first.columns, height: first.rows, aspect: file.pixel_aspect_ratio ?? 1 },
    levels,
    backing: Math.max(
      0,
      levels.findLastIndex(({ width, height }) => Math.max(width, height) >= LEAST_BACKING_PX),
    ),
    mmPerPixel: first.mm_per_pixel ?? undefined,
    companions: context.companions
      .filter(({ image_type_role }) => image_type_role !== 'VOLUME')
      .map(({ file_index, image_type_role }) => ({ fileIndex: file_index, role: image_type_role ?? '' })),
    warnings: context.warnings,
  };
}

type WireLevel = WsiContextResponse['pyramid_levels'][number];

/** A label in several tiles belongs to no pyramid but can be shown. */
function ownLevel(
  { total_pixel_matrix: matrix, source_file_index }: WsiContextResponse,
  { rows, columns, pixel_spacing_mm }: Pick<FileRecord, 'rows' | 'columns' | 'pixel_spacing_mm'>,
): WireLevel[] {
  if (matrix === null) return [];
  const mm_per_pixel = pixel_spacing_mm?.[1] ?? null;
  const files = { file_indices: [source_file_index], offset: null };
  return [{ ...files, ...matrix, tile_rows: rows, tile_columns: columns, mm_per_pixel }];
}

function toLevel(level: WireLevel, largest: WireLevel): SlideLevel {
  const { columns, rows, tile_columns, tile_rows } = level;
  const declared =
    level.mm_per_pixel === null || largest.mm_per_pixel === null
      ? undefined
      : level.mm_per_pixel / largest.mm_per_pixel;
  const shape = {
    fileIndices: level.file_indices,
    width: columns,
    height: rows,
    tileWidth: tile_columns,
    tileHeight: tile_rows,
  };
  if (level.offset !== null && declared !== undefined) {
    const { columns: offsetX, rows: offsetY } = level.offset;
    return { ...shape, scaleX: declared, scaleY: declared, offsetX, offsetY };
  }
  return {
    ...shape,
    offsetX: 0,
    offsetY: 0,
    scaleX: scaleOf({ size: columns, tile: tile_columns, largest: largest.columns, declared }),
    scaleY: scaleOf({ size: rows, tile: tile_rows, largest: largest.rows, declared }),
  };
}

type Side = {
  readonly size: number;
  readonly tile: number;
  readonly largest: number;
  readonly declared: number | undefined;
};

/**
 * These levels show the same area, so their sizes give the exact scale. Some scanners pad the last tiles of a level and
 * count the padding as part of it: such a level is whole tiles wide and, by its pixel spacing, wider than the slide.
 */
function scaleOf({ size, tile, largest, declared }: Side): number {
  const bySize = largest / size;
  if (declared === undefined || size % tile !== 0) return bySize;
  const excess = size * declared - largest;
  // An excess of up to a pixel is rounding; a tile or more is not padding.
  return excess > declared && excess < tile * declared ? declared : bySize;
}

/** Converts from pixels of the slide. */
export function toLevelPoint({ x, y }: Point, { scaleX, scaleY, offsetX, offsetY }: SlideLevel): Point {
  return { x: (x - offsetX) / scaleX, y: (y - offsetY) / scaleY };
}

/** Converts to pixels of the slide. */
export function fromLevelPoint({ x, y }: Point, { scaleX, scaleY, offsetX, offsetY }: SlideLevel): Point {
  return { x: x * scaleX + offsetX, y: y * scaleY + offsetY };
}
