import { ViewerError } from '../../../shared/contract/errors.ts';
import { type Moment, parseDateTime, parseMoment, SECONDS_A_DAY } from '../../../shared/dicomTime.ts';
import { type ModalityTransform, toRescale } from '../../../shared/modality.ts';
import { toDoseUnit, toModalityUnit } from '../../../shared/modalityUnit.ts';
import { computeSuv } from '../../../shared/suv.ts';
import type { DataSet } from '../../standard/dicom/dataSet.ts';
import { eachFrame, findMacro, type FrameAttributes, findFunctionalGroup } from '../../standard/dicom/eachFrame.ts';
import { readDoseGridScaling, readDoseTerms } from '../../standard/dicom/readDoseTerms.ts';
import { readPetAttributes } from '../../standard/dicom/readPetAttributes.ts';
import { readDicom } from '../../standard/dicom/readDataSet.ts';
import * as Tag from '../../standard/dicom/tag.ts';
import { readMosaic } from '../../standard/geometry/readMosaic.ts';
import { type KnownSource, withSame } from '../../bytes/origins/origins.ts';
import type { ImageFiles } from '../pixels/imageFiles.ts';
import type { ImagePixel } from '../pixels/imagePixel.ts';
import { readModality, readVoi } from '../pixels/presentation/readLookupTables.ts';
import { readPadding } from '../pixels/presentation/readPresentation.ts';
import { type LargeStack, type PackedStack, type StackRecord, unpackStack } from '../series/stackRecord.ts';
import { type PackedList, unpackList } from '../../machine/workers/packedList.ts';
import type { TaskContext } from '../../machine/workers/serveTasks.ts';
import { type CutStack, cutMosaics, mayBeMosaics } from './cutMosaics.ts';
import { describeVolume, type FrameFacts, type FrameReader, toTable } from './describeVolume.ts';
import { explainNoPlanes } from './explainNoPlanes.ts';
import { joinVolumes, type JointRecord } from './joinVolumes.ts';
import { placeFrames, type StackFile, type WantedFrame } from './placeFrames.ts';
import type { TimeKeys } from './splitTimes.ts';
import { type DescribedVolume, type PlacedVolume, refuse, type SampleStorage } from './volume.ts';

export type VolumeFile = StackFile & { readonly source: KnownSource };

export type ReadVolumeInput = {
  readonly stack: PackedStack | LargeStack | undefined;
  readonly files: PackedList<VolumeFile>;
  readonly wanted: WantedFrame;
};

/** Places the slices of a stack by their positions. Runs in a worker, and reads no file. */
export function placeVolume({ stack: packed, files, wanted }: ReadVolumeInput): PlacedVolume {
  const stack = packed === undefined || packed.kind === 'too_many_frames' ? packed : unpackStack(packed);
  const byIndex = new Map(unpackList(files).map((file) => [file.index, file]));
  const placed = placeFrames(stack, (index) => byIndex.get(index), wanted);
  if ('refusal' in placed) return { places: undefined, ...placed };
  if (stack === undefined || stack.kind === 'too_many_frames')
    throw new Error('a stack was placed that does not exist');
  const entries = placed.places.flat();
  const places = {
    frameOfReferenceUid: stack.frameOfReferenceUid,
    table: toTable(placed),
    fileIndices: Uint32Array.from(entries, (entry) => stack.fileIndices[entry]!),
    frameIndices: Uint32Array.from(entries, (entry) => stack.frameIndices[entry]!),
  };
  return { places, refusal: undefined };
}

/** Describes the volume of a stack, with what the headers of all its files say. Runs in a worker. */
export function readVolume(
  images: ImageFiles,
  { stack: packed, files, wanted }: ReadVolumeInput,
  { throwIfCancelled }: Pick<TaskContext, 'throwIfCancelled'>,
): DescribedVolume {
  const whole = packed === undefined || packed.kind === 'too_many_frames' ? packed : unpackStack(packed);
  const byIndex = new Map(unpackList(files).map((file) => [file.index, file]));
  const mosaicOf = rememberByNumber((index) => {
    throwIfCancelled();
    const file = byIndex.get(index)!;
    return withHeader(file, (header) => readMosaic(header, file));
  });
  const known = new Map<number, FileFacts>();
  const factsOfFile = (index: number): FileFacts => {
    const found = known.get(index);
    if (found !== undefined) return found;
    throwIfCancelled();
    const file = byIndex.get(index);
    if (file === undefined) throw new Error(`file ${index} of the stack is not known`);
    const facts = readFile(images, file);
    known.set(index, facts);
    return facts;
  };
  const sourceOf = (index: number) => byIndex.get(index)!.source;
  const fileOf = (index: number): VolumeFile | undefined => byIndex.get(index);
  const opened: OpenedFiles = { images, throwIfCancelled, factsOfFile, sourceOf };
  if (isJoint(whole)) {
    return joinVolumes(whole, wanted, {
      describe: (stack, isOfSeveral) => describeStack(stack, { fileOf, wanted, isOfSeveral }, opened),
      place(stack, ofPart) {
        throwIfCancelled();
        return placeFrames(stack, fileOf, ofPart);
      },
    });
  }
  const cut = mayBeMosaics(whole, fileOf) ? cutMosaics(whole, mosaicOf) : whole;
  if (cut !== undefined && 'refusal' in cut) return { volume: undefined, ...cut };
  const isCut = cut !== undefined && 'crops' in cut;
  const sliceOf = (index: number): VolumeFile | undefined => {
    const file = byIndex.get(index);
    const slice = isCut ? mosaicOf(index) : undefined;
    return (
      file && (slice === undefined || 'problem' in slice ? file : { ...file, rows: slice.rows, columns: slice.columns })
    );
  };
  return describeStack(cut, { fileOf: sliceOf, wanted, isOfSeveral: false }, opened);
}

