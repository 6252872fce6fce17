import { ViewerError } from '../../../../shared/contract/errors.ts';
import { RT_DOSE_STORAGE } from '../../../../shared/contract/layers.ts';
import { explainNoLine } from '../../../../shared/explainNoLine.ts';
import { listFrameReadings } from '../../../../shared/listFrameReadings.ts';
import type { PositionTable } from '../../../../shared/positionTable.ts';
import type { Line } from '../../../../shared/valueMapping.ts';
import type { DicomFile } from '../../catalog/dicomFile.ts';
import type { MemoryAccount } from '../../../machine/memory/memoryAccount.ts';
import { MIB } from '../../../machine/system/mib.ts';
import { decodeCostOfAll } from '../../pixels/decodeCost.ts';
import type { DecodeCost } from '../../pixels/frameTasks.ts';
import { explainTaskError } from '../../pixels/explainTaskError.ts';
import type { FrameOptions } from '../../pixels/frames.ts';
import type { Semantics } from '../../semantics/semantics.ts';
import { bytesOfSample, isFloatStorage, isSignedStorage } from '../../volumes/sampleView.ts';
import { cropOf, type Rescale, type SampleStorage, timeOfFrame, type VolumeTime } from '../../volumes/volume.ts';
import type { KnownVolume } from '../../volumes/volumeMemory.ts';
import type { Volumes } from '../../volumes/volumes.ts';
import type { VolumeAddress } from '../../volumes/volumeRecords.ts';
import type { Task, TaskRunner } from '../../../machine/workers/task.ts';
import {
  packSlicesTask,
  readSidecarTask,
  type SidecarFields,
  type SliceToWrite,
  type WriteSlicesInput,
  writeSlicesTask,
} from '../exportTasks.ts';
import { joinGzipParts, packGzipPart } from '../../../machine/workers/gzipParts.ts';
import { writeNrrdHeader } from '../nrrd/writeNrrdHeader.ts';
import { writeNpyHeader } from '../numpy/writeNpyHeader.ts';
import { affineOf, findNiftiGrid, findSingleGrid, type NiftiGrid } from './niftiGrid.ts';
import { MOST_NIFTI_SIZE, writeNiftiHeader } from './writeNiftiHeader.ts';

export type NiftiChoice = {
  /** One of several times; absent: all of them. */
  readonly time?: number | undefined;
  readonly format: VolumeFormat;
};

/**
 * NIfTI has samples as stored, with their rescale in its header. NRRD, which is packed, and NumPy have no such place: their
 * samples are values. In NumPy rows run down, and slices need not be equally far apart.
 */
export type VolumeFormat = 'nii' | 'nii.gz' | 'nrrd' | 'npy';

export type WrittenNifti = {
  /** An image of the volume, which the file is named after. */
  readonly of: DicomFile;
  /** Length of the file; undefined if it is packed. */
  readonly bytes: number | undefined;
  /** The most that is in memory for a client that reads slowly. */
  readonly heldBytes: number;
  /** The file, slices after slices. Fails if a slice is damaged or cannot be decoded. */
  readonly pieces: AsyncGenerator<Uint8Array<ArrayBuffer>, void>;
};

/** The slices of one time of a volume, which need not be equally far apart. */
export type LocatedSlices = {
  readonly of: DicomFile;
  /** The planes of all slices; those of the file begin at `firstPlace`. */
  readonly table: PositionTable;
  readonly firstPlace: number;
  /** File and frame of each slice. */
  readonly frames: Uint32Array<ArrayBuffer>;
  /** Slices are parts of frames, side by side. */
  readonly isCut: boolean;
};

/** The grid of one time of a volume. */
export type PlacedNifti = LocatedSlices & { readonly grid: NiftiGrid };

export type NiftiSidecar = {
  readonly of: DicomFile;
  readonly fields: SidecarFields;
  /** Times (if there are several), slices, rows and columns. */
  readonly shape: readonly number[];
  /** From column, row (down) and slice to millimetres (LPS), three rows of four numbers; undefined without a grid. */
  readonly affine: readonly number[] | undefined;
  /** The centre of the first sample of each slice, three numbers each (LPS). */
  readonly origins: Float64Array;
};

