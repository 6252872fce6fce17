import { mappingUnavailable, ViewerError } from '../../../../shared/contract/errors.ts';
import { LAYER_OBJECTS } from '../../../../shared/contract/layers.ts';
import { combineFrameDamage, type FrameDamage } from '../../../../shared/frameDamage.ts';
import type { DicomFile } from '../../../images/catalog/dicomFile.ts';
import { stateOf } from '../../../bytes/origins/origins.ts';
import { decodeCostOf } from '../../../images/pixels/decodeCost.ts';
import { checkFrame } from '../../../images/pixels/frames.ts';
import type { RawFrame } from '../../../images/pixels/frameTasks.ts';
import { copyInTurns } from '../../../machine/workers/copyInTurns.ts';
import type { LayerFiles } from '../layerFiles.ts';
import type { LayerOptions, LayersInput } from '../layerProvider.ts';
import { isPassingFailure } from '../../../machine/workers/passingFailure.ts';
import { findKnownPlace } from '../knownPlace.ts';
import { findSlidePlane, isSlide } from '../slidePlaces.ts';
import { type AlignedTiles, alignTiles } from '../alignTiles.ts';
import type { FrameMappings } from './frameMappings.ts';
import { planeAt } from '../../../standard/geometry/frameGeometry.ts';
import { planeInColumns } from '../planeColumns.ts';
import {
  choosePaint,
  createFrameReader,
  judgeOverlay,
  type SegmentationContext,
  showSegments,
  UNKNOWN_TYPE,
} from './segmentationContext.ts';
import { bytesOfRecord, type SegmentationRecord } from './segmentationRecord.ts';
import {
  mapSegmentationTask,
  paintOverlayTask,
  type ProbedFractions,
  probeFractionsTask,
  readSegmentationTask,
} from './segmentationTasks.ts';

export type OverlayPicture = {
  readonly png: Uint8Array;
  /** Whether the decoded segmentation frame came from the cache. */
  readonly cached: boolean;
  /** Damage of the segmentation frame; its rows are not those of the image. */
  readonly damage: FrameDamage | undefined;
};

/** Segmentations: their content, the images they lie over, and how they are drawn there. */
export interface Segmentations {
  read(file: DicomFile, options: LayerOptions): Promise<SegmentationContext>;
  /** The mask of one frame (from 0) over its source frame. */
  overlay(file: DicomFile, frame: number, options: LayerOptions): Promise<OverlayPicture>;
  /** The content of a segmentation, and the open images that its frames lie over. */
  map(file: DicomFile, options: LayerOptions): Promise<MappedSegmentation>;
}

export type MappedSegmentation = Pick<SegmentationContext, 'record' | 'sources' | 'mappings'> & {
  /** It declares fractions, but stores only 0 and 1. */
  readonly isMask: boolean;
  /** Slide images in the frame of reference of its tiles. */
  readonly slides: readonly DicomFile[];
  /** How its tiles were laid over the pixels of one of them; undefined if offsets in millimetres place them. */
  readonly aligned: AlignedTiles | undefined;
  /** Number of damaged frames that might have changed `isMask` if they were intact. */
  readonly unprobedFrames: number;
  /** Cache key of the file in the state in which it was read, and of the image that its tiles were aligned with. */
  readonly state: string;
};

const PAINT_BYTES = 2 ** 20;
/** RGBA, its filtered copy and the compressed data. */
const PAINT_BYTES_A_PIXEL = 10;

type StateOptions = LayerOptions & { readonly state: string };
type Description = Pick<MappedSegmentation, 'record' | 'isMask' | 'unprobedFrames'>;
type Warned = Description & Pick<MappedSegmentation, 'aligned'>;
type Mapped = { readonly places: readonly number[]; readonly mappings: FrameMappings };