/** Long values are read from the file while `use` asks for them. */
function withHeader<Value>({ source }: VolumeFile, use: (header: DataSet) => Value): Value {
  return withSame(source, (opened) => use(readDicom(opened, { until: Tag.FloatPixelData, isOriginal: true }).dataSet));
}

function isJoint(stack: StackRecord | LargeStack | undefined): stack is JointRecord {
  return stack !== undefined && 'partOf' in stack && stack.partOf !== undefined;
}

type OpenedFiles = Pick<TaskContext, 'throwIfCancelled'> & {
  readonly images: ImageFiles;
  readonly factsOfFile: (index: number) => FileFacts;
  readonly sourceOf: (index: number) => KnownSource;
};

type DescribedStack = {
  readonly fileOf: (index: number) => VolumeFile | undefined;
  readonly wanted: WantedFrame;
  /** Whether the frames are those of several files that each could be a volume. */
  readonly isOfSeveral: boolean;
};

function describeStack(
  stack: CutStack | LargeStack | undefined,
  { fileOf, wanted, isOfSeveral }: DescribedStack,
  { images, throwIfCancelled, factsOfFile, sourceOf }: OpenedFiles,
): DescribedVolume {
  const placed = placeFrames(stack, fileOf, wanted);
  if ('refusal' in placed) {
    const isKnown = stack === undefined || stack.kind === 'too_many_frames' || stack.problem !== undefined;
    const file = isKnown || placed.refusal.reason !== 'no_geometry' ? undefined : fileOf(stack.fileIndices[0] ?? -1);
    const explained = file && withHeader(file, (header) => explainNoPlanes(header, file.frameCount));
    return { volume: undefined, ...(explained ?? placed) };
  }
  // `placeFrames` refuses anything else.
  if (stack === undefined || stack.kind === 'too_many_frames')
    throw new Error('a stack was placed that does not exist');
  const fileAt = (entry: number) => stack.fileIndices[entry]!;
  const frameOf = (entry: number) => stack.frameIndices[entry]!;
  const bytesOf = (entry: number) => images.use(sourceOf(fileAt(entry)), (image) => image.readEncoded(frameOf(entry)));
  const reader: FrameReader = {
    factsOf: (entry) => factsOfFile(fileAt(entry))(frameOf(entry)),
    voiOf: (entry) =>
      images.use(sourceOf(fileAt(entry)), ({ object: { dataSet }, pixel }) => {
        const frame = frameOf(entry);
        return readVoi(dataSet, pixel, frame, readModality(dataSet, pixel, frame));
      }),
    areEqual(a, b) {
      throwIfCancelled();
      return Buffer.compare(bytesOf(a), bytesOf(b)) === 0;
    },
  };

  const entries = placed.places.flat();
  if (isOfSeveral) {
    const problem = tellsParts(stack, entries, reader);
    return problem === undefined ? describeVolume(stack, placed, reader) : { volume: undefined, ...problem };
  }
  // Frames of another Stack ID are another volume, also where they lie between those of this one.
  const ids = new Set(entries.map((entry) => reader.factsOf(entry).stackId));
  if (ids.size < 2) return describeVolume(stack, placed, reader);
  const isWanted = (entry: number) =>
    fileAt(entry) === wanted.fileIndex && (wanted.frame ?? frameOf(entry)) === frameOf(entry);
  const { stackId } = reader.factsOf(entries.find(isWanted) ?? entries[0]!);
  const ofStack = placeFrames(stack, fileOf, wanted, (entry) => reader.factsOf(entry).stackId === stackId);
  return 'refusal' in ofStack ? { volume: undefined, ...ofStack } : describeVolume(stack, ofStack, reader);
}

