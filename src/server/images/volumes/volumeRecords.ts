import { createHash } from 'node:crypto';
import { ViewerError } from '../../../shared/contract/errors.ts';
import type { Catalog } from '../catalog/catalog.ts';
import type { DicomFile } from '../catalog/dicomFile.ts';
import type { MemoryAccount } from '../../machine/memory/memoryAccount.ts';
import type { FrameOptions } from '../pixels/frames.ts';
import { createKeptWork } from '../pixels/keptWork.ts';
import { findReadStack, refusePending } from '../series/findReadStack.ts';
import type { SeriesList } from '../series/seriesList.ts';
import type { LargeStack, PackedStack } from '../series/stackRecord.ts';
import { isMosaicType } from '../../standard/geometry/mosaicType.ts';
import { doInTurns } from '../../machine/workers/doInTurns.ts';
import { packList } from '../../machine/workers/packedList.ts';
import type { TaskRunner } from '../../machine/workers/task.ts';
import { type Clock, createTimeLimit } from '../../machine/workers/timeLimit.ts';
import { refuseFile, type WantedFrame } from './placeFrames.ts';
import type { VolumeFile } from './readVolume.ts';
import { rememberEntry } from './rememberEntry.ts';
import type { DescribedVolume, PlacedVolume, VolumeWarning } from './volume.ts';
import type { KnownVolume } from './volumeMemory.ts';
import { placeVolumeTask, readVolumeTask } from './volumeTasks.ts';

/** Names a volume: the one of the stack that a file is in. `frame` selects one of several in a file. */
export type VolumeAddress = {
  readonly fileIndex: number;
  readonly frame?: number | undefined;
  /** A single image counts as a volume as thin as a plane. */
  readonly takesSingle?: boolean;
};

/** The key is empty if there is no volume. */
export type VolumeRecord = DescribedVolume & { readonly key: string };

/** What the volumes are that addresses name, and where their slices lie. */
export type VolumeRecords = {
  readonly describe: (address: VolumeAddress, options: FrameOptions) => Promise<VolumeRecord>;
  readonly place: (address: VolumeAddress, options: FrameOptions) => Promise<PlacedVolume>;
};

/** A request waits at most this long for the geometry of a volume. Some need it in two forms. */
const DESCRIBING_MS = 6_000;

