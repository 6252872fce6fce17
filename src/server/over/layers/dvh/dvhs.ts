import { DEFAULT_DVH_BINS } from '../../../../shared/contract/dvh.ts';
import { mappingUnavailable, ViewerError } from '../../../../shared/contract/errors.ts';
import { LAYER_OBJECTS } from '../../../../shared/contract/layers.ts';
import { type DvhWish, nameDvhWish } from '../../../../shared/dvhWishes.ts';
import type { DicomFile } from '../../../images/catalog/dicomFile.ts';
import { sizeOf, stateOf } from '../../../bytes/origins/origins.ts';
import { MIB } from '../../../machine/system/mib.ts';
import { createKeptWork } from '../../../images/pixels/keptWork.ts';
import type { DoseRecord } from '../../../images/semantics/doseRecord.ts';
import type { KnownVolume } from '../../../images/volumes/volumeMemory.ts';
import type { LoadedSamples } from '../../../images/volumes/volumeTasks.ts';
import { TaskTimeout } from '../../../machine/workers/taskErrors.ts';
import { describeDose, type DescribedDose, requireCombinable } from '../field/combinedDoses.ts';
import { listDoseWarnings } from '../field/doseFacts.ts';
import type { LayerOptions, LayersInput, LayerWarning } from '../layerProvider.ts';
import { isPlaced, type LayerPlacement, placeInFrameOfReference } from '../placement.ts';
import type { Registrations } from '../registrations.ts';
import type { SegmentationLayers } from '../segmentation/segmentationLayers.ts';
import type { StructureSetLayers } from '../structureSet/structureSetLayers.ts';
import { type StructureSetRoi } from '../structureSet/structureSetRecord.ts';
import {
  type DoseScale,
  findHighestDoseTask,
  measureContoursTask,
  type MeasuredDvh,
  type MeasuredDvhs,
  measureMasksTask,
  readStoredDvhsTask,
  type SampleBound,
  type StoredDvh,
  type StoredDvhs,
} from './dvhTasks.ts';

/** Measures the dose in the volumes that structure sets and segmentations enclose. */
export type DoseHistograms = (request: DvhRequest, options: LayerOptions) => Promise<DoseInVolumes>;

export type DvhRequest = {
  /** A structure set or segmentation. */
  readonly file: DicomFile;
  readonly dose: DicomFile;
  /** More doses, which are added to it. */
  readonly plus?: readonly DicomFile[] | undefined;
  /** Numbers of ROIs or segments; all if undefined. */
  readonly parts?: readonly number[] | undefined;
  readonly bins?: number | undefined;
  readonly wishes?: readonly DvhWish[] | undefined;
};

export type DoseInVolumes = {
  /** What all of them say; undefined where they differ. */
  readonly dose: Pick<DoseRecord, 'doseUnits' | 'doseType' | 'doseSummationType'>;
  /** The highest dose of the grid, or the sum of those of all grids, in Gray; undefined if no sample has one. */
  readonly highestGy: number | undefined;
  /** Of every curve. */
  readonly edges: readonly number[];
  readonly dvhs: readonly PartDvh[];
};

export type PartDvh = {
  readonly part: number;
  readonly label: string | undefined;
  /** Undefined if the part encloses no volume. */
  readonly measured: MeasuredDvh | undefined;
  readonly stored: StoredDvh | undefined;
  readonly warnings: readonly LayerWarning[];
};

type Input = LayersInput & {
  readonly structureSet: StructureSetLayers;
  readonly segmentation: SegmentationLayers;
  readonly registrations: Registrations;
};

const MOST_OF_PART = 32 * MIB;
/** Samples of all parts of a small file, which takes about a second. A larger file may take longer. */
const MOST_OF_FILE = {
  contours: { ofSmall: 8 * MIB, perByte: 32 },
  masks: { ofSmall: 16 * MIB, perByte: 1024 },
} as const;

type MeasuredPart = { readonly dvh: MeasuredDvh | undefined };

/** What is measured of parts that have the same way into the dose. */
type Measurement = {
  /** Cache key of what is measured, without the part. */
  readonly state: string;
  readonly parts: readonly number[];
  readonly run: (doses: readonly LoadedSamples[], parts: readonly number[], scale: DoseScale) => Promise<MeasuredDvhs>;
};

type LoadedDose = DescribedDose & { readonly samples: LoadedSamples };

