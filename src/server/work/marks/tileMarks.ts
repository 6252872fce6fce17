import { addTo } from '../../../shared/addTo.ts';
import { PLAIN_MASK, PLAIN_ROI, PLAIN_SHAPE } from '../../../shared/markColors.ts';
import { isMask } from '../../../shared/markTraits.ts';
import type { Catalog } from '../../images/catalog/catalog.ts';
import type { KeyFrame } from '../../images/series/keyFrames.ts';
import type { SeriesList } from '../../images/series/seriesList.ts';
import { doInTurns, type WorkInTurns } from '../../machine/workers/doInTurns.ts';
import type { TaskRunner } from '../../machine/workers/task.ts';
import type { MarkedPlace, MarkedSlide, SheetMarks } from '../../over/sheets/sheetMarks.ts';
import type { TileMark } from '../../over/sheets/sheetTasks.ts';
import { listFrameOutlines } from './formats/frameOutlines.ts';
import { createMarkPlaces, type MarkPlaces } from './formats/markPlaces.ts';
import { rgbOfHex } from './labels.ts';
import { filesOfMark } from './markContent.ts';
import type { MarkStore } from './marks.ts';
import type { StoredMark } from './writeMarks.ts';

export type TileMarksContext = {
  readonly catalog: Pick<Catalog, 'files'>;
  readonly series: Pick<SeriesList, 'findStack'>;
  readonly tasks: TaskRunner;
  readonly marks: Pick<MarkStore, 'select' | 'revision' | 'scheme'>;
  /** The ROIs of the specification on a file. */
  readonly readRois: (file: number) => Promise<RoiColumns>;
};

/** Boxes as `[ymin, xmin, ymax, xmax]`; box n is on the frames from `frameStarts[n]` on, or without any on all frames. */
export type RoiColumns = {
  readonly coords: Uint32Array;
  readonly frameStarts: Uint32Array;
  readonly frames: Uint32Array;
};

/** Coordinates that are drawn on one sheet: they are copied to a thread. */
const MOST_NUMBERS = 200_000;

type MarksBySeries = ReadonlyMap<string, readonly StoredMark[]>;

