import { mappingUnavailable, ViewerError } from '../../../../shared/contract/errors.ts';
import { encodeField } from '../../../../shared/fieldPacket.ts';
import { type ImagePlane, pixelToPatient, planeToPlane } from '../../../../shared/geometry.ts';
import type { PlaneGrid } from '../../../../shared/planeGrid.ts';
import type { DicomFile } from '../../../images/catalog/dicomFile.ts';
import { type FrameGeometry, planeAt } from '../../../standard/geometry/frameGeometry.ts';
import { stateOf } from '../../../bytes/origins/origins.ts';
import { decodeCostOf } from '../../../images/pixels/decodeCost.ts';
import { alignTiles } from '../alignTiles.ts';
import type { LayerContext } from '../layerContext.ts';
import type { LayerDescription, LayerOptions, PlacedLayer, SlideTarget } from '../layerProvider.ts';
import { ignoreRefusal } from '../../../machine/workers/passingFailure.ts';
import { createPlacement, unavailable } from '../placement.ts';
import { listSlidePlanes } from '../imagePlanes.ts';
import { gridOfPart, requireSlidePlane } from '../slidePlaces.ts';
import { findTilesOn } from '../tilesOn.ts';
import type { FieldGrid } from './fieldGrid.ts';
import { sampleTilesTask, type SampledTiles, tileRangeTask } from './fieldTasks.ts';

/** A map whose frames are tiles on a slide, as models write their heat maps. */
export type TiledMap = {
  readonly file: DicomFile;
  readonly geometry: FrameGeometry;
  /** The slides in its frame of reference. */
  readonly slides: readonly DicomFile[];
  /** Of each frame: how many others before it have the same place. */
  readonly turnOf: Uint16Array;
  /** Number of frames at one place: channels, or focal planes. */
  readonly turns: number;
};

export interface TiledMaps {
  /** Undefined for a file that is no such map. */
  find(file: DicomFile, options: LayerOptions): Promise<TiledMap | undefined>;
  describe(map: TiledMap, options: LayerOptions & { readonly isBrief?: boolean }): Promise<DescribedMap>;
  place(map: TiledMap, target: SlideTarget, options: LayerOptions): Promise<PlacedLayer>;
}

type DescribedMap = Omit<LayerDescription, 'field' | 'warnings'> & {
  readonly range: readonly [number, number] | undefined;
  readonly volumes: readonly string[];
};

/** Reading more tiles takes too long. */
const MOST_TILES = 4096;
/** The range of a larger map is not looked for. */
const MOST_RANGE_SAMPLES = 2 ** 22;

export function createTiledMaps({ tasks, memory, files, imagePlanes, slidePlaces }: LayerContext): TiledMaps {
  async function sample(
    { file, geometry }: TiledMap,
    frames: readonly number[],
    grid: PlaneGrid,
    { signal }: LayerOptions,
  ): Promise<SampledTiles> {
    const tiles = frames.flatMap((frame) => {
      const plane = planeAt(geometry, frame);
      return plane === undefined ? [] : [{ frame, plane }];
    });
    return tasks.run(
      sampleTilesTask,
      { source: file.source, tiles, grid },
      { of: decodeCostOf(file, memory.plan.tasks), signal },
    );
  }

  async function findRange({ file, geometry }: TiledMap, { signal }: LayerOptions) {
    const { rows, columns, source, frameCount } = file;
    if (geometry.length * rows * columns > MOST_RANGE_SAMPLES || geometry.length > MOST_TILES) return undefined;
    return (
      tasks
        .run(
          tileRangeTask,
          { source, frameCount },
          {
            of: decodeCostOf(file, memory.plan.tasks),
            shareKey: `tile range ${await stateOf(source)}`,
            signal,
          },
        )
        // Without a range the user chooses one.
        .catch(ignoreRefusal)
    );
  }

  return {
    async find(file, options) {
      if (file.objectKind !== 'parametric_map') return undefined;
      const geometry = await imagePlanes.findGeometry(file, options);
      if (geometry?.space !== 'slide') return undefined;
      const { frameOfReferenceUid: uid } = geometry;
      const images = uid === undefined ? [] : await files.imagesIn(uid);
      const slides = listSlidePlanes(images).map(({ file: slide }) => slide);
      const aligned = alignTiles(geometry, slides, () => false)?.geometry ?? geometry;
      return { file, geometry: aligned, slides, ...countTurns(aligned) };
    },

    async describe(map, options) {
      const { geometry, slides, turns } = map;
      const levels = slidePlaces.listLevels(slides);
      const { frameOfReferenceUid: uid } = geometry;
      return {
        parts: [],
        unplaced: [],
        targets: levels.map((file) => ({ file, frames: [0] })),
        slides: levels,
        frameOfReferenceUids: uid === undefined ? [] : [uid],
        placement: judge(map),
        range: options.isBrief === true ? undefined : await findRange(map, options),
        volumes: turns === 1 ? [''] : Array.from({ length: turns }, (_, turn) => `${turn + 1}`),
      };
    },

    async place(map, target, { signal }) {
      const { file, geometry, turnOf, turns } = map;
      const { slide, plane } = requireSlidePlane(target.file ?? map.slides[0]);
      if (slide.frameOfReferenceUid !== geometry.frameOfReferenceUid) {
        throw mappingUnavailable('the slide and the map have different frames of reference');
      }
      await stateOf(slide.source);
      const [turn = 0] = target.parts ?? [];
      if (turn >= turns) throw new ViewerError('frame_out_of_range', `volume ${turn} is outside 0 to ${turns - 1}`);
      const part = gridOfPart(plane, target);
      const found = await findTilesOn(geometry, file, part, MOST_TILES * turns, signal);
      const frames = found?.filter((frame) => turnOf[frame] === turn);
      if (frames === undefined || frames.length > MOST_TILES) {
        throw new ViewerError(
          'layer_too_large',
          `more than ${MOST_TILES} tiles of the map lie here: zoom in to see its values`,
        );
      }
      const { rows, columns } = part;
      const chosen = chooseTileGrid(geometry, part);
      return {
        async packet(wanted) {
          if (frames.length === 0 || chosen === undefined) {
            return {
              bytes: encodeField(file.index, { rows, columns, item: undefined }),
              cached: false,
              damage: undefined,
            };
          }
          const { grid, toTarget } = chosen;
          const { samples, damage } = await sample(map, frames, grid, wanted);
          const item = {
            rows: grid.rows,
            columns: grid.columns,
            toTarget,
            samples,
            scale: 1,
            offset: 0,
            missing: undefined,
            isInterpolated: false,
          };
          return { bytes: encodeField(file.index, { rows, columns, item }), cached: false, damage };
        },
      };
    },
  };
}