/** Volumes as files of NIfTI, or of other formats on its grid, written while they are sent. */
export interface NiftiVolumes {
  write(address: VolumeAddress, query: NiftiChoice, options: FrameOptions): Promise<WrittenNifti>;
  /** Where the samples of such a file are, and the stored frame of each of its slices: of one time, that of the frame if none is named. */
  place(address: VolumeAddress, query: Pick<NiftiChoice, 'time'>, options: FrameOptions): Promise<PlacedNifti>;
  /** The same without a grid, which irregular slices do not have. */
  locate(address: VolumeAddress, query: Pick<NiftiChoice, 'time'>, options: FrameOptions): Promise<LocatedSlices>;
  /** What a file of NIfTI cannot say, in the words of BIDS. It does not name the patient. */
  describe(address: VolumeAddress, query: Pick<NiftiChoice, 'time'>, options: FrameOptions): Promise<NiftiSidecar>;
}

export type NiftiContext = {
  readonly files: readonly DicomFile[];
  readonly volumes: Pick<Volumes, 'describe'>;
  readonly semantics: Pick<Semantics, 'values'>;
  readonly tasks: TaskRunner;
  readonly memory: MemoryAccount;
  /** Name and version of this program, for the files. */
  readonly software: { readonly name: string; readonly version: string };
};

/** Slices that one task decodes, in bytes of the file. */
const PART_BYTES = 4 * MIB;
const MOST_IN_PART = 64;
/** Parts that are made while the client reads. Long slices are made one at a time. */
const MOST_AHEAD = 2;
/** Of a single image that does not say how thick its slice is. */
const UNKNOWN_THICKNESS_MM = 1;