/** A Stack ID names frames of one file, so files with several of them are not joined; nor are magnitude and phase. */
function tellsParts(stack: CutStack, entries: readonly number[], { factsOf }: FrameReader) {
  const idOf = new Map<number, string | undefined>();
  const components = new Set<string | undefined>();
  for (const entry of entries) {
    const index = stack.fileIndices[entry]!;
    const { stackId, complexComponent } = factsOf(entry);
    if (idOf.has(index) && idOf.get(index) !== stackId) return refuse('side_by_side', 'a file has several Stack IDs');
    idOf.set(index, stackId);
    components.add(complexComponent);
  }
  return components.size > 1 ? refuse('incomplete_time', 'the files have several complex components') : undefined;
}

function rememberByNumber<Value>(read: (index: number) => Value): (index: number) => Value {
  const known = new Map<number, { readonly value: Value }>();
  return (index) => {
    const found = known.get(index) ?? { value: read(index) };
    known.set(index, found);
    return found.value;
  };
}

type FileFacts = (frame: number) => FrameFacts;

function readFile(images: ImageFiles, file: VolumeFile): FileFacts {
  const { source, frameCount, modality: modalityOfFile } = file;
  const read = images.use(source, ({ object: { dataSet }, pixel }) => {
    const scaling = readDoseGridScaling(dataSet);
    const isDose = scaling !== undefined;
    const modalities: ModalityTransform[] = [];
    for (let frame = 0; frame < frameCount; frame += 1) {
      modalities.push(isDose ? toRescale(scaling, 0) : readModality(dataSet, pixel, frame));
    }
    const transformation = findFunctionalGroup(dataSet, 0, Tag.PixelValueTransformationSequence) ?? dataSet;
    const rescaleType = transformation.string(Tag.RescaleType) ?? null;
    const units = { modality: modalityOfFile, petUnits: dataSet.string(Tag.Units) };
    return {
      keys: readTopKeys(dataSet),
      slots: dataSet.numbers(Tag.TimeSlotVector, frameCount),
      intervals: dataSet.numbers(Tag.RRIntervalVector, frameCount),
      hasGroups: dataSet.has(Tag.SharedFunctionalGroupsSequence) || dataSet.has(Tag.PerFrameFunctionalGroupsSequence),
      modalities,
      common: {
        storage: storageOf(pixel),
        bitsStored: pixel.bitsStored,
        photometricInterpretation: pixel.photometricInterpretation,
        unit: isDose ? toDoseUnit(readDoseTerms(dataSet)) : toModalityUnit(rescaleType, units),
        padding: readPadding(dataSet, pixel),
        sliceSpacingMm: dataSet.number(Tag.SpacingBetweenSlices),
        complexComponent: dataSet.string(Tag.ComplexImageComponent),
        suvFactor: modalityOfFile === 'PT' ? findSuvFactor(dataSet) : undefined,
      },
    };
  });
  const groups = read.hasGroups ? readGroups(source, frameCount, read.keys) : [];
  const build = (frame: number): FrameFacts => {
    const [slot, rrInterval] = [read.slots[frame], read.intervals[frame]];
    const isVector = slot !== undefined || rrInterval !== undefined;
    const keys = isVector
      ? { ...read.keys, temporalPosition: slot ?? read.keys.temporalPosition, rrInterval }
      : read.keys;
    return { stackId: undefined, ...read.common, keys, ...groups[frame], modality: read.modalities[frame]! };
  };
  // They are asked for again for every attribute that may tell times apart.
  const built: FrameFacts[] = [];
  return (frame) => (built[frame] ??= build(frame));
}

function findSuvFactor(dataSet: DataSet): number | undefined {
  const suv = computeSuv(readPetAttributes(dataSet));
  return 'factor' in suv ? suv.factor : undefined;
}

function storageOf({ sampleKind, bitsAllocated, pixelRepresentation }: ImagePixel): SampleStorage {
  if (sampleKind !== 'integer') return sampleKind;
  const isSigned = pixelRepresentation === 1;
  if (bitsAllocated <= 8) return isSigned ? 'int8' : 'uint8';
  if (bitsAllocated <= 16) return isSigned ? 'int16' : 'uint16';
  if (bitsAllocated <= 32) return isSigned ? 'int32' : 'uint32';
  throw new ViewerError('unsupported_pixel_layout', `volumes of samples of ${bitsAllocated} bits are not supported`);
}

function readTopKeys(dataSet: DataSet): TimeKeys {
  return {
    temporalPosition: dataSet.number(Tag.TemporalPositionIdentifier),
    triggerMs: dataSet.number(Tag.TriggerTime),
    bValue: dataSet.number(Tag.DiffusionBValue),
    gradient: describeGradient(dataSet),
    echoNumber: dataSet.number(Tag.EchoNumbers),
    echoMs: dataSet.number(Tag.EchoTime),
    acquisitionNumber: dataSet.number(Tag.AcquisitionNumber),
    acquisitionSeconds: toSeconds(
      parseDateTime(dataSet.string(Tag.AcquisitionDateTime)) ??
        parseMoment(dataSet.string(Tag.AcquisitionDate), dataSet.string(Tag.AcquisitionTime)),
    ),
    contentSeconds: toSeconds(parseMoment(dataSet.string(Tag.ContentDate), dataSet.string(Tag.ContentTime))),
    instanceNumber: dataSet.number(Tag.InstanceNumber),
  };
}