export function createVolumeRecords({
  catalog,
  series,
  tasks,
  memory,
  clock,
}: {
  readonly catalog: Pick<Catalog, 'get' | 'files'>;
  readonly series: Pick<SeriesList, 'findStack' | 'findJointStack' | 'version'>;
  readonly tasks: TaskRunner;
  readonly memory: MemoryAccount;
  readonly clock: Clock;
}): VolumeRecords {
  const { files } = catalog;
  const cache = memory.cache('volumeRecords');
  const described = createKeptWork<VolumeRecord>({
    cache: cache.part('described'),
    bytesOf: ({ volume }) => 4_096 + 64 * (volume?.fileIndices.length ?? 0),
  });
  const placed = createKeptWork<PlacedVolume>({
    cache: cache.part('placed'),
    bytesOf: ({ places }) => 4_096 + 64 * (places?.fileIndices.length ?? 0),
  });
  /** Keys of the stacks of addresses. The stacks themselves are too large to be kept. */
  const stackKeys = new Map<string, { readonly version: string; readonly key: string }>();
  /** By the key of a stack: the key of a volume of several files of it, which is the same whichever file is asked for. */
  const joints = new Map<string, string>();
  /** By the key of a stack: which of its files are known to be volumes of their own. */
  const aparts = new Map<string, VolumeWarning>();
  const lookUps = new Map<string, Promise<FoundStack>>();

  /** Concurrent requests look up once. */
  async function findStack({ fileIndex, frame }: VolumeAddress): Promise<FoundStack> {
    const address = `${fileIndex} ${frame}`;
    const version = series.version();
    const looking = lookUps.get(address) ?? lookUpStack(series, { fileIndex, frame });
    lookUps.set(address, looking);
    try {
      const found = await looking;
      rememberEntry(stackKeys, address, { version, key: found.key });
      return found;
    } finally {
      if (lookUps.get(address) === looking) lookUps.delete(address);
    }
  }

  async function describe(address: VolumeAddress, options: FrameOptions): Promise<VolumeRecord> {
    const file = catalog.get(address.fileIndex);
    if (!file.hasPixels) throw new ViewerError('no_pixel_data', 'the file has no pixel data');
    if (address.frame !== undefined && address.frame >= file.frameCount) {
      throw new ViewerError('frame_out_of_range', `frame ${address.frame} is outside 0 to ${file.frameCount - 1}`);
    }
    const refused = refuseFile(file);
    if (refused !== undefined) return { volume: undefined, ...refused, key: '' };
    const { fileIndex, frame, takesSingle = false } = address;
    const wanted = { fileIndex, frame, takesSingle };
    const named = `${fileIndex} ${frame}`;
    const keyOf = (stackKey: string) => `${stackKey} ${named}${takesSingle ? ' single' : ''}`;
    const remembered = stackKeys.get(named);
    const known = remembered?.version === series.version() ? described.find(keyOf(remembered.key)) : undefined;
    if (known !== undefined) return known;
    return within(async () => {
      const { stack, key: stackKey } = await findStack(address);
      return readRecord(keyOf(stackKey), { stack, stackKey, file, wanted }, options);
    }, options.signal);
  }

  async function readRecord(
    key: string,
    { stack, stackKey, file, wanted }: RecordInput,
    options: FrameOptions,
  ): Promise<VolumeRecord> {
    const { value } = await described.get(key, options, async (signal) => {
      const joint = described.find(joints.get(stackKey) ?? '');
      if (joint !== undefined && holds(joint, wanted)) return joint;
      const known = aparts.get(stackKey);
      const apart = known?.fileIndices.includes(wanted.fileIndex) === true ? known : undefined;
      const of = apart === undefined ? stack : await findReadStack(series, wanted.fileIndex, wanted.frame);
      const indices = new Set(of === undefined || of.kind === 'too_many_frames' ? [] : of.fileIndices);
      const read = await tasks.run(
        readVolumeTask,
        { stack: of, files: await doInTurns(packList(listVolumeFiles(indices, files)), signal), wanted },
        { of: { file, files: indices.size }, signal, shareKey: `volume ${key}` },
      );
      if (read.volume === undefined) return { ...read, key: '' };
      const { warnings } = read.volume;
      const found = warnings.find(({ code }) => code === 'files_apart');
      if (found !== undefined) rememberEntry(aparts, stackKey, found);
      if (isOfSeveralParts(of, read)) rememberEntry(joints, stackKey, key);
      const volume = apart === undefined ? read.volume : { ...read.volume, warnings: [...warnings, apart] };
      return { volume, refusal: undefined, key: keyOfVolume(read.volume) };
    });
    return value;
  }

  /** The work goes on if it takes longer, and a later request finds its result. */
  async function within<Value>(work: () => Promise<Value>, signal: AbortSignal | undefined): Promise<Value> {
    const value = await createTimeLimit(DESCRIBING_MS, clock, signal).wait(work);
    if (value !== undefined) return value;
    throw new ViewerError('decode_busy', 'the slices of the volume are still being read; try again in a moment');
  }

  /** Where positions alone do not say which slices are those of the volume. */
  async function placeRead(address: VolumeAddress, options: FrameOptions): Promise<PlacedVolume> {
    const { volume, refusal } = await describe(address, options);
    return volume === undefined ? { places: undefined, refusal } : { places: volume, refusal: undefined };
  }

  async function place(address: VolumeAddress, options: FrameOptions): Promise<PlacedVolume> {
    const file = catalog.get(address.fileIndex);
    const refused = refuseFile(file);
    if (refused !== undefined) return { places: undefined, ...refused };
    const { fileIndex, frame, takesSingle = false } = address;
    if (isMosaicType(file.placement?.imageType.split('\\') ?? [])) {
      return placeRead(address, options);
    }
    const named = `${fileIndex} ${frame}`;
    const keyOf = (stackKey: string) => `${stackKey} ${named} ${takesSingle}`;
    const remembered = stackKeys.get(named);
    const known = remembered?.version === series.version() ? placed.find(keyOf(remembered.key)) : undefined;
    if (known !== undefined) return known;
    const { stack, key } = await findStack(address);
    if (stack !== undefined && stack.kind !== 'too_many_frames' && stack.partOf !== undefined)
      return placeRead(address, options);
    const { value } = await placed.get(keyOf(key), options, async (signal) => {
      const indices = new Set(stack === undefined || stack.kind === 'too_many_frames' ? [] : stack.fileIndices);
      const packed = await doInTurns(packList(listVolumeFiles(indices, files)), signal);
      const input = { stack, files: packed, wanted: { fileIndex, frame, takesSingle } };
      return tasks.run(placeVolumeTask, input, { signal });
    });
    return value;
  }

  return { describe, place };
}

type RecordInput = {
  readonly stack: FoundStack['stack'];
  readonly stackKey: string;
  readonly file: DicomFile;
  readonly wanted: WantedFrame;
};

function isOfSeveralParts(stack: FoundStack['stack'], { volume }: DescribedVolume): boolean {
  if (stack === undefined || stack.kind === 'too_many_frames' || stack.partOf === undefined) return false;
  return volume?.fileIndices.some((index) => index !== volume.fileIndices[0]) === true;
}

function holds({ volume }: VolumeRecord, { fileIndex, frame }: WantedFrame): boolean {
  const isWanted = (index: number, at: number) =>
    index === fileIndex && (frame === undefined || volume?.frameIndices[at] === frame);
  return volume?.fileIndices.some(isWanted) === true;
}

type FoundStack = { readonly stack: PackedStack | LargeStack | undefined; readonly key: string };

async function lookUpStack(
  series: Pick<SeriesList, 'findJointStack'>,
  { fileIndex, frame }: VolumeAddress,
): Promise<FoundStack> {
  const stack = refusePending(await series.findJointStack(fileIndex, frame));
  if (stack === undefined || stack.kind === 'too_many_frames') return { stack, key: `${stack?.length}` };
  return { stack, key: stack.key };
}

function* listVolumeFiles(indices: Iterable<number>, files: readonly DicomFile[]): Generator<VolumeFile, void> {
  for (const index of indices) {
    const file = files[index];
    if (file === undefined) continue;
    yield {
      index,
      source: file.source,
      frameCount: file.frameCount,
      objectKind: file.objectKind,
      modality: file.modality,
      imageType: file.placement?.imageType ?? '',
      hasFrameGeometry: file.placement?.hasFrameGeometry ?? false,
      rows: file.rows,
      columns: file.columns,
      samplesPerPixel: file.samplesPerPixel,
      photometricInterpretation: file.photometricInterpretation,
    };
  }
}

function keyOfVolume({ fileIndices, frameIndices, crops, times }: Omit<KnownVolume, 'key'>): string {
  const hash = createHash('sha1').update(fileIndices).update(frameIndices);
  if (crops !== undefined) hash.update(crops.tops).update(crops.lefts);
  return `${hash.digest('base64')} ${times.length}`;
}
