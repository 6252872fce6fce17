import { ViewerError } from '../../../shared/contract/errors.ts';
import type { PlaneGrid } from '../../../shared/planeGrid.ts';
import { paletteColor } from '../../../shared/segmentColor.ts';
import type { DicomFile } from '../../catalog/dicomFile.ts';
import { stateOf } from '../../origins/origins.ts';
import { readMemoryOf } from '../../pixels/decodeCost.ts';
import { checkFrame } from '../../pixels/frames.ts';
import { checkLayerObject } from '../checkLayerObject.ts';
import { createImagePlanes, MOST_PLANES, type PlacedFrame } from '../imagePlanes.ts';
import type { LayerFiles } from '../layerFiles.ts';
import type {
  DescribedPart,
  LayerDescription,
  LayerOptions,
  LayerProvider,
  LayersInput,
  LayerTarget,
  LayerWarning,
  PlacedLayer,
  TargetFrames,
  UnplacedParts,
} from '../layerProvider.ts';
import { isPlaced, type LayerPlacement, placeInFrameOfReference, unavailable } from '../placement.ts';
import { createPlaneColumns, putPlane } from '../planeColumns.ts';
import { bytesOfStructureSet, tooLarge, type StructureSetRoi, type StructureSetRecord } from './structureSetRecord.ts';
import { type CoveredPlanes, coverPlanesTask, packContoursTask, readStructureSetTask } from './structureSetTasks.ts';

const READ_TIMEOUT_MS = 60_000;
const COVER_TIMEOUT_MS = 60_000;
const PACK_TIMEOUT_MS = 20_000;
const MIB = 2 ** 20;
/** The points in the file are read in pieces; they are kept, measured and sent in 12 bytes each. */
const READ_FACTOR = 6;
const NON_PLANAR_MM = 0.1;

type Input = LayersInput & { readonly files: LayerFiles };

