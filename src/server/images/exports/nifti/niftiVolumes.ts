import { ViewerError } from '../../../../shared/contract/errors.ts';
import type { ArrayUnit } from '../../../../shared/contract/volumes.ts';
import { RT_DOSE_STORAGE } from '../../../../shared/contract/layers.ts';
import { lengthOf } from '../../../../shared/geometry.ts';
import { explainNoLine } from '../../../../shared/explainNoLine.ts';
import { listFrameReadings } from '../../../../shared/listFrameReadings.ts';
import type { PositionTable } from '../../../../shared/positionTable.ts';
import type { Line } from '../../../../shared/valueMapping.ts';
import type { DicomFile } from '../../catalog/dicomFile.ts';
import type { MemoryAccount } from '../../../machine/memory/memoryAccount.ts';
import type { DecodeCost } from '../../pixels/frameTasks.ts';
import type { FrameOptions } from '../../pixels/frames.ts';
import type { Semantics } from '../../semantics/semantics.ts';
import { bytesOfSample } from '../../volumes/sampleView.ts';
import { type Rescale, type SampleStorage, timeOfFrame, type VolumeTime } from '../../volumes/volume.ts';
import type { KnownVolume } from '../../volumes/volumeMemory.ts';
import type { KnownDescription, Volumes } from '../../volumes/volumes.ts';
import type { VolumeAddress } from '../../volumes/volumeRecords.ts';
import type { Task, TaskRunner } from '../../../machine/workers/task.ts';
import {
  packSlicesTask,
  readSidecarTask,
  type SidecarFields,
  type WriteSlicesInput,
  writeSlicesTask,
} from '../exportTasks.ts';
import { joinGzipParts, packGzipPart } from '../../../machine/workers/gzipParts.ts';
import { writeNrrdHeader } from '../nrrd/writeNrrdHeader.ts';
import { writeNpyHeader } from '../numpy/writeNpyHeader.ts';
import { findArrayForm, findSampleForm, findValueForm, type SampleForm } from './sampleForm.ts';
import { type FoundVolume, makeParts, partsAhead, slicesInPart } from './volumeParts.ts';
import { affineOf, findNiftiGrid, findSingleGrid, type NiftiGrid } from './niftiGrid.ts';
import { MOST_NIFTI_SIZE, writeNiftiHeader } from './writeNiftiHeader.ts';

export type NiftiChoice = {
  /** One of several times; absent: all of them. */
  readonly time?: number | undefined;
  readonly format: VolumeFormat;
};