type GroupFacts = Pick<FrameFacts, 'keys' | 'stackId'> & Partial<Pick<FrameFacts, 'sliceSpacingMm'>>;

const IN_GROUPS = [
  Tag.FrameContentSequence,
  Tag.TemporalPositionIndex,
  Tag.StackID,
  Tag.FrameAcquisitionNumber,
  Tag.FrameAcquisitionDateTime,
  Tag.FrameReferenceDateTime,
  Tag.CardiacSynchronizationSequence,
  Tag.NominalCardiacTriggerDelayTime,
  Tag.NominalPercentageOfCardiacPhase,
  Tag.MRDiffusionSequence,
  Tag.DiffusionBValue,
  Tag.DiffusionGradientDirectionSequence,
  Tag.DiffusionGradientOrientation,
  Tag.MREchoSequence,
  Tag.EffectiveEchoTime,
  Tag.PixelMeasuresSequence,
  Tag.SpacingBetweenSlices,
  Tag.TemporalPositionSequence,
  Tag.TemporalPositionTimeOffset,
  Tag.XRay3DFrameTypeSequence,
  Tag.ReconstructionIndex,
  Tag.ImageDataTypeSequence,
  Tag.UltrasoundDataType,
];

function readGroups(source: KnownSource, frameCount: number, top: TimeKeys): GroupFacts[] {
  return withSame(source, (opened) => {
    const all: GroupFacts[] = [];
    for (const attributes of eachFrame(opened, { frameCount, wanted: [], wantedInGroups: IN_GROUPS })) {
      all.push(readGroup(attributes, top));
    }
    return all;
  });
}

function readGroup(attributes: FrameAttributes, top: TimeKeys): GroupFacts {
  const content = findMacro(attributes, Tag.FrameContentSequence);
  const cardiac = findMacro(attributes, Tag.CardiacSynchronizationSequence);
  const diffusion = findMacro(attributes, Tag.MRDiffusionSequence);
  const sliceSpacingMm = findMacro(attributes, Tag.PixelMeasuresSequence)?.number(Tag.SpacingBetweenSlices);
  const moment =
    parseDateTime(content?.string(Tag.FrameReferenceDateTime)) ??
    parseDateTime(content?.string(Tag.FrameAcquisitionDateTime));
  const keys: TimeKeys = {
    temporalPosition: content?.number(Tag.TemporalPositionIndex) ?? top.temporalPosition,
    cardiacPercent: cardiac?.number(Tag.NominalPercentageOfCardiacPhase),
    triggerMs: cardiac?.number(Tag.NominalCardiacTriggerDelayTime) ?? top.triggerMs,
    bValue: diffusion?.number(Tag.DiffusionBValue) ?? top.bValue,
    gradient: describeGradient(diffusion?.items(Tag.DiffusionGradientDirectionSequence)[0]) ?? top.gradient,
    echoNumber: top.echoNumber,
    echoMs: findMacro(attributes, Tag.MREchoSequence)?.number(Tag.EffectiveEchoTime) ?? top.echoMs,
    acquisitionNumber: content?.number(Tag.FrameAcquisitionNumber) ?? top.acquisitionNumber,
    acquisitionSeconds: toSeconds(moment) ?? top.acquisitionSeconds,
    contentSeconds: top.contentSeconds,
    temporalSeconds: findMacro(attributes, Tag.TemporalPositionSequence)?.number(Tag.TemporalPositionTimeOffset),
    reconstruction: findMacro(attributes, Tag.XRay3DFrameTypeSequence)?.number(Tag.ReconstructionIndex),
    dataType: findMacro(attributes, Tag.ImageDataTypeSequence)?.string(Tag.UltrasoundDataType),
    instanceNumber: top.instanceNumber,
  };
  const stackId = content?.string(Tag.StackID);
  return sliceSpacingMm === undefined ? { keys, stackId } : { keys, stackId, sliceSpacingMm };
}

function describeGradient(item: DataSet | undefined): string | undefined {
  const gradient = item?.numbers(Tag.DiffusionGradientOrientation, 3) ?? [];
  return gradient.length === 3 ? gradient.map((part) => part.toFixed(4)).join() : undefined;
}

function toSeconds(moment: Moment | undefined): number | undefined {
  return moment && (moment.day ?? 0) * SECONDS_A_DAY + moment.seconds;
}