export function createNiftiVolumes({ files, volumes, semantics, tasks, memory, software }: NiftiContext): NiftiVolumes {
  async function find(address: VolumeAddress, time: number | undefined, options: FrameOptions): Promise<Found> {
    const described = await volumes.describe(address, options);
    const single = described.refusal?.reason === 'single_place';
    const { volume, refusal } = single ? await volumes.describe({ ...address, takesSingle: true }, options) : described;
    if (volume === undefined) throw new ViewerError('volume_unavailable', `no volume: ${refusal.message}`);
    if (time !== undefined && time >= volume.times.length) {
      throw new ViewerError('frame_out_of_range', `time ${time} is outside 0 to ${volume.times.length - 1}`);
    }
    const all = volume.times.map((_, at) => at);
    const found = { volume, times: time === undefined ? all : [time] };
    if (!single) return { ...found, firstPlace: 0, places: volume.table.positionsMm.length, isSingle: false };
    // A single image is three slices in nearly the same place.
    return { ...found, firstPlace: 1, places: 1, isSingle: true };
  }

  const fileOf = ({ volume, firstPlace }: Found) => files[volume.fileIndices[firstPlace]!]!;

  function locate(found: Found): LocatedSlices {
    const { volume, firstPlace, places } = found;
    const first = found.times[0]! * volume.table.positionsMm.length + firstPlace;
    const frames = new Uint32Array(2 * places);
    for (let place = 0; place < places; place += 1) {
      frames.set([volume.fileIndices[first + place]!, volume.frameIndices[first + place]!], 2 * place);
    }
    return { of: fileOf(found), table: volume.table, firstPlace, frames, isCut: volume.crops !== undefined };
  }

  /** What the header of the first slice says. */
  function readFields(found: Found, { signal }: FrameOptions): Promise<SidecarFields> {
    const file = fileOf(found);
    const input = { source: file.source, frame: found.volume.frameIndices[found.firstPlace]! };
    return tasks.run(readSidecarTask, input, { of: file, signal });
  }

  /** How the page reads the values, where the file has others: those of a dose are in its unit already. */
  async function readQuantity(found: Found, { signal }: FrameOptions): Promise<Quantity> {
    const file = fileOf(found);
    if (file.sopClassUid === RT_DOSE_STORAGE) return { caveats: [], line: undefined, unit: '' };
    const mapping = await semantics.values(file, found.volume.frameIndices[found.firstPlace]!, { signal });
    const { mappings } = found.volume;
    if (mappings !== undefined) return { caveats: mapping.caveats, line: undefined, unit: mappings.unit };
    const named = listFrameReadings({ mapping, modality: file.modality })[0]!;
    const { kind, reading, isOfAllFrames } = named;
    const isOther = isOfAllFrames && kind !== 'modality';
    const why = explainNoLine(named, mapping);
    const caveats = [
      ...mapping.caveats,
      ...(why === undefined ? [] : [`values are not as the images show them, because ${why}`]),
    ];
    return { caveats, line: isOther ? reading.ofModality : undefined, unit: reading.unit };
  }

  async function findGrid(found: Found, options: FrameOptions): Promise<NiftiGrid> {
    const { volume, isSingle, firstPlace } = found;
    const { table } = volume;
    const sizes = [table.columns, table.rows, found.places, found.times.length];
    if (Math.max(...sizes) > MOST_NIFTI_SIZE) {
      const message = `no size of a NIfTI-1 file can be above ${MOST_NIFTI_SIZE}: ${sizes.join(' × ')}`;
      throw new ViewerError('volume_unavailable', message);
    }
    if (isSingle) {
      const { SpacingBetweenSlices: spacing, SliceThickness: thickness } = await readFields(found, options);
      return findSingleGrid(table, firstPlace, [spacing, thickness].find(isLength) ?? UNKNOWN_THICKNESS_MM);
    }
    const grid = findNiftiGrid(table);
    if (grid !== undefined) return grid;
    throw new ViewerError('volume_unavailable', `no file of NIfTI: ${explainNoGrid(volume)}`);
  }

  async function writeHead(
    found: Found,
    form: SampleForm,
    format: VolumeFormat,
    options: FrameOptions,
  ): Promise<Uint8Array<ArrayBuffer>> {
    const { volume, times } = found;
    if (format === 'npy') return writeNpyHeader(form.storage, shapeOf(found));
    const grid = await findGrid(found, options);
    const description = `${software.name} ${software.version}`;
    if (format === 'nrrd') {
      const list = times.length > 1 ? ({ count: times.length, at: 'last' } as const) : undefined;
      return writeNrrdHeader({ grid, storage: form.storage, list, software: description });
    }
    return writeNiftiHeader({
      grid,
      times: times.length,
      timeStepSeconds: findTimeStep(times.map((at) => volume.times[at]!)),
      storage: form.storage,
      rescale: form.rescale,
      description,
    });
  }

  /** The parts of a file, in order. Some are made in advance; they stop when nobody asks any more. */
  async function* makeParts<Part>(
    found: Found,
    form: SampleForm & { readonly rowsRunUp: boolean },
    task: Task<WriteSlicesInput, Part, DecodeCost>,
    options: FrameOptions,
  ): AsyncGenerator<Part, void> {
    const { table, sample } = found.volume;
    const stop = new AbortController();
    const signal = options.signal === undefined ? stop.signal : AbortSignal.any([options.signal, stop.signal]);
    const writtenBytes = table.rows * table.columns * bytesOfSample(form.storage);
    const start = (slices: readonly SliceToWrite[]) => {
      const ofSlices = slices.map(({ fileIndex }) => files[fileIndex]!);
      const part = tasks.run(
        task,
        {
          storage: sample.storage,
          isModality: sample.isModality,
          rows: table.rows,
          columns: table.columns,
          written: form.storage,
          rowsRunUp: form.rowsRunUp,
          slices,
        },
        {
          signal,
          priority: 'prefetch',
          isAwaited: true,
          of: decodeCostOfAll(ofSlices, memory.plan.tasks),
        },
      );
      const explained = part.catch((error: unknown) => {
        throw explainTaskError(error, slices[0]!.frame);
      });
      explained.catch(() => undefined);
      return explained;
    };
    const ahead: Promise<Part>[] = [];
    const most = partsAhead(writtenBytes);
    try {
      for (const slices of listParts(found, form, slicesInPart(writtenBytes))) {
        ahead.push(start(slices));
        if (ahead.length > most) yield await ahead.shift()!;
      }
      for (const part of ahead) yield await part;
    } finally {
      stop.abort(new Error('nobody asks for the rest of the file'));
    }
  }

  function* listParts({ volume, times, firstPlace, places }: Found, form: SampleForm, mostSlices: number) {
    const placesOfTime = volume.table.positionsMm.length;
    let slices: SliceToWrite[] = [];
    for (const time of times) {
      for (let place = firstPlace; place < firstPlace + places; place += 1) {
        const at = time * placesOfTime + place;
        const fileIndex = volume.fileIndices[at]!;
        const { source } = files[fileIndex]!;
        const frame = volume.frameIndices[at]!;
        const mapping = volume.mappings?.ofFrames[at];
        slices.push({ source, frame, fileIndex, mapping, crop: cropOf(volume.crops, at), rescale: form.rescaleOf(at) });
        if (slices.length < mostSlices) continue;
        yield slices;
        slices = [];
      }
    }
    if (slices.length > 0) yield slices;
  }

  return {
    async write(address, { time, format }, options) {
      const found = await find(address, time, options);
      const { volume, times, places } = found;
      const isNifti = format === 'nii' || format === 'nii.gz';
      const form = isNifti ? findForm(volume) : findValueForm(volume);
      const head = await writeHead(found, form, format, options);
      const sliceBytes = volume.table.rows * volume.table.columns * bytesOfSample(form.storage);
      const heldBytes = (partsAhead(sliceBytes) + 2) * slicesInPart(sliceBytes) * sliceBytes;
      const how = { ...form, rowsRunUp: format !== 'npy' };
      const make = <Part>(task: Task<WriteSlicesInput, Part, DecodeCost>) => makeParts(found, how, task, options);
      if (format === 'nii.gz' || format === 'nrrd') {
        const pieces =
          format === 'nrrd'
            ? withHead(head, joinGzipParts(make(packSlicesTask)))
            : joinGzipParts(withHead(packGzipPart(head), make(packSlicesTask)));
        return { of: fileOf(found), bytes: undefined, heldBytes, pieces };
      }
      const bytes = head.length + sliceBytes * places * times.length;
      return { of: fileOf(found), bytes, heldBytes, pieces: withHead(head, make(writeSlicesTask)) };
    },
    async place(address, { time }, options) {
      const found = ofOneTime(await find(address, time, options), address, time);
      return { ...locate(found), grid: await findGrid(found, options) };
    },
    async locate(address, { time }, options) {
      return locate(ofOneTime(await find(address, time, options), address, time));
    },
    async describe(address, { time }, options) {
      const found = await find(address, time, options);
      const fields = await readFields(found, options);
      const { SpacingBetweenSlices: _, ...others } = fields;
      const measured = found.isSingle ? fields : { ...others, ...measureSpacing(found.volume.table) };
      const quantity = await readQuantity(found, options);
      const grid = await findGrid(found, options).catch((error: unknown) => {
        if (error instanceof ViewerError && error.code === 'volume_unavailable') return undefined;
        throw error;
      });
      const { table } = found.volume;
      return {
        of: fileOf(found),
        fields: { ...measured, ...describeConversion(found, quantity, software) },
        shape: shapeOf(found),
        affine: grid && affineOf(grid),
        origins: table.points.slice(3 * found.firstPlace, 3 * (found.firstPlace + found.places)),
      };
    },
  };
}