/** Marks and ROIs on the pictures of sheets. Marks of planes and volumes are on no picture. */
export function createTileMarks(context: TileMarksContext): SheetMarks {
  const { catalog, marks, readRois } = context;
  let known: { readonly revision: number; readonly bySeries: MarksBySeries } | undefined;

  const seriesOf = (file: number) => catalog.files[file]?.seriesInstanceUid ?? '';

  function* sortBySeries(all: readonly StoredMark[]): WorkInTurns<MarksBySeries> {
    const bySeries = new Map<string, StoredMark[]>();
    for (const mark of all) {
      yield;
      addTo(bySeries, seriesOf(filesOfMark(mark.content)[0] ?? -1), mark);
    }
    return bySeries;
  }

  async function loadMarks(): Promise<MarksBySeries> {
    const revision = marks.revision();
    if (known?.revision === revision) return known.bySeries;
    const { marks: all } = await marks.select({});
    const bySeries = await doInTurns(sortBySeries(all), undefined);
    known = { revision, bySeries };
    return bySeries;
  }

  /** The ROIs of the specification on a frame. */
  async function listRois({ fileIndex, frame }: KeyFrame): Promise<readonly TileMark[]> {
    const { coords, frameStarts, frames } = await readRois(fileIndex);
    const found: TileMark[] = [];
    for (let roi = 0; roi < coords.length / 4; roi += 1) {
      const own = frames.subarray(frameStarts[roi], frameStarts[roi + 1]);
      // Without frames, it is on all of them.
      if (own.length > 0 && !own.includes(frame)) continue;
      const [ymin = 0, xmin = 0, ymax = 0, xmax = 0] = coords.subarray(roi * 4, roi * 4 + 4);
      const points = Float64Array.of(xmin, ymin, xmax, ymax);
      found.push({ kind: 'box', color: rgbOfHex(PLAIN_ROI), points, mask: undefined, isInterpolated: false });
    }
    return found;
  }

  const colorOf = ({ content }: StoredMark) => {
    const { classes } = marks.scheme().scheme;
    const own = classes.find(({ key }) => key === content.class)?.color;
    return rgbOfHex(own ?? (isMask(content.kind) ? PLAIN_MASK : PLAIN_SHAPE));
  };

  /** What a mark through a stack has on the frames that are wanted. */
  async function* listInStack(mark: StoredMark, places: MarkPlaces, signal: AbortSignal | undefined) {
    const framed = await places.find(mark.content, { signal });
    const color = colorOf(mark);
    for (const { file, frame, points, mask, isInterpolated } of listFrameOutlines({
      ...framed,
      content: mark.content,
    })) {
      const drawn = mask && { rectangle: mask.rectangle, runs: mask.runs };
      yield { name: `${file} ${frame}`, mark: { kind: mark.content.kind, color, points, mask: drawn, isInterpolated } };
    }
  }

  return {
    async find(wanted, { signal }) {
      const bySeries = await loadMarks();
      const places = createMarkPlaces(context);
      const drawing = createDrawing(wanted.length);
      const frames = new Map<string, number>();
      for (const [at, place] of wanted.entries()) {
        if (isSlide(place)) continue;
        frames.set(`${place.fileIndex} ${place.frame}`, at);
        for (const roi of await listRois(place)) drawing.add(at, roi, `roi ${roi.points.join()}`);
      }
      const uids = wanted.map((place) => seriesOf(isSlide(place) ? (place.files[0] ?? -1) : place.fileIndex));
      for (const uid of new Set(uids)) {
        const all = bySeries.get(uid) ?? [];
        for (const mark of await doInTurns(listOnFrames(all, frames), signal)) {
          const { place, kind, points } = mark.content;
          const at = place.type === 'frame' ? frames.get(`${place.file_index} ${place.frame_index}`) : undefined;
          const drawn = { kind, color: colorOf(mark), points, mask: undefined, isInterpolated: false };
          if (at !== undefined) drawing.add(at, drawn, nameOf(mark));
        }
        for (const mark of all) {
          if (mark.content.place.type === 'slide') {
            for (const [at, place] of wanted.entries()) {
              const drawn = isSlide(place) ? toSlideMark(mark, place, colorOf(mark)) : undefined;
              if (drawn !== undefined) drawing.add(at, drawn, nameOf(mark));
            }
          }
          if (mark.content.place.type !== 'stack' || drawing.isFull()) continue;
          for await (const { name, mark: drawn } of listInStack(mark, places, signal)) {
            const at = frames.get(name);
            if (at !== undefined) drawing.add(at, drawn, nameOf(mark));
          }
        }
      }
      return drawing.finish();
    },
  };
}

/** Those that are on one of these frames. */
function* listOnFrames(all: readonly StoredMark[], wanted: ReadonlyMap<string, unknown>): WorkInTurns<StoredMark[]> {
  const found: StoredMark[] = [];
  for (const mark of all) {
    yield;
    const { place } = mark.content;
    if (place.type === 'frame' && wanted.has(`${place.file_index} ${place.frame_index}`)) found.push(mark);
  }
  return found;
}

function nameOf({ id, revision }: StoredMark): string {
  return `${id} ${revision}`;
}

/** Collects what is drawn on each of some pictures. */
function createDrawing(count: number) {
  const marks = Array.from({ length: count }, (): TileMark[] => []);
  const names: string[] = [];
  let leftOut = 0;
  let numbers = 0;
  return {
    isFull: () => numbers > MOST_NUMBERS,
    add(at: number, mark: TileMark, name: string) {
      numbers += mark.points.length + (mark.mask?.runs.length ?? 0);
      names.push(name);
      if (numbers > MOST_NUMBERS) leftOut += 1;
      else marks[at]?.push(mark);
    },
    finish: () => ({ marks, key: names.join(';'), leftOut }),
  };
}

function isSlide(place: MarkedPlace): place is MarkedSlide {
  return 'files' in place;
}

/** Masks of slides are in tiles of their own, which are not drawn. */
function toSlideMark(
  { content }: StoredMark,
  { files, scale }: MarkedSlide,
  color: TileMark['color'],
): TileMark | undefined {
  const { place, kind, points } = content;
  if (place.type !== 'slide' || isMask(kind) || !files.includes(place.file_index)) return undefined;
  return { kind, color, points: points.map((value) => value * scale), mask: undefined, isInterpolated: false };
}
