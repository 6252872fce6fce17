import { ViewerError } from '../../../shared/contract/errors.ts';
import { RT_DOSE_STORAGE } from '../../../shared/contract/layers.ts';
import { encodeField, type FieldItem, type FieldSamples } from '../../../shared/fieldPacket.ts';
import type { PlaneGrid } from '../../../shared/planeGrid.ts';
import { planeOfPlace } from '../../../shared/positionTable.ts';
import type { DicomFile } from '../../catalog/dicomFile.ts';
import { stateOf } from '../../origins/origins.ts';
import { checkFrame } from '../../pixels/frames.ts';
import type { VolumePlaces } from '../../volumes/volume.ts';
import type { KnownVolume } from '../../volumes/volumeMemory.ts';
import type { VolumeAddress } from '../../volumes/volumes.ts';
import type { RawPlane } from '../../volumes/volumeTasks.ts';
import { doInTurns, type WorkInTurns } from '../../workers/doInTurns.ts';
import { checkLayerObject } from '../checkLayerObject.ts';
import { createImagePlanes, type PlacedFrame } from '../imagePlanes.ts';
import type { LayerFiles } from '../layerFiles.ts';
import type {
  DescribedField,
  LayerOptions,
  LayerProvider,
  LayersInput,
  LayerSpace,
  PlacedLayer,
  TargetFrames,
} from '../layerProvider.ts';
import { isPlaced, type LayerPlacement, placeInFrameOfReference, planeInLayer, unavailable } from '../placement.ts';
import type { Registrations } from '../registrations.ts';
import { createDoseFacts } from './doseFacts.ts';
import { chooseFieldGrid, createMeeting } from './fieldGrid.ts';

type Input = LayersInput & { readonly files: LayerFiles; readonly registrations: Registrations };

const NOT_BENT = 'values are only moved by registrations that keep planes as they are';
/** What is told of the values without reading them. */
const UNKNOWN: DescribedField = { unit: '', unitKind: 'modality', range: undefined, references: [], levels: [] };
const NO_TARGETS = { parts: [], unplaced: [], frameOfReferenceUids: [] } as const;
/** The range of a larger volume is not looked for: it would have to be decoded for it. */
const MOST_RANGE_BYTES = 64 * 2 ** 20;
/** Thicker than any volume. */
const ALL_MM = 10_000;