/** An array of NumPy in a unit that is named. */
export type ArrayChoice = {
  /** `own`: that of the frame. Absent: all. */
  readonly time?: number | 'own' | undefined;
  readonly unit: ArrayUnit;
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

/** What an array has, and where its samples are. */
export type ArrayPlan = {
  readonly storage: SampleStorage;
  /** Times, slices, rows and columns. */
  readonly shape: readonly [number, number, number, number];
  /** As in a sidecar. */
  readonly affine: readonly number[] | undefined;
  readonly origins: Float64Array;
  /** Between slices (the usual distance if there is no grid), rows and columns. */
  readonly spacingMm: readonly [number, number, number];
  readonly times: readonly VolumeTime[];
  /** Of the samples; empty for stored ones. */
  readonly unit: string;
  /** What makes modality values of the stored samples of all images. */
  readonly rescale: Rescale | undefined;
  /** File and frame of each slice, time after time. */
  readonly frames: Uint32Array;
  /** Slices are parts of frames, side by side. */
  readonly isCut: boolean;
  readonly warnings: readonly string[];
  /** The same for the same samples. It is not for clients. */
  readonly key: string;
};

/** Volumes as files of NIfTI, or of other formats on its grid, written while they are sent. */
export interface NiftiVolumes {
  write(address: VolumeAddress, query: NiftiChoice, options: FrameOptions): Promise<WrittenNifti>;
  /** What `writeArray` writes. Both refuse units that the samples do not have. */
  planArray(address: VolumeAddress, query: ArrayChoice, options: FrameOptions): Promise<ArrayPlan>;
  writeArray(address: VolumeAddress, query: ArrayChoice, options: FrameOptions): Promise<WrittenNifti>;
  /** Where the samples of such a file are, and the stored frame of each of its slices: of one time, that of the frame if none is named. */
  place(address: VolumeAddress, query: Pick<NiftiChoice, 'time'>, options: FrameOptions): Promise<PlacedNifti>;
  /** The same without a grid, which irregular slices do not have. */
  locate(address: VolumeAddress, query: Pick<NiftiChoice, 'time'>, options: FrameOptions): Promise<LocatedSlices>;
  /** What a file of NIfTI cannot say, in the words of BIDS. It does not name the patient. */
  describe(address: VolumeAddress, query: Pick<NiftiChoice, 'time'>, options: FrameOptions): Promise<NiftiSidecar>;
}

export type NiftiContext = {
  readonly files: readonly DicomFile[];
  readonly volumes: Pick<Volumes, 'describe' | 'describeStored'>;
  readonly semantics: Pick<Semantics, 'values'>;
  readonly tasks: TaskRunner;
  readonly memory: MemoryAccount;
  /** Name and version of this program, for the files. */
  readonly software: { readonly name: string; readonly version: string };
};

/** Of a single image that does not say how thick its slice is. */
const UNKNOWN_THICKNESS_MM = 1;

export function createNiftiVolumes({ files, volumes, semantics, tasks, memory, software }: NiftiContext): NiftiVolumes {
  async function find(
    address: VolumeAddress,
    time: number | undefined,
    options: FrameOptions,
    describe: Describe = volumes.describe,
  ): Promise<FoundVolume> {
    const described = await describe(address, options);
    const single = described.refusal?.reason === 'single_place';
    const { volume, refusal } = single ? await describe({ ...address, takesSingle: true }, options) : described;
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

  const fileOf = ({ volume, firstPlace }: FoundVolume) => files[volume.fileIndices[firstPlace]!]!;

  function locate(found: FoundVolume): LocatedSlices {
    const { volume, firstPlace, times } = found;
    const frames = framesOf({ ...found, times: [times[0]!] });
    return { of: fileOf(found), table: volume.table, firstPlace, frames, isCut: volume.crops !== undefined };
  }

  /** What the header of the first slice says. */
  function readFields(found: FoundVolume, { signal }: FrameOptions): Promise<SidecarFields> {
    const file = fileOf(found);
    const input = { source: file.source, frame: found.volume.frameIndices[found.firstPlace]! };
    return tasks.run(readSidecarTask, input, { of: file, signal });
  }

  /** How the page reads the values, where the file has others: those of a dose are in its unit already. */
  async function readQuantity(found: FoundVolume, { signal }: FrameOptions): Promise<Quantity> {
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

  async function findGrid(found: FoundVolume, options: FrameOptions): Promise<NiftiGrid> {
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

  /** Undefined where slices are on none. */
  async function findOwnGrid(found: FoundVolume, options: FrameOptions): Promise<NiftiGrid | undefined> {
    return findGrid(found, options).catch((error: unknown) => {
      if (error instanceof ViewerError && error.code === 'volume_unavailable') return undefined;
      throw error;
    });
  }

  async function writeHead(
    found: FoundVolume,
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

  async function writeFound(
    found: FoundVolume,
    form: SampleForm,
    format: VolumeFormat,
    options: FrameOptions,
  ): Promise<WrittenNifti> {
    const head = await writeHead(found, form, format, options);
    const { volume, times, places } = found;
    const sliceBytes = volume.table.rows * volume.table.columns * bytesOfSample(form.storage);
    const heldBytes = (partsAhead(sliceBytes) + 2) * slicesInPart(sliceBytes) * sliceBytes;
    const how = { ...form, rowsRunUp: format !== 'npy' };
    const make = <Part>(task: Task<WriteSlicesInput, Part, DecodeCost>) =>
      makeParts({ files, tasks, memory }, found, how, task, options);
    if (format === 'nii.gz' || format === 'nrrd') {
      const pieces =
        format === 'nrrd'
          ? withHead(head, joinGzipParts(make(packSlicesTask)))
          : joinGzipParts(withHead(packGzipPart(head), make(packSlicesTask)));
      return { of: fileOf(found), bytes: undefined, heldBytes, pieces };
    }
    const bytes = head.length + sliceBytes * places * times.length;
    return { of: fileOf(found), bytes, heldBytes, pieces: withHead(head, make(writeSlicesTask)) };
  }

  async function findArray(address: VolumeAddress, { time, unit }: ArrayChoice, options: FrameOptions) {
    const ofAll = await find(address, time === 'own' ? undefined : time, options, volumes.describeStored);
    const found = time === 'own' ? ofOneTime(ofAll, address, undefined) : ofAll;
    const { sample } = found.volume;
    if (unit !== 'SUVbw' || sample.suvFactor !== undefined) {
      return { found, form: findArrayForm(found.volume, unit) };
    }
    const { pet } = await semantics.values(fileOf(found), found.volume.frameIndices[found.firstPlace]!, options);
    const missing = pet !== null && 'missing' in pet.suv ? pet.suv.missing : [];
    const why = missing.map((one) => `${one.keyword}: ${one.why}`).join('; ');
    throw new ViewerError('volume_unavailable', `no SUV: ${why || 'the images are no PET'}`);
  }

  return {
    async write(address, { time, format }, options) {
      const found = await find(address, time, options);
      const isNifti = format === 'nii' || format === 'nii.gz';
      return writeFound(found, isNifti ? findSampleForm(found.volume) : findValueForm(found.volume), format, options);
    },
    async planArray(address, choice, options) {
      const { found, form } = await findArray(address, choice, options);
      const { volume, times, places } = found;
      const { table, sample } = volume;
      const grid = await findOwnGrid(found, options);
      return {
        storage: form.storage,
        shape: [times.length, places, table.rows, table.columns],
        affine: grid && affineOf(grid),
        origins: originsOf(found),
        spacingMm: [grid ? lengthOf(grid.vectors[2]) : table.spacingMm, table.rowSpacingMm, table.columnSpacingMm],
        times: times.map((time) => volume.times[time]!),
        unit: choice.unit === 'SUVbw' ? choice.unit : choice.unit === 'modality' ? sample.unit : '',
        rescale: sample.isModality ? undefined : sample.rescale,
        frames: framesOf(found),
        isCut: volume.crops !== undefined,
        warnings: found.isSingle ? [] : volume.warnings.map(({ message }) => message),
        key: [volume.key, found.firstPlace, times.join(), choice.unit].join('\0'),
      };
    },
    async writeArray(address, choice, options) {
      const { found, form } = await findArray(address, choice, options);
      return writeFound(found, form, 'npy', options);
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
      const grid = await findOwnGrid(found, options);
      return {
        of: fileOf(found),
        fields: { ...measured, ...describeConversion(found, quantity, software) },
        shape: shapeOf(found),
        affine: grid && affineOf(grid),
        origins: originsOf(found),
      };
    },
  };
}

/** That of the frame that is asked for, unless another one is named. */
function ofOneTime(found: FoundVolume, address: VolumeAddress, time: number | undefined): FoundVolume {
  return time === undefined ? { ...found, times: [timeOfFrame(found.volume, address)] } : found;
}

type Describe = (address: VolumeAddress, options: FrameOptions) => Promise<KnownDescription>;

/** What makes the quantity of the stack out of modality values. */
type Quantity = { readonly caveats: readonly string[]; readonly line: Line | undefined; readonly unit: string };

function isLength(value: unknown): value is number {
  return typeof value === 'number' && value > 0;
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

/** File and frame of each slice, time after time. */
function framesOf({ volume, times, firstPlace, places }: FoundVolume): Uint32Array<ArrayBuffer> {
  const frames = new Uint32Array(2 * places * times.length);
  let at = 0;
  for (const time of times) {
    const first = time * volume.table.positionsMm.length + firstPlace;
    for (let place = first; place < first + places; place += 1) {
      frames[at++] = volume.fileIndices[place]!;
      frames[at++] = volume.frameIndices[place]!;
    }
  }
  return frames;
}

function originsOf({ volume: { table }, firstPlace, places }: FoundVolume): Float64Array {
  return table.points.slice(3 * firstPlace, 3 * (firstPlace + places));
}

function shapeOf({ volume: { table }, times, places }: FoundVolume): readonly number[] {
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
  { volume, times, isSingle }: FoundVolume,
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