type NamedPart = { readonly number: number; readonly label: string | undefined; readonly warnings: LayerWarning[] };

export function createDoseHistograms(input: Input): DoseHistograms {
  const { tasks, memory, volumes, structureSet, segmentation, registrations } = input;
  const cache = memory.cache('doseHistograms');
  const measuredDvhs = createKeptWork<MeasuredPart>({ cache: cache.part('measured'), bytesOf: bytesOfPart });
  const highestDoses = createKeptWork<number>({ cache: cache.part('highest'), bytesOf: () => 64 });
  const storedDvhs = createKeptWork<StoredDvhs>({ cache: cache.part('stored'), bytesOf: bytesOfStored });

  async function readStored(dose: DicomFile, options: LayerOptions): Promise<StoredDvhs> {
    const state = await stateOf(dose.source);
    const { value } = await storedDvhs.get(state, options, (signal) =>
      tasks.run(readStoredDvhsTask, dose.source, { of: dose, signal }),
    );
    return value;
  }

  async function findHighest(volume: KnownVolume, samples: LoadedSamples, options: LayerOptions): Promise<number> {
    const { value } = await highestDoses.get(volume.key, options, (signal) =>
      tasks.run(findHighestDoseTask, samples, { signal }),
    );
    return value;
  }

  /** Parts that are not known yet are measured by one task. */
  async function measure(
    { state, parts, run }: Measurement,
    { loaded, scale }: { readonly loaded: readonly LoadedDose[]; readonly scale: DoseScale },
  ): Promise<ReadonlyMap<number, MeasuredDvh | undefined>> {
    const ofDoses = loaded.map(({ volume }) => volume.key);
    const points = scale.wishes.map(nameDvhWish);
    const keyOf = (part: number) => [...ofDoses, scale.bins, ...points, state, part].join(' ');
    const found = new Map<number, MeasuredDvh | undefined>();
    for (const part of parts) {
      const known = measuredDvhs.find(keyOf(part));
      if (known !== undefined) found.set(part, known.dvh);
    }
    const missing = parts.filter((part) => !found.has(part));
    if (missing.length === 0) return found;
    const samples = loaded.map((one) => one.samples);
    const measured = await run(samples, missing, scale).catch(explain);
    for (const [at, part] of missing.entries()) {
      found.set(part, measured[at]);
      await measuredDvhs.get(keyOf(part), { signal: undefined }, () => Promise.resolve({ dvh: measured[at] }));
    }
    return found;
  }

  async function openStructures(request: DvhRequest, dose: KnownVolume, options: LayerOptions) {
    const { state, rois, placed } = await structureSet.contoursIn(request.file, dose.frameOfReferenceUid, options);
    requirePlaced(placed.map(({ placement }) => placement));
    const isWanted = createFilter(request);
    const named = rois.filter(({ number }) => isWanted(number)).map(nameRoi);
    const bound = boundSamples(request.file, rois.length, MOST_OF_FILE.contours);
    const places = new Map(rois.map(({ number }, at) => [number, at] as const));
    const measurements = [...new Set(placed.flatMap(({ contours }) => contours ?? []))].map((contours): Measurement => {
      const own = rois.filter((_, at) => placed[at]?.contours === contours);
      return {
        state: `contours ${state}`,
        parts: own.map(({ number }) => number).filter(isWanted),
        run: (doses, parts, scale) =>
          tasks.run(
            measureContoursTask,
            { doses, contours, rois: parts.map((part) => places.get(part) ?? -1), bound, ...scale },
            { signal: options.signal },
          ),
      };
    });
    for (const [at, { placement }] of placed.entries()) {
      const roi = named.find(({ number }) => number === rois[at]?.number);
      roi?.warnings.push(...warnOfPlacement(placement));
    }
    return { named, measurements };
  }

  async function openSegments(request: DvhRequest, dose: KnownVolume, options: LayerOptions) {
    const masks = await segmentation.masks(request.file, options);
    const { state, record, meaning, maximum, tables, segments, cropped } = masks;
    // How the dose lies over the segmentation: planes of the one become planes of the other.
    const own = record.frames.geometry.frameOfReferenceUid;
    const placement = placeInFrameOfReference(dose.frameOfReferenceUid, own, await registrations.load(options));
    requirePlaced([placement]);
    if (placement.steps !== undefined && placement.matrix === undefined) {
      throw mappingUnavailable(
        `masks are only moved by registrations that keep planes as they are, ${placement.reason}`,
      );
    }
    const hidden = meaning.kind === 'labels' ? meaning.hidden : [];
    const isWanted = createFilter(request);
    const wanted = record.segments.filter(({ number }) => isWanted(number) && !hidden.includes(number));
    const warnings = [
      ...warnOfPlacement(placement),
      ...(cropped.damaged.length > 0
        ? [{ code: 'damaged_frames', message: 'frames of the segmentation are truncated or damaged in the file' }]
        : []),
    ];
    const named = wanted.map(({ number, label }): NamedPart => ({ number, label, warnings: [...warnings] }));
    const bound = boundSamples(request.file, record.segments.length, MOST_OF_FILE.masks);
    const { steps, matrix } = placement;
    const way = { matrix, ...(steps !== undefined && { steps }) };
    const viaStates = await Promise.all(placement.via.map(({ source }) => stateOf(source)));
    const measurement: Measurement = {
      state: ['masks', state, ...viaStates].join(' '),
      parts: wanted.map(({ number }) => number),
      run: (doses, parts, scale) =>
        tasks.run(
          measureMasksTask,
          { doses, tables, cropped, segments, meaning, maximum, placement: way, parts, bound, ...scale },
          { signal: options.signal },
        ),
    };
    return { named, measurements: [measurement] };
  }

  /** Has the samples of all doses in memory while it works. */
  function useAll<Result>(
    [next, ...others]: readonly DescribedDose[],
    loaded: readonly LoadedDose[],
    options: LayerOptions,
    work: (loaded: readonly LoadedDose[]) => Promise<Result>,
  ): Promise<Result> {
    if (next === undefined) return work(loaded);
    return volumes.use(
      { fileIndex: next.dose.index },
      (samples) => useAll(others, [...loaded, { ...next, samples }], options, work),
      options,
    );
  }

  return async (request, options) => {
    const { file, dose, plus = [], bins = DEFAULT_DVH_BINS, wishes = [] } = request;
    const isStructureSet = LAYER_OBJECTS.structureSet.matches(file);
    if (!isStructureSet && !LAYER_OBJECTS.segmentation.matches(file)) {
      throw new ViewerError('bad_request', 'only a structure set or a segmentation encloses volumes');
    }
    const described: DescribedDose[] = [];
    for (const one of [dose, ...plus]) described.push(await describeDose(input, one, options));
    const known = requireCombinable(described);
    const open = isStructureSet ? openStructures : openSegments;
    const { named, measurements } = await open(request, known.volume, options);
    const stored = isStructureSet && plus.length === 0 ? await readStored(dose, options) : undefined;

    return useAll(described, [], options, async (loaded) => {
      const highest: number[] = [];
      for (const { volume, samples } of loaded) highest.push(await findHighest(volume, samples, options));
      const highestGy = highest.reduce((sum, one) => sum + one, 0);
      const scale = { topGy: highestGy > 0 ? highestGy : 1, bins, wishes };
      const measured = new Map<number, MeasuredDvh | undefined>();
      for (const measurement of measurements) {
        for (const [part, dvh] of await measure(measurement, { loaded, scale })) measured.set(part, dvh);
      }
      const ofDoses = [
        ...loaded.flatMap(({ record, samples }) => [...listDoseWarnings(record), ...warnOfDamage(samples)]),
        ...warnOfOverlap(loaded),
      ];
      const ofAll = [...new Map(ofDoses.map((warning) => [warning.message, warning])).values()];
      return {
        dose: known.record,
        highestGy: Number.isNaN(highestGy) ? undefined : highestGy,
        edges: Array.from({ length: bins + 1 }, (_, bin) => (bin * scale.topGy) / bins),
        dvhs: named.map(({ number, label, warnings }): PartDvh => {
          const own = measured.get(number);
          const beside = findStored(stored, request, number);
          return {
            part: number,
            label,
            measured: own,
            stored: beside.stored,
            warnings: [...warnings, ...warnOfShare(own), ...beside.warnings, ...ofAll],
          };
        }),
      };
    });
  };
}