/** Structure sets over all open images of their frames of reference. */
export function createStructureSetLayers({ tasks, memory, files }: Input): LayerProvider {
  const cache = memory.cache<StructureSetRecord | CoveredImages>('structureSets');
  const imagePlanes = createImagePlanes(tasks);

  async function read(file: DicomFile, options: LayerOptions) {
    const state = await stateOf(file.source);
    const known = cache.get(`record ${state}`);
    if (known !== undefined && 'contours' in known) return { state, record: known, cached: true };
    const { bytes } = readMemoryOf(file);
    const mostBytes = memory.plan.structureSets;
    const record = await tasks.run(
      readStructureSetTask,
      { source: file.source, mostBytes },
      {
        ...taskOptions(READ_TIMEOUT_MS, options, `structures ${state}`),
        memory: { bytes: Math.max(bytes, 4 * MIB + READ_FACTOR * file.fileBytes), isUpperBound: true },
      },
    );
    const recordBytes = bytesOfStructureSet(record);
    // One that is not kept would be read again for every image.
    if (recordBytes > mostBytes) throw tooLarge(mostBytes);
    cache.set(`record ${state}`, record, recordBytes);
    return { state, record, cached: false };
  }

  /** The frames of one frame of reference that contours lie over. */
  async function cover(
    { state, record }: { readonly state: string; readonly record: StructureSetRecord },
    uid: string,
    options: LayerOptions,
  ): Promise<CoveredImages> {
    const images = await files.imagesIn(uid);
    const key = `cover ${state} ${uid} ${images.length}`;
    const known = cache.get(key);
    if (known !== undefined && 'targets' in known) return known;
    const { placed, leftOut } = await imagePlanes.listPlanes(images, options);
    const planes = createPlaneColumns(placed.length);
    for (const [at, { plane }] of placed.entries()) putPlane(planes, at, plane);
    const series = [...new Set(placed.map(({ file }) => file.seriesInstanceUid))];
    const numbers = new Map(series.map((uidOfSeries, at) => [uidOfSeries, at] as const));
    const seriesOf = Uint32Array.from(placed, ({ file }) => numbers.get(file.seriesInstanceUid) ?? 0);
    const rois = Uint8Array.from(record.rois, ({ frameOfReferenceUid }) => (frameOfReferenceUid === uid ? 1 : 0));
    const covered = await tasks.run(
      coverPlanesTask,
      { contours: record.contours, rois, roiCount: rois.length, planes, seriesOf, seriesCount: series.length },
      {
        ...taskOptions(COVER_TIMEOUT_MS, options, key),
        memory: { bytes: 2 * MIB + 3 * planes.byteLength, isUpperBound: true },
      },
    );
    const result = {
      images: images.length,
      leftOut,
      seriesCount: series.length,
      placed,
      targets: listTargets(placed, covered),
      covered,
    };
    cache.set(key, result, placed.length * 400 + rois.length * series.length * 8);
    return result;
  }

  return {
    async describe(file, options) {
      checkLayerObject(file, ['structureSet']);
      const opened = await read(file, options);
      const { rois } = opened.record;
      const uids = [...new Set(rois.flatMap(({ frameOfReferenceUid }) => frameOfReferenceUid ?? []))];
      const covered = new Map<string, CoveredImages>();
      for (const uid of uids) covered.set(uid, await cover(opened, uid, options));
      return describeStructures(opened.record, uids, covered);
    },

    async place(file, target, options) {
      checkLayerObject(file, ['structureSet']);
      checkFrame(target.file, target.frame);
      const opened = await read(file, options);
      await stateOf(target.file.source);
      const place = await imagePlanes.findPlane(target, options);
      if (place === undefined) {
        throw new ViewerError('semantic_mapping_unavailable', 'the image does not declare its position in space');
      }
      const { rows, columns } = target.file;
      const { plane, frameOfReferenceUid } = place;
      return placeContours(file, opened, {
        frameOfReferenceUid,
        grid: { ...plane, rows, columns },
        parts: target.parts,
      });
    },

    async placeOnPlane(file, { frameOfReferenceUid, grid }, options) {
      checkLayerObject(file, ['structureSet']);
      return placeContours(file, await read(file, options), { frameOfReferenceUid, grid, parts: undefined });
    },
  };

  /** The same for a stored frame and for any plane of the patient. */
  function placeContours(
    file: DicomFile,
    { record, cached }: { readonly record: StructureSetRecord; readonly cached: boolean },
    { frameOfReferenceUid: target, grid, parts }: ContourTarget,
  ): PlacedLayer {
    const placements = record.rois.map(({ frameOfReferenceUid }) =>
      placeInFrameOfReference(frameOfReferenceUid, target),
    );
    if (placements.length > 0 && !placements.some(isPlaced)) {
      throw new ViewerError('semantic_mapping_unavailable', placements[0]?.reason ?? '');
    }
    const wanted = parts && new Set(parts);
    const numbers = Int32Array.from(record.rois, ({ number }, at) =>
      isPlaced(placements[at]!) && (wanted === undefined || wanted.has(number)) ? number : -1,
    );
    return {
      async packet({ signal, priority = 'interactive' }) {
        const { rows, columns, ...plane } = grid;
        const input = { layer: file.index, contours: record.contours, numbers, plane, rows, columns };
        const bytes = await tasks.run(packContoursTask, input, {
          ...taskOptions(PACK_TIMEOUT_MS, { signal }),
          priority,
          memory: { bytes: 2 * MIB + 3 * record.contours.points.byteLength, isUpperBound: true },
        });
        return { bytes, cached, damage: undefined };
      },
    };
  }
}

type ContourTarget = {
  readonly frameOfReferenceUid: string | undefined;
  readonly grid: PlaneGrid;
  readonly parts: readonly number[] | undefined;
};

type CoveredImages = {
  /** Number of images of the frame of reference, placed or not. */
  readonly images: number;
  /** Of these, those with too many frames. */
  readonly leftOut: number;
  readonly seriesCount: number;
  readonly placed: readonly PlacedFrame[];
  readonly targets: readonly TargetFrames[];
  readonly covered: CoveredPlanes;
};

function taskOptions(timeoutMs: number, { signal }: LayerOptions, shareKey?: string) {
  return { timeoutMs, ...(shareKey !== undefined && { shareKey }), ...(signal !== undefined && { signal }) };
}

function listTargets(placed: readonly PlacedFrame[], { isCovered }: CoveredPlanes): TargetFrames[] {
  const targets = new Map<number, { file: DicomFile; frames: number[] }>();
  for (const [at, { file, frame }] of placed.entries()) {
    if (isCovered[at] === 0) continue;
    const known = targets.get(file.index);
    if (known === undefined) targets.set(file.index, { file, frames: [frame] });
    else known.frames.push(frame);
  }
  return [...targets.values()];
}