export function createSegmentations({
  catalog,
  tasks,
  memory,
  frames,
  references,
  files,
}: LayersInput & { readonly files: LayerFiles }): Segmentations {
  const descriptions = memory.cache<Description>('segmentationRecords');
  const mapped = memory.cache<Mapped>('segmentationMappings');

  async function describe(file: DicomFile, state: string, options: LayerOptions): Promise<Description> {
    const known = descriptions.get(state);
    if (known !== undefined) return known;
    const input = { file: file.source, frameCount: file.frameCount };
    const record = await tasks.run(readSegmentationTask, input, {
      of: file,
      shareKey: `seg ${state}`,
      signal: options.signal,
    });
    const probed = await probe(file, record, { ...options, state });
    const description = { record, isMask: probed.isMask, unprobedFrames: probed.damagedFrames };
    descriptions.set(state, description, bytesOfRecord(record));
    return description;
  }

  /** Some writers declare fractions but store a mask, which would be invisible when divided by the maximum. */
  async function probe(file: DicomFile, record: SegmentationRecord, options: StateOptions): Promise<ProbedFractions> {
    if (record.segmentationType !== 'FRACTIONAL' || (record.maximumFractionalValue ?? 255) <= 1) {
      return { isMask: false, damagedFrames: 0 };
    }
    if (file.bitsAllocated === 1) return { isMask: true, damagedFrames: 0 };
    const input = { file: file.source, frameCount: file.frameCount };
    const run = tasks.run(probeFractionsTask, input, {
      of: decodeCostOf(file, memory.plan.tasks),
      shareKey: `probe ${options.state}`,
      signal: options.signal,
    });
    return run.catch((error: unknown) => {
      if (options.signal?.aborted === true || isBusy(error)) throw error;
      // A frame that cannot be decoded reports its error when it is requested.
      return { isMask: false, damagedFrames: 0 };
    });
  }

  async function mapFrames(
    record: SegmentationRecord,
    sources: readonly DicomFile[],
    { state, ...options }: StateOptions,
  ): Promise<FrameMappings> {
    const places = sources.map(({ index }) => index);
    const known = mapped.get(state);
    if (known !== undefined && isEqual(known.places, places)) return known.mappings;
    const { rows, columns } = record;
    const input = {
      segmentation: { rows, columns, frames: record.frames },
      sources: sources.map((source) => ({
        source: source.source,
        sopInstanceUid: source.sopInstanceUid,
        seriesInstanceUid: source.seriesInstanceUid,
        rows: source.rows,
        columns: source.columns,
        frameCount: source.frameCount,
        place: findKnownPlace(source),
      })),
    };
    const shareKey = `map ${state} ${places.join()}`;
    const mappings = await tasks.run(mapSegmentationTask, input, { shareKey, signal: options.signal });
    mapped.set(state, { places, mappings }, bytesOfMappings(mappings) + places.length * 8);
    return mappings;
  }

  /** The distinct open images that a segmentation references. */
  function findSources({ frames: { sources, declaredUids, declaredSeriesUids } }: SegmentationRecord): DicomFile[] {
    const { instances } = references;
    const found = new Set<number>();
    for (const uid of [...sources.uids, ...declaredUids]) for (const index of instances.find(uid)) found.add(index);
    for (const uid of declaredSeriesUids) for (const index of instances.findSeries(uid)) found.add(index);
    return [...found].flatMap((index) => {
      const file = catalog.files[index];
      return file?.hasPixels === true && !LAYER_OBJECTS.segmentation.matches(file) ? [file] : [];
    });
  }

  /** The slide images that tiles lie over by their frame of reference. */
  async function findSlides({ frames: { geometry } }: SegmentationRecord): Promise<readonly DicomFile[]> {
    const { space, frameOfReferenceUid } = geometry;
    if (space !== 'slide' || frameOfReferenceUid === undefined) return [];
    const images = await files.imagesIn(frameOfReferenceUid);
    return images.filter((image) => isSlide(image) && findSlidePlane(image) !== undefined);
  }

  async function map(file: DicomFile, options: LayerOptions): Promise<MappedSegmentation> {
    const read = await stateOf(file.source);
    const description = await describe(file, read, options);
    const sources = findSources(description.record);
    const slides = await findSlides(description.record);
    const { geometry } = description.record.frames;
    const named = new Set(sources.map(({ index }) => index));
    const aligned = alignTiles(geometry, slides, ({ index }) => named.has(index));
    const record =
      aligned === undefined
        ? description.record
        : { ...description.record, frames: { ...description.record.frames, geometry: aligned.geometry } };
    const state = aligned === undefined ? read : `${read}\0${aligned.slide.index}`;
    const mappings = await mapFrames(record, sources, { ...options, state });
    return { ...description, record, state, sources, slides, aligned, mappings };
  }

  return {
    map,

    async read(file, options) {
      const [mappedFile, found] = await Promise.all([map(file, options), references.read(file, options)]);
      const { record, isMask, sources, mappings } = mappedFile;
      const segments = showSegments(record);
      const canPaint = choosePaint(record, { frame: 0, isMask, segments }) !== undefined;
      return {
        kind: 'segmentation',
        record,
        segments,
        sources,
        mappings,
        references: found,
        overlay: judgeOverlay(mappings, { sources, canPaint }),
        warnings: listWarnings(mappedFile),
      };
    },

    async overlay(file, frame, options) {
      checkFrame(file, frame);
      const { record, isMask, sources, mappings } = await map(file, options);
      const { status, reason, sourceFrames } = createFrameReader({ record, sources, mappings })(frame);
      const [source] = sourceFrames;
      if (status !== 'resolved' || source === undefined) throw mappingUnavailable(`frame ${frame}: ${reason}`);
      const paint = choosePaint(record, { frame, isMask, segments: showSegments(record) });
      if (paint === undefined) throw mappingUnavailable(UNKNOWN_TYPE);
      await stateOf(source.file.source);
      const raw = await frames.raw(file, frame, options);
      const { rows, columns } = source.file;
      const kept = toSamples(raw);
      const bytes = PAINT_BYTES + kept.byteLength + rows * columns * PAINT_BYTES_A_PIXEL;
      // The copy for the worker is also made within the reservation.
      const png = await memory.tasks.reserve({ bytes, signal: options.signal }, async () => {
        const { copy: samples, buffer } = await copyInTurns(kept);
        const input = {
          target: { rows, columns, plane: planeInColumns(mappings.sourcePlanes, frame) },
          mask: { rows: raw.rows, columns: raw.columns, plane: planeAt(record.frames.geometry, frame) },
          samples,
          paint,
        };
        const transfer = [buffer];
        return tasks.run(paintOverlayTask, input, { transfer, signal: options.signal });
      });
      return { png, cached: raw.cached, damage: combineFrameDamage(raw.damage === undefined ? [] : [raw.damage]) };
    },
  };
}