/** Volumes over all other open images of their frame of reference: doses, maps, PET, or any stack that is a volume. */
export function createFieldLayers({ tasks, files, volumes, references, registrations }: Input): LayerProvider {
  const planes = createImagePlanes(tasks);
  const doses = createDoseFacts({ tasks, references });

  async function find(file: DicomFile, { signal }: LayerOptions): Promise<KnownVolume> {
    const { volume, refusal } = await volumes.describe(addressOf(file), { signal });
    if (volume === undefined) throw new ViewerError('volume_unavailable', `no volume: ${refusal.message}`);
    return volume;
  }

  /** The lowest and highest value: the ends of two projections of the whole volume. */
  async function findRange(file: DicomFile, volume: KnownVolume, options: LayerOptions) {
    const { table } = volume;
    const { rows, columns, positionsMm } = table;
    const grid = { ...planeOfPlace(table, Math.floor(positionsMm.length / 2)), rows, columns };
    const ends: number[] = [];
    for (const projection of ['min', 'max'] as const) {
      const plane = await volumes.raw(
        addressOf(file),
        { ...toQuery(grid), slab: ALL_MM, projection, isPacked: false },
        { signal: options.signal },
      );
      const item = toItem(plane, grid, [1, 0, 0, 1, 0, 0]);
      ends.push(findEnd(item, projection));
    }
    const [low = NaN, high = NaN] = ends;
    return low <= high ? ([low, high] as const) : undefined;
  }

  /** Where a volume lies, without reading its files: one that they refuse is refused when it is described by itself. */
  async function findPlaces(file: DicomFile, { signal }: LayerOptions): Promise<VolumePlaces> {
    const { places, refusal } = await volumes.place(addressOf(file), { signal });
    if (places === undefined) throw new ViewerError('volume_unavailable', `no volume: ${refusal.message}`);
    return places;
  }

  async function describeValues(file: DicomFile, volume: KnownVolume, options: LayerOptions) {
    const { table, sample } = volume;
    const bytes = table.rows * table.columns * table.positionsMm.length * 4;
    // What has a usual window, as an SUV or a CT, needs no range.
    const needsRange = file.sopClassUid === RT_DOSE_STORAGE || file.objectKind === 'parametric_map';
    const isKnown = needsRange && bytes <= MOST_RANGE_BYTES;
    const range = isKnown ? await findRange(file, volume, options).catch(ignoreRefusal) : undefined;
    const plain: DescribedField = { unit: sample.unit, unitKind: 'modality', range, references: [], levels: [] };
    return doses.describe(file, plain, options);
  }

  /** The same for a stored frame and for any plane of the patient. */
  async function placeField(
    file: DicomFile,
    volume: KnownVolume,
    { frameOfReferenceUid, grid, slabMm }: FieldTarget,
    options: LayerOptions,
  ): Promise<PlacedLayer> {
    const graph = await registrations.load(options);
    const placement = placeInFrameOfReference(volume.frameOfReferenceUid, frameOfReferenceUid, graph);
    if (!isPlaced(placement)) throw new ViewerError('semantic_mapping_unavailable', placement.reason);
    const inVolume = planeInLayer(grid, placement);
    if (inVolume === undefined)
      throw new ViewerError('semantic_mapping_unavailable', `${NOT_BENT}, ${placement.reason}`);
    const chosen = chooseFieldGrid(volume.table, inVolume, slabMm);
    const { rows, columns } = grid;
    return {
      async packet(wanted) {
        if (chosen === undefined) {
          const bytes = encodeField(file.index, { rows, columns, item: undefined });
          return { bytes, cached: false, damage: undefined };
        }
        const query = { ...toQuery(chosen.grid), slab: slabMm, isPacked: false };
        const plane = await volumes.raw(addressOf(file), query, wanted);
        const item = toItem(plane, chosen.grid, chosen.toTarget);
        const bytes = encodeField(file.index, { rows, columns, item });
        return { bytes, cached: plane.cached, damage: plane.damage };
      },
    };
  }

  return {
    async describe(file, options) {
      checkLayerObject(file, ['field']);
      await stateOf(file.source);
      const known = options.isBrief === true ? undefined : await find(file, options);
      const volume: VolumePlaces = known ?? (await findPlaces(file, options));
      const { frameOfReferenceUid: uid } = volume;
      const values =
        known === undefined ? doses.describe(file, UNKNOWN, options) : describeValues(file, known, options);
      const told = { ...NO_TARGETS, ...(await values) };
      if (uid === undefined) return { ...told, targets: [], placement: placeInFrameOfReference(uid, uid) };
      const own = framesOf(volume);
      const graph = await registrations.load(options);
      const spaces: LayerSpace[] = [];
      const targets: TargetFrames[] = [];
      for (const space of [uid, ...graph.listReachable(uid)]) {
        const placement = placeInFrameOfReference(uid, space, graph);
        if (!isPlaced(placement) || (placement.steps !== undefined && placement.matrix === undefined)) continue;
        const { within } = options;
        const images = (await files.imagesIn(space)).filter(
          ({ index }) => index !== file.index && (within === undefined || within.has(index)),
        );
        const { placed } = await planes.listPlanes(images, options);
        const inVolume = placed.flatMap((one) => {
          const plane = planeInLayer(one.plane, placement);
          return plane === undefined ? [] : [{ ...one, plane }];
        });
        const found = await doInTurns(listTargets(volume, inVolume, own));
        spaces.push({ frameOfReferenceUid: space, placement });
        targets.push(...found);
      }
      // Whether it reaches others is not known then.
      const placement = options.within === undefined ? judge(uid, targets) : placeInFrameOfReference(uid, uid);
      return { ...told, frameOfReferenceUids: [uid], spaces, targets, placement };
    },

    async place(file, target, options) {
      checkLayerObject(file, ['field']);
      checkFrame(target.file, target.frame);
      const volume = await find(file, options);
      await stateOf(target.file.source);
      const place = await planes.findPlane(target, options);
      if (place === undefined) {
        throw new ViewerError('semantic_mapping_unavailable', 'the image does not declare its position in space');
      }
      const { rows, columns } = target.file;
      const { plane, frameOfReferenceUid } = place;
      return placeField(file, volume, { frameOfReferenceUid, grid: { ...plane, rows, columns }, slabMm: 0 }, options);
    },

    async placeOnPlane(file, target, options) {
      checkLayerObject(file, ['field']);
      return placeField(file, await find(file, options), target, options);
    },
  };
}