function describeStructures(
  record: StructureSetRecord,
  uids: readonly string[],
  covered: ReadonlyMap<string, CoveredImages>,
): LayerDescription {
  const parts = record.rois.map((roi, at) =>
    describeRoi(roi, at, { roiCount: record.rois.length, images: covered.get(roi.frameOfReferenceUid ?? '') }),
  );
  const unplaced = parts.flatMap(({ number, contours }): UnplacedParts[] =>
    contours.problem === undefined ? [] : [{ reason: contours.problem, part: number, count: contours.count }],
  );
  return {
    parts,
    targets: [...covered.values()].flatMap(({ targets }) => targets),
    placement: judge(record, parts),
    frameOfReferenceUids: uids,
    unplaced: [...unplaced, ...record.leftOut.map(({ roi, reason, count }) => ({ reason, part: roi, count }))],
    warnings: listWarnings(record, [...covered.values()]),
  };
}

type RoiPart = DescribedPart & Required<Pick<DescribedPart, 'contours'>>;

function describeRoi(
  roi: StructureSetRoi,
  at: number,
  { roiCount, images }: { readonly roiCount: number; readonly images: CoveredImages | undefined },
): RoiPart {
  const ends = Array.from({ length: images?.seriesCount ?? 0 }, (_, series) => {
    const place = series * roiCount + at;
    const [first, last] = [images?.covered.firstPlanes, images?.covered.lastPlanes].map(
      (planes) => images?.placed[planes?.[place] ?? -1],
    );
    return first === undefined || last === undefined ? [] : [{ first: toTarget(first), last: toTarget(last) }];
  }).flat();
  return {
    number: roi.number,
    label: roi.name,
    description: roi.description,
    color: roi.color ?? paletteColor(at + 1),
    colorSource: roi.color === undefined ? 'palette' : 'declared',
    contours: {
      interpretedType: roi.interpretedType,
      geometry: roi.types,
      count: roi.contourCount,
      volumeMm3: roi.volumeMm3,
      ends,
      problem: ends.length === 0 ? explain(roi, images) : undefined,
    },
  };
}

function toTarget({ file, frame }: PlacedFrame): LayerTarget {
  return { file, frame };
}

function explain(roi: StructureSetRoi, images: CoveredImages | undefined): string {
  if (roi.contourCount === 0) return 'the object has no contours of it';
  if (roi.frameOfReferenceUid === undefined) return 'the object does not declare its frame of reference';
  if (images === undefined || images.images === 0) return 'no image of its frame of reference is open';
  if (images.placed.length === 0) return 'the images of its frame of reference do not declare their position';
  return 'none of its contours reaches an open image';
}

function judge({ rois }: StructureSetRecord, parts: readonly RoiPart[]): LayerPlacement {
  if (rois.length === 0) return unavailable('the object describes no ROI');
  const drawn = parts.filter(({ contours }) => contours.problem === undefined).length;
  if (drawn === 0) return unavailable(`no ROI lies over an open image: ${parts[0]?.contours.problem ?? ''}`);
  const uid = rois.find((_, at) => parts[at]?.contours.problem === undefined)?.frameOfReferenceUid;
  return { ...placeInFrameOfReference(uid, uid), reason: `${drawn} of ${rois.length} ROIs lie over open images` };
}

function listWarnings({ rois, isCut }: StructureSetRecord, covered: readonly CoveredImages[]): LayerWarning[] {
  const nested = rois.filter(({ isNested }) => isNested);
  const bent = rois.filter(({ deviationMm }) => deviationMm > NON_PLANAR_MM);
  const leftOut = covered.reduce((sum, images) => sum + images.leftOut, 0);
  return [
    ...(leftOut === 0
      ? []
      : [
          {
            code: 'images_left_out',
            message: `nothing is drawn over ${leftOut} open files, because all images together have more than ${MOST_PLANES} frames`,
          },
        ]),
    ...(nested.length === 0
      ? []
      : [
          {
            code: 'nested_contours',
            message: `contours inside others are drawn as holes, although the object does not say so: ${nameRois(nested)}`,
          },
        ]),
    ...(bent.length === 0
      ? []
      : [
          {
            code: 'non_planar',
            message: `contours that should be planar leave their plane by more than ${NON_PLANAR_MM} mm: ${nameRois(bent)}`,
          },
        ]),
    ...(isCut
      ? [{ code: 'incomplete', message: 'the object is truncated or too large, so contours are missing' }]
      : []),
  ];
}

const MOST_NAMED = 8;

function nameRois(rois: readonly StructureSetRoi[]): string {
  const names = rois.slice(0, MOST_NAMED).map(({ name, number }) => name ?? `ROI ${number}`);
  const others = rois.length > MOST_NAMED ? ` and ${rois.length - MOST_NAMED} others` : '';
  return `${names.join(', ')}${others}`;
}