/** The error is about the current state of the server or of another machine, not about the file. */
function isBusy(error: unknown): boolean {
  return isPassingFailure(error) || (error instanceof ViewerError && error.code === 'decode_memory_exceeded');
}

function isEqual(a: readonly number[], b: readonly number[]): boolean {
  return a.length === b.length && a.every((value, i) => value === b[i]);
}

function bytesOfMappings({ statuses, fits, sourcePlanes, bySource }: FrameMappings): number {
  const lists = fits.starts.byteLength + fits.values.byteLength + bySource.byteLength;
  return statuses.byteLength * 3 + lists + sourcePlanes.byteLength;
}

export function listWarnings({ record, isMask, unprobedFrames, aligned }: Warned): string[] {
  const warnings = [...record.warnings, ...listTileWarnings(record, aligned)];
  if (record.segmentationType === 'FRACTIONAL') {
    if (record.maximumFractionalValue === undefined) {
      warnings.push('Maximum Fractional Value is missing; 255 is assumed');
    }
    if (isMask) warnings.push('the object declares fractions but stores only 0 and 1: it is drawn as a mask');
    if (unprobedFrames > 0) {
      const frames = unprobedFrames === 1 ? '1 frame is' : `${unprobedFrames} frames are`;
      const what = isMask ? 'a mask' : 'fractions';
      warnings.push(
        `${frames} truncated or damaged in the file: whether the object stores ${what} was decided without the missing part`,
      );
    }
  }
  return warnings;
}

/** Where rows and columns in the total pixel matrix, offsets on the slide and the origin of the slide disagree. */
function listTileWarnings({ frames }: SegmentationRecord, aligned: AlignedTiles | undefined): string[] {
  const { frameCount = 0 } = frames.geometry.doubts.find(({ code }) => code === 'tile_offsets') ?? {};
  const warnings: string[] = [];
  if (frameCount > 0) {
    const tiles = frameCount === 1 ? 'the offset of 1 tile' : `the offsets of ${frameCount} tiles`;
    const decision =
      aligned === undefined
        ? 'the offsets are used, because no open slide has the same total pixel matrix'
        : 'rows and columns are used, because the slide has the same total pixel matrix';
    warnings.push(
      `${tiles} on the slide differ by more than half a pixel from the rows and columns that are declared: ${decision}`,
    );
  }
  if (aligned !== undefined && aligned.originDistancePx > 0.5) {
    const distance = Number(aligned.originDistancePx.toPrecision(3));
    const pixels = distance === 1 ? '1 pixel' : `${distance} pixels`;
    warnings.push(
      `the declared origin is ${pixels} away from that of the slide, which has the same total pixel matrix: the masks are drawn from the origin of the slide on`,
    );
  }
  return warnings;
}

function toSamples({ bytes, bitsAllocated, samplesPerPixel }: RawFrame): Uint8Array | Uint16Array {
  if (samplesPerPixel === 1 && bitsAllocated <= 8) return bytes;
  if (samplesPerPixel === 1 && bitsAllocated === 16) {
    return bytes.byteOffset % 2 === 0
      ? new Uint16Array(bytes.buffer, bytes.byteOffset, bytes.length / 2)
      : new Uint16Array(bytes.slice().buffer);
  }
  throw new ViewerError(
    'unsupported_pixel_layout',
    `a segmentation of ${bitsAllocated} bits per sample cannot be drawn`,
  );
}