/** That of the frame that is asked for, unless another one is named. */
function ofOneTime(found: Found, address: VolumeAddress, time: number | undefined): Found {
  return time === undefined ? { ...found, times: [timeOfFrame(found.volume, address)] } : found;
}

/** What makes the quantity of the stack out of modality values. */
type Quantity = { readonly caveats: readonly string[]; readonly line: Line | undefined; readonly unit: string };

/** The volume of a request, and the part of it that is written. */
type Found = {
  readonly volume: KnownVolume;
  /** At least one. */
  readonly times: readonly number[];
  readonly firstPlace: number;
  readonly places: number;
  readonly isSingle: boolean;
};

function isLength(value: unknown): value is number {
  return typeof value === 'number' && value > 0;
}

function slicesInPart(sliceBytes: number): number {
  return Math.min(MOST_IN_PART, Math.max(1, Math.floor(PART_BYTES / sliceBytes)));
}

function partsAhead(sliceBytes: number): number {
  return sliceBytes > PART_BYTES ? 0 : MOST_AHEAD;
}

/** The first slices are made before the head is sent, so that a failure can still be answered. */
async function* withHead<Part>(head: Part, parts: AsyncGenerator<Part, void>): AsyncGenerator<Part, void> {
  try {
    const first = await parts.next();
    yield head;
    if (first.done !== true) yield first.value;
    yield* parts;
  } finally {
    await parts.return();
  }
}

/** How samples are written. */
type SampleForm = {
  readonly storage: SampleStorage;
  /** In the header of the file. */
  readonly rescale: Rescale;
  /** Of a frame of the volume, if it is applied before the samples are written. */
  readonly rescaleOf: (frame: number) => Rescale | undefined;
};

/**
 * Samples are written as stored, and the header has their rescale. It can have only one: with several, modality values are
 * written.
 */
function findForm({ sample }: KnownVolume): SampleForm {
  const { storage, bitsStored, rescale, rescales } = sample;
  if (rescale === undefined && rescales !== undefined) {
    const { slopes, intercepts } = rescales;
    const rescaleOf = (frame: number) => ({ slope: slopes[frame]!, intercept: intercepts[frame]! });
    return { storage: 'float32', rescale: { slope: 1, intercept: 0 }, rescaleOf };
  }
  // More programs read signed words, and values of 15 bits are the same in both.
  const written = storage === 'uint16' && bitsStored < 16 ? 'int16' : storage;
  return { storage: written, rescale: rescale ?? { slope: 1, intercept: 0 }, rescaleOf: () => undefined };
}