/** The same whichever parts are asked for, so that a part has the same histogram beside others. */
function boundSamples(
  { source }: DicomFile,
  parts: number,
  { ofSmall, perByte }: { readonly ofSmall: number; readonly perByte: number },
): SampleBound {
  const most = ofSmall + perByte * sizeOf(source);
  return { most, mostOfPart: Math.min(MOST_OF_PART, Math.ceil(most / Math.max(1, parts))) };
}

function explain(error: unknown): never {
  if (!(error instanceof TaskTimeout)) throw error;
  const message = 'measuring the dose took too long and was ended; ask for fewer parts at once';
  throw new ViewerError('layer_too_large', message, { cause: error });
}

function bytesOfPart({ dvh }: MeasuredPart): number {
  return 512 + (dvh === undefined ? 0 : dvh.cumulativeMm3.byteLength + 16 * dvh.points.length);
}

function bytesOfStored({ dvhs }: StoredDvhs): number {
  return dvhs.reduce((sum, { edges }) => sum + 16 * edges.length + 512, 512);
}

function createFilter({ parts }: DvhRequest): (part: number) => boolean {
  const wanted = parts && new Set(parts);
  return (part) => wanted === undefined || wanted.has(part);
}

function requirePlaced(placements: readonly LayerPlacement[]): void {
  const [first] = placements;
  if (first !== undefined && !placements.some(isPlaced)) throw mappingUnavailable(first.reason);
}

