import { hasValuesInside, isMask } from '../../../../shared/markTraits.ts';
import { ViewerError } from '../../../../shared/contract/errors.ts';
import type { MarkStatisticsResponse } from '../../../../shared/contract/marks.ts';
import { countMaskPixels } from '../../../../shared/maskRuns.ts';
import { listFrameReadings, type NamedReading } from '../../../../shared/listFrameReadings.ts';
import { toArea } from '../../../../shared/markMeasures.ts';
import { SCALE_SOURCES, SCALE_TERMS } from '../../../../shared/pixelScale.ts';
import { joinStatistics, type RegionStatistics } from '../../../../shared/regionStatistics.ts';
import type { Line } from '../../../../shared/valueMapping.ts';
import type { Catalog } from '../../../images/catalog/catalog.ts';
import type { DicomFile } from '../../../images/catalog/dicomFile.ts';
import type { MemoryAccount } from '../../../machine/memory/memoryAccount.ts';
import { decodeCostOfAll } from '../../../images/pixels/decodeCost.ts';
import { explainTaskError } from '../../../images/pixels/explainTaskError.ts';
import type { FrameOptions } from '../../../images/pixels/frames.ts';
import type { Semantics } from '../../../images/semantics/semantics.ts';
import type { SeriesList } from '../../../images/series/seriesList.ts';
import type { TaskRunner } from '../../../machine/workers/task.ts';
import { createMarkPlaces, type MarkFrames } from '../formats/markPlaces.ts';
import { listSlices, type MarkContent } from '../markContent.ts';
import type { MarkStore } from '../marks.ts';
import { measureMarkTask } from './statisticsTasks.ts';

/** The values inside of marks. */
export interface MarkStatistics {
  measure(id: number, options: FrameOptions): Promise<MarkStatisticsResponse>;
}

export type MarkStatisticsContext = {
  readonly catalog: Pick<Catalog, 'files'>;
  readonly series: Pick<SeriesList, 'findStack'>;
  readonly semantics: Pick<Semantics, 'values'>;
  readonly tasks: TaskRunner;
  readonly memory: MemoryAccount;
  readonly marks: Pick<MarkStore, 'find'>;
};

/** Frames that one task decodes. */
const BATCH = 16;

type MarkedFrame = { readonly file: DicomFile; readonly frame: number };

const SAME: Line = { slope: 1, intercept: 0 };
const NOTHING: RegionStatistics = {
  count: 0,
  mean: NaN,
  sd: NaN,
  min: NaN,
  max: NaN,
  paddingCount: 0,
  unmappedCount: 0,
};