function judge({ geometry, slides }: TiledMap) {
  if (geometry.frameOfReferenceUid === undefined) {
    return unavailable('the object does not declare the frame of reference of its coordinates');
  }
  if (slides.length === 0) return unavailable('no slide of its frame of reference is open');
  return createPlacement('direct', 'the slide and the map have the same frame of reference');
}

function countTurns(geometry: FrameGeometry): Pick<TiledMap, 'turnOf' | 'turns'> {
  const counts = new Map<string, number>();
  const turnOf = new Uint16Array(geometry.length);
  let turns = 1;
  for (let frame = 0; frame < geometry.length; frame += 1) {
    const key = planeAt(geometry, frame)?.position.slice(0, 2).join();
    if (key === undefined) continue;
    const turn = Math.min(counts.get(key) ?? 0, MOST_TURNS - 1);
    turnOf[frame] = turn;
    counts.set(key, turn + 1);
    turns = Math.max(turns, turn + 1);
  }
  return { turnOf, turns };
}

/** Frames at one place beyond are those of the last one. */
const MOST_TURNS = 1024;

/**
 * The grid on which tiles are sampled over a part of a slide: their own if it is coarser than the part, so that the page
 * interpolates what the map has; otherwise that of the part. Undefined if the two do not meet.
 */
export function chooseTileGrid({ tiles }: FrameGeometry, part: PlaneGrid): FieldGrid | undefined {
  const own = tiles?.matrix && findOwnGrid(tiles.matrix, tiles, part);
  return own ?? { grid: part, toTarget: [1, 0, 0, 1, 0, 0] };
}

/** Parts of a pixel by which rows and columns may be turned and still run along those of the slide. */
const STRAIGHT = 1e-6;

function findOwnGrid(
  matrix: ImagePlane,
  { totalRows, totalColumns }: { readonly totalRows: number; readonly totalColumns: number },
  part: PlaneGrid,
): FieldGrid | undefined {
  const [down, rowPerColumn, top, columnPerRow, across, left] = planeToPlane(matrix, part);
  if (Math.abs(rowPerColumn) > STRAIGHT || Math.abs(columnPerRow) > STRAIGHT || down < 1 || across < 1)
    return undefined;
  // One more on each side, to interpolate up to the border of the part.
  const firstRow = Math.max(0, Math.floor((-0.5 - top) / down));
  const lastRow = Math.min(totalRows - 1, Math.ceil((part.rows - 0.5 - top) / down));
  const firstColumn = Math.max(0, Math.floor((-0.5 - left) / across));
  const lastColumn = Math.min(totalColumns - 1, Math.ceil((part.columns - 0.5 - left) / across));
  if (lastRow < firstRow || lastColumn < firstColumn) return undefined;
  return {
    grid: {
      ...matrix,
      position: pixelToPatient(matrix, { row: firstRow, column: firstColumn }),
      rows: lastRow - firstRow + 1,
      columns: lastColumn - firstColumn + 1,
    },
    toTarget: [across, 0, 0, down, left + firstColumn * across, top + firstRow * down],
  };
}