/** PS3.3 C.8.8.3: the dose of a plan has that of its beams in it. */
function warnOfOverlap(doses: readonly DescribedDose[]): LayerWarning[] {
  const wholes = doses.filter(({ record }) => WHOLE_PLANS.has(record.doseSummationType ?? ''));
  if (wholes.length === 0 || wholes.length === doses.length) return [];
  const message = 'the dose of a whole plan is added to that of a part of a plan, which it may contain';
  return [{ code: 'doses_overlap', message }];
}

const WHOLE_PLANS: ReadonlySet<string> = new Set(['PLAN', 'MULTI_PLAN', 'PLAN_OVERVIEW']);

function nameRoi({ number, name, spacingMm, contourCount, isNested, deviationMm }: StructureSetRoi): NamedPart {
  const warnings: LayerWarning[] = [];
  if (contourCount === 0) warnings.push({ code: 'no_volume', message: 'the object has no contours of it' });
  else if (spacingMm === undefined) {
    const message = 'it encloses no volume, because it has no closed contours in two or more planes';
    warnings.push({ code: 'no_volume', message });
  }
  if (isNested) {
    const message = 'contours inside others are holes, although the object does not say so';
    warnings.push({ code: 'nested_contours', message });
  }
  if (deviationMm > NON_PLANAR_MM && spacingMm !== undefined) {
    warnings.push({ code: 'non_planar', message: 'its contours leave their planes, to which they are projected' });
  }
  return { number, label: name, warnings };
}

const NON_PLANAR_MM = 0.1;

function warnOfPlacement(placement: LayerPlacement): LayerWarning[] {
  if (!isPlaced(placement)) return [{ code: 'not_placed', message: placement.reason }];
  return placement.steps === undefined ? [] : [{ code: 'registered', message: `moved ${placement.reason}` }];
}

/** Less is the rounding of coordinates. */
const WHOLE = 0.9995;

function warnOfShare(measured: MeasuredDvh | undefined): LayerWarning[] {
  if (measured === undefined) return [];
  const share = measured.insideMm3 / measured.volumeMm3;
  if (share >= WHOLE) return [];
  const percent = Number((100 * (1 - share)).toPrecision(3));
  const message = `${percent} % of the volume lie outside the dose grid and are left out`;
  return [{ code: 'outside_dose_grid', message }];
}

function findStored(
  stored: StoredDvhs | undefined,
  { file }: DvhRequest,
  roi: number,
): { readonly stored: StoredDvh | undefined; readonly warnings: readonly LayerWarning[] } {
  if (stored === undefined || stored.structureSetUid !== file.sopInstanceUid)
    return { stored: undefined, warnings: [] };
  const refused = stored.refused.find((one) => one.roi === roi);
  const message = `the histogram in the dose object is not shown, because ${refused?.reason}`;
  const warnings = refused === undefined ? [] : [{ code: 'stored_dvh_unusable', message }];
  return { stored: stored.dvhs.find((one) => one.roi === roi), warnings };
}

function warnOfDamage({ damage }: LoadedSamples): LayerWarning[] {
  if (damage === undefined) return [];
  return [{ code: 'dose_damaged', message: 'frames of the dose are truncated or damaged in the file' }];
}