export function createMarkStatistics(context: MarkStatisticsContext): MarkStatistics {
  const { catalog, series, semantics, tasks, memory, marks: store } = context;

  /** How the values of a frame are read, and the mapping that does it out of stored values. */
  async function readQuantity({ file, frame }: MarkedFrame, { signal }: FrameOptions) {
    const declared = await semantics.values(file, frame, { signal });
    const { kind, reading, isOfAllFrames }: NamedReading = listFrameReadings({
      mapping: declared,
      modality: file.modality,
    })[0]!;
    const { index } = declared.default_reading;
    const mapping = index === null ? undefined : declared.real_world[index];
    const isWhole = mapping?.first_value_mapped === null && mapping.last_value_mapped === null;
    // A line over modality values is one header read for all frames; a mapping of some stored values is one of each.
    const isOfStored = kind === 'real_world' && !(isWhole && isOfAllFrames && reading.ofModality !== undefined);
    return { reading, mapping, caveats: declared.caveats, isOfStored };
  }

  return {
    async measure(id, options) {
      const { mark, etag } = await store.find(id);
      const { kind, place } = mark.content;
      if (isMask(kind) && place.type === 'slide') return { id, etag, ...measureTiles(mark.content, catalog) };
      if (!hasValuesInside(kind) || place.type === 'plane' || place.type === 'slide') {
        throw new ViewerError('invalid_mark', `a mark of kind ${kind} on a ${place.type} has no statistics`);
      }
      const places = createMarkPlaces({ catalog, series, tasks });
      const found = await places.find(mark.content, { isWhole: true, inVolume: true, signal: options.signal });
      if (found.frames.length === 0) {
        throw new ViewerError('volume_unavailable', 'the mark reaches no image of its stack');
      }
      if (!found.isOrdered) throw new ViewerError('volume_unavailable', 'the frames of the mark are not in one stack');
      const { frames } = found;
      const all = Array.from({ length: frames.length / 2 }, (_, n) => {
        const [index = 0, frame = 0] = frames.subarray(2 * n, 2 * n + 2);
        return { file: catalog.files[index]!, frame };
      });
      const { rows, columns } = requireGray(all.map(({ file }) => file));
      const drawn = { content: mark.content, ...found };
      const [first] = all;
      const { reading, caveats, isOfStored } = await readQuantity(first!, options);
      const mappingOf = async (one: MarkedFrame) => {
        if (!isOfStored) return undefined;
        const other = await readQuantity(one, options);
        if (other.mapping === undefined || other.reading.unit !== reading.unit) {
          throw new ViewerError('volume_unavailable', 'the images that the mark is on have values in several units');
        }
        return other.mapping;
      };
      let statistics = NOTHING;
      const pixels: number[] = [];
      const ofShape: string[] = [];
      let [areaMm2, volumeMl, pixelsAreaMm2, pixelsVolumeMl] = [NaN, NaN, 0, 0];
      for (let at = 0; at < all.length; at += BATCH) {
        const batch = all.slice(at, at + BATCH);
        const mappings = await Promise.all(batch.map(mappingOf));
        const measured = await tasks
          .run(
            measureMarkTask,
            {
              mark: drawn,
              rows,
              columns,
              first: at,
              line: reading.ofModality ?? SAME,
              frames: batch.map(({ file, frame }, n) => ({
                file: file.index,
                frame,
                source: file.source,
                mapping: mappings[n],
              })),
            },
            {
              of: decodeCostOfAll(
                batch.map(({ file }) => file),
                memory.plan.tasks,
              ),
              signal: options.signal,
            },
          )
          .catch((error: unknown) => {
            throw explainTaskError(error, batch[0]!.frame);
          });
        statistics = joinStatistics(statistics, measured.statistics);
        pixels.push(...measured.pixels);
        ofShape.push(...measured.caveats);
        if (at === 0) [areaMm2, volumeMl] = [measured.areaMm2 ?? NaN, measured.volumeMl ?? NaN];
        pixelsAreaMm2 += measured.pixelsAreaMm2;
        pixelsVolumeMl += measured.pixelsVolumeMl;
      }
      const { count, min, max, mean, sd, paddingCount, unmappedCount } = statistics;
      const isSingle = place.type === 'frame';
      return {
        id,
        etag,
        count,
        min: toKnown(min),
        max: toKnown(max),
        mean: toKnown(mean),
        sd: toKnown(sd),
        sum: toKnown(mean * count),
        unit: reading.unit,
        without_value: paddingCount + unmappedCount,
        frames: pixels.filter((inside) => inside > 0).length,
        area_mm2: isSingle ? toKnown(areaMm2) : null,
        pixels_area_mm2: isSingle ? toKnown(pixelsAreaMm2) : null,
        volume_ml: isSingle ? null : toKnown(volumeMl),
        caveats: [...caveats, ...tellSpacing(found), ...ofShape],
        pixels_volume_ml: isSingle ? null : toKnown(pixelsVolumeMl),
      };
    },
  };
}

/** Only the area: a slide is too large for its values to be read here. */
function measureTiles({ place, slices }: MarkContent, { files }: MarkStatisticsContext['catalog']) {
  const { file_index = -1, mask_step: step = 1 } = place.type === 'slide' ? place : {};
  const spacing = files[file_index]?.pixelSpacingMm;
  let inside = 0;
  for (const { runs } of listSlices(slices)) inside += countMaskPixels(runs);
  const pixels = inside * step ** 2;
  const area = spacing ? toKnown(toArea(pixels, { spacing, unit: 'mm' }).value) : null;
  return {
    count: 0,
    min: null,
    max: null,
    mean: null,
    sd: null,
    sum: null,
    unit: '',
    without_value: pixels,
    frames: 0,
    // A mask is drawn in whole pixels.
    area_mm2: area,
    pixels_area_mm2: area,
    volume_ml: null,
    caveats: [],
    pixels_volume_ml: null,
  };
}

function requireGray(files: readonly DicomFile[]): Pick<DicomFile, 'rows' | 'columns'> {
  const [first] = files;
  if (first === undefined || files.some(({ samplesPerPixel }) => samplesPerPixel !== 1)) {
    throw new ViewerError('unsupported_pixel_layout', 'statistics are of gray images');
  }
  const { rows, columns } = first;
  if (files.some((file) => file.rows !== rows || file.columns !== columns)) {
    throw new ViewerError('volume_unavailable', 'the images of the stack do not all have the same size');
  }
  return { rows, columns };
}

/** Where the sizes are not those in the patient. */
function tellSpacing({ planes }: MarkFrames): string[] {
  const { title, caveat } = SCALE_TERMS[SCALE_SOURCES[planes[SOURCE_AT] ?? -1] ?? 'none'];
  return caveat === '' ? [] : [`${title}: ${caveat}`];
}

/** The place of the source among the numbers of a plane, after the spacing. */
const SOURCE_AT = 11;

function toKnown(value: number): number | null {
  return Number.isFinite(value) ? value : null;
}