type FieldTarget = {
  readonly frameOfReferenceUid: string | undefined;
  readonly grid: PlaneGrid;
  readonly slabMm: number;
};

/** The dose of one plane lies over images in that plane. */
function addressOf({ index, sopClassUid }: DicomFile): VolumeAddress {
  return { fileIndex: index, takesSingle: sopClassUid === RT_DOSE_STORAGE };
}

function ignoreRefusal(error: unknown): undefined {
  if (!(error instanceof ViewerError) || error.code === 'decode_busy') throw error;
}

/** The frames of a volume, as `file/frame`: it does not lie over itself. */
function framesOf({ fileIndices, frameIndices }: VolumePlaces): ReadonlySet<string> {
  return new Set(Array.from(fileIndices, (file, at) => `${file}/${frameIndices[at]}`));
}

function* listTargets(
  { table }: VolumePlaces,
  placed: readonly PlacedFrame[],
  own: ReadonlySet<string>,
): WorkInTurns<readonly TargetFrames[]> {
  const targets = new Map<number, { file: DicomFile; frames: number[] }>();
  const meets = createMeeting(table);
  for (const { file, frame, plane } of placed) {
    yield;
    const { rows, columns } = file;
    if (own.has(`${file.index}/${frame}`) || !meets({ ...plane, rows, columns })) continue;
    const known = targets.get(file.index);
    if (known === undefined) targets.set(file.index, { file, frames: [frame] });
    else known.frames.push(frame);
  }
  return [...targets.values()];
}

function judge(uid: string, targets: readonly TargetFrames[]): LayerPlacement {
  if (targets.length === 0) return unavailable('no other open image of its frame of reference reaches into the volume');
  return placeInFrameOfReference(uid, uid);
}

function toQuery(grid: PlaneGrid) {
  const { position, rowDirection, columnDirection, rowSpacingMm, columnSpacingMm, rows, columns } = grid;
  return {
    position,
    orientation: [...rowDirection, ...columnDirection],
    spacing: [rowSpacingMm, columnSpacingMm],
    rows,
    columns,
  };
}

function toItem(plane: RawPlane, { rows, columns }: PlaneGrid, toTarget: FieldItem['toTarget']): FieldItem {
  const { padding, rescaleSlope, rescaleIntercept, how } = plane;
  return {
    rows,
    columns,
    toTarget,
    samples: viewSamples(plane),
    scale: rescaleSlope,
    offset: rescaleIntercept,
    missing: padding,
    isInterpolated: how === 'linear',
  };
}

function viewSamples({ bytes, bitsAllocated, pixelRepresentation, sampleKind }: RawPlane): FieldSamples {
  const { buffer, byteOffset, byteLength } = bytes;
  if (sampleKind === 'float') return new Float32Array(buffer, byteOffset, byteLength / 4);
  const isSigned = pixelRepresentation === 1;
  if (bitsAllocated === 8) {
    return isSigned ? new Int8Array(buffer, byteOffset, byteLength) : new Uint8Array(buffer, byteOffset, byteLength);
  }
  const length = byteLength / 2;
  return isSigned ? new Int16Array(buffer, byteOffset, length) : new Uint16Array(buffer, byteOffset, length);
}

function findEnd({ samples, scale, offset, missing }: FieldItem, end: 'min' | 'max'): number {
  let found = NaN;
  for (const sample of samples) {
    if (Number.isNaN(sample) || (missing !== undefined && sample >= missing.low && sample <= missing.high)) continue;
    const value = sample * scale + offset;
    if (Number.isNaN(found) || (end === 'max' ? value > found : value < found)) found = value;
  }
  return found;
}