/** Samples are values. Integers stay integers if their rescale has none but integers. */
function findValueForm(volume: KnownVolume): SampleForm {
  const form = findForm(volume);
  const { slope, intercept } = form.rescale;
  if (slope === 1 && intercept === 0) return form;
  const storage = findValueStorage(volume, form.rescale);
  return { storage, rescale: { slope: 1, intercept: 0 }, rescaleOf: () => form.rescale };
}

function findValueStorage({ sample: { storage, bitsStored } }: KnownVolume, { slope, intercept }: Rescale) {
  const isLong = storage === 'float64' || storage === 'uint32' || storage === 'int32';
  const others = isLong ? 'float64' : 'float32';
  if (isFloatStorage(storage) || !Number.isInteger(slope) || !Number.isInteger(intercept)) return others;
  const bits = Math.min(bitsStored, 8 * bytesOfSample(storage));
  const [least, most] = isSignedStorage(storage) ? [-(2 ** (bits - 1)), 2 ** (bits - 1) - 1] : [0, 2 ** bits - 1];
  const ends = [least * slope + intercept, most * slope + intercept];
  const [low, high] = [Math.min(...ends), Math.max(...ends)];
  if (low >= -(2 ** 15) && high < 2 ** 15) return 'int16';
  return low >= -(2 ** 31) && high < 2 ** 31 ? 'int32' : others;
}

function shapeOf({ volume: { table }, times, places }: Found): readonly number[] {
  return [...(times.length > 1 ? [times.length] : []), places, table.rows, table.columns];
}

const SAME_STEP = 0.01;

/** Seconds between times that are equally far apart. */
function findTimeStep(times: readonly VolumeTime[]): number | undefined {
  const seconds = times.map(({ kind, value, unit }) => {
    if (kind !== 'time' || value === undefined) return NaN;
    return unit === 's' ? value : unit === 'ms' ? value / 1000 : NaN;
  });
  const step = (seconds.at(-1)! - seconds[0]!) / (seconds.length - 1);
  const isEven = seconds.every((second, at) => Math.abs(second - seconds[0]! - at * step) <= SAME_STEP * step);
  return step > 0 && isEven ? step : undefined;
}

function explainNoGrid({ table, tiltDegrees }: KnownVolume): string {
  const gapsMm = Array.from(table.isHole, (_, gap) => table.positionsMm[gap + 1]! - table.positionsMm[gap]!);
  const [least, most] = [Math.min(...gapsMm), Math.max(...gapsMm)].map((mm) => Number(mm.toFixed(3)));
  if (least !== most) return `the distance between slices is not the same everywhere: ${least} to ${most} mm`;
  return `the slices do not begin on one line${tiltDegrees > 0 ? ': the tilt of the gantry changes' : ''}`;
}

/** The header may say something else than the positions, by which the slices are placed. Nothing if it differs. */
function measureSpacing(table: PositionTable): SidecarFields {
  const { positionsMm } = table;
  const gaps = positionsMm.length - 1;
  if (gaps < 1 || findNiftiGrid(table) === undefined) return {};
  const spacingMm = (positionsMm[gaps]! - positionsMm[0]!) / gaps;
  return { SpacingBetweenSlices: Number(spacingMm.toFixed(6)) };
}

function describeConversion(
  { volume, times, isSingle }: Found,
  { caveats, line, unit }: Quantity,
  software: NiftiContext['software'],
): SidecarFields {
  const warnings = [...(isSingle ? [] : volume.warnings.map(({ message }) => message)), ...caveats];
  const labels = times.map((time) => volume.times[time]!.label);
  const bValues = times.flatMap((time) => {
    const { kind, value } = volume.times[time]!;
    return kind === 'b_value' && value !== undefined ? [value] : [];
  });
  return {
    ...(volume.sample.unit !== '' && { Units: volume.sample.unit }),
    ...(line && { QuantityUnits: unit, QuantitySlope: line.slope, QuantityIntercept: line.intercept }),
    ...(times.length > 1 && { VolumeLabels: labels }),
    ...(bValues.length === times.length && { DiffusionBValues: bValues }),
    ...(warnings.length > 0 && { ConversionWarnings: warnings }),
    ConversionSoftware: software.name,
    ConversionSoftwareVersion: software.version,
  };
}
