import { applyModality } from '../../../../shared/modality.ts';
import { fetchPicture, fetchRawFrame } from '../../../kit/api/frames.ts';
import { findFile } from '../../../kit/state/library.ts';
import type { Page } from '../../../kit/state/page.ts';
import type { ShownLevel, ShownTiles, Tile } from '../../../kit/state/shownTiles.ts';
import { parseRawFrame } from '../../../show/pictures/parseRawFrame.ts';
import type { MeasuredValues } from './measurement.ts';
import { mapRegion, type Region } from '../../../../shared/region.ts';
import {
  gatherStatistics,
  joinStatistics,
  type RegionStatistics,
  type SampledImage,
} from '../../../../shared/regionStatistics.ts';
import { runInSlices } from '../../../kit/ui/runInSlices.ts';

/** A region over more tiles is measured on a coarser level. This number of tiles is read in a second or two. */
const MOST_TILES = 64;

export type SlideValuesRequest = {
  readonly tiles: ShownTiles;
  /** In pixels of the slide. */
  readonly region: Region;
  readonly isWanted: () => boolean;
  readonly signal: AbortSignal;
};

/** Describes the level and the picture on which a region is measured. */
export function describeSlideOrigin({ tiles, region }: Pick<SlideValuesRequest, 'tiles' | 'region'>): string {
  const at = chooseLevel(tiles, region);
  const level = tiles.levels[at];
  const scale =
    level === undefined || at === 0 ? 'full resolution' : `1/${Number(level.scaleX.toFixed(2))} of full resolution`;
  const { path, planeUm } = tiles.choice;
  return `Level ${at + 1} of ${tiles.levels.length} (${scale}), optical path ${path}${planeUm === undefined ? '' : `, focal plane ${planeUm} µm`}`;
}

/** Statistics of all tiles below a region, read one after the other; undefined while something is missing. */
export async function measureSlide(page: Page, request: SlideValuesRequest): Promise<MeasuredValues | undefined> {
  const { tiles, region, isWanted, signal } = request;
  const at = chooseLevel(tiles, region);
  const level = tiles.levels[at];
  if (level === undefined) return undefined;
  if (level.index === undefined) {
    tiles.need([at]);
    return undefined;
  }
  const own = onLevel(region, level);
  const [x, y] = [Math.min(own.from.x, own.to.x), Math.min(own.from.y, own.to.y)];
  const size = { width: Math.abs(own.to.x - own.from.x), height: Math.abs(own.to.y - own.from.y) };
  const touched = level.index.list({ x, y, ...size }, tiles.choice);
  let channels: Channel[] = [];
  for (const tile of touched) {
    const images = await readTile(page, tile, signal);
    if (!isWanted()) return undefined;
    const [left, top] = [tile.x - tile.fromX, tile.y - tile.fromY];
    const part = mapRegion(own, ({ x: across, y: down }) => ({ x: across - left, y: down - top }));
    const found: Channel[] = [];
    for (const { name, image, toValue } of images) {
      const statistics = await runInSlices(gatherStatistics(image, part, toValue), isWanted);
      if (statistics === undefined) return undefined;
      const before = channels.find((channel) => channel.name === name)?.statistics;
      found.push({ name, statistics: before === undefined ? statistics : joinStatistics(before, statistics) });
    }
    channels = found;
  }
  const origin = describeSlideOrigin(request);
  const [only, ...others] = channels;
  if (only === undefined) return { kind: 'none', reason: 'the slide has no tiles here', origin };
  if (others.length === 0) return { kind: 'numbers', statistics: only.statistics, unit: '', origin };
  return { kind: 'channels', channels, origin };
}

type Channel = { readonly name: string; readonly statistics: RegionStatistics };

/** The sharpest level on which the region covers at most MOST_TILES tiles, otherwise the coarsest. */
function chooseLevel({ levels }: ShownTiles, region: Region): number {
  const fits = levels.findIndex((level) => countTiles(region, level) <= MOST_TILES);
  return fits < 0 ? levels.length - 1 : fits;
}

function countTiles(region: Region, level: ShownLevel): number {
  const { from, to } = onLevel(region, level);
  const across = Math.abs(to.x - from.x) / level.tileWidth + 1;
  const down = Math.abs(to.y - from.y) / level.tileHeight + 1;
  return Math.ceil(across) * Math.ceil(down);
}

function onLevel(region: Region, { scaleX, scaleY, offsetX, offsetY }: ShownLevel): Region {
  return mapRegion(region, ({ x, y }) => ({ x: (x - offsetX) / scaleX, y: (y - offsetY) / scaleY }));
}

type TileChannel = {
  readonly name: string;
  readonly image: SampledImage;
  readonly toValue: (stored: number) => number | undefined;
};

async function readTile(page: Page, tile: Tile, signal: AbortSignal): Promise<readonly TileChannel[]> {
  const isGray = findFile(page, tile.fileIndex)?.photometric_interpretation.startsWith('MONOCHROME') ?? false;
  if (!isGray) return readColors(tile, signal);
  const { headers, bytes } = await fetchRawFrame(tile, { signal });
  const frame = parseRawFrame(headers, bytes);
  if (frame === undefined) return readColors(tile, signal);
  return [{ name: '', image: frame, toValue: (stored) => applyModality(frame.modality, stored) }];
}

/** Colors as decoded by the server, without color management. */
async function readColors(tile: Tile, signal: AbortSignal): Promise<readonly TileChannel[]> {
  const { picture } = await fetchPicture(tile, { choice: { kind: 'default' } }, { signal });
  const bitmap = await createImageBitmap(picture, { colorSpaceConversion: 'none', premultiplyAlpha: 'none' });
  const { width: columns, height: rows } = bitmap;
  const context = new OffscreenCanvas(columns, rows).getContext('2d');
  context?.drawImage(bitmap, 0, 0);
  bitmap.close();
  const samples = new Uint8Array(context?.getImageData(0, 0, columns, rows).data ?? []);
  return ['R', 'G', 'B'].map((name, offset) => ({
    name,
    image: { rows, columns, samples, padding: undefined, step: 4, offset },
    toValue: (stored) => stored,
  }));
}
