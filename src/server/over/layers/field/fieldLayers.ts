import { mappingUnavailable, ViewerError } from '../../../../shared/contract/errors.ts';
import { RT_DOSE_STORAGE } from '../../../../shared/contract/layers.ts';
import type { FieldItem } from '../../../../shared/fieldPacket.ts';
import type { PlaneGrid } from '../../../../shared/planeGrid.ts';
import { dot, normalOf, subtract, type Vector3 } from '../../../../shared/geometry.ts';
import { planeOfPlace, type PositionTable } from '../../../../shared/positionTable.ts';
import type { DicomFile } from '../../../images/catalog/dicomFile.ts';
import { stateOf } from '../../../bytes/origins/origins.ts';
import { checkFrame } from '../../../images/pixels/frames.ts';
import { timeOfFrame, type VolumePlaces } from '../../../images/volumes/volume.ts';
import type { KnownVolume } from '../../../images/volumes/volumeMemory.ts';
import type { VolumeAddress } from '../../../images/volumes/volumeRecords.ts';
import { doInTurns, type WorkInTurns } from '../../../machine/workers/doInTurns.ts';
import { checkLayerObject } from '../checkLayerObject.ts';
import type { PlacedFrame } from '../imagePlanes.ts';
import type { LayerContext } from '../layerContext.ts';
import type {
  AddedDose,
  DescribedField,
  LayerOptions,
  LayerProvider,
  LayerTarget,
  PlacedLayer,
  TargetFrames,
} from '../layerProvider.ts';
import { ignoreRefusal } from '../../../machine/workers/passingFailure.ts';
import { type LayerPlacement, placeInFrameOfReference, unavailable } from '../placement.ts';
import { gridOfPart, isSlide, requireSlidePlane } from '../slidePlaces.ts';
import { describeDose, requireCombinable } from './combinedDoses.ts';
import { createDoseFacts } from './doseFacts.ts';
import { sampleField, toItem, toPlaneQuery } from './sampleField.ts';
import { createTiledMaps } from './tiledMaps.ts';

/** What is told of the values without reading them. */
const UNKNOWN: DescribedField = {
  unit: '',
  unitKind: 'modality',
  range: undefined,
  references: [],
  levels: [],
  volumes: [''],
  firstVolume: 0,
};
const NO_TARGETS = { parts: [], unplaced: [], frameOfReferenceUids: [] } as const;
/** The range of a larger volume is not looked for: it would have to be decoded for it. */
const MOST_RANGE_BYTES = 64 * 2 ** 20;
/** Thicker than any volume. */
const ALL_MM = 10_000;

/**
 * Volumes over all other open images of their frame of reference: doses, maps, PET, or any stack that is a volume; and
 * maps that are made of tiles, over their slides.
 */
export function createFieldLayers(context: LayerContext): LayerProvider {
  const { tasks, volumes, references, registrations, imagePlanes, files, reach } = context;
  const doses = createDoseFacts({ tasks, references });
  const tiledMaps = createTiledMaps(context);

  async function find(file: DicomFile, { signal }: LayerOptions): Promise<KnownVolume> {
    const { volume, refusal } = await volumes.describe(addressOf(file), { signal });
    if (volume === undefined) throw new ViewerError('volume_unavailable', `no volume: ${refusal.message}`);
    return volume;
  }

  /** A projection of the whole volume onto a plane. */
  async function project(file: DicomFile, grid: PlaneGrid, projection: 'min' | 'max', { signal }: LayerOptions) {
    const query = { ...toPlaneQuery(grid), slab: ALL_MM, projection, isPacked: false };
    const plane = await volumes.raw(addressOf(file), query, { signal });
    return findEnd(toItem(plane, { grid, toTarget: [1, 0, 0, 1, 0, 0] }), projection);
  }

  /** The lowest and highest value: the ends of two projections of the whole volume. */
  async function findRange(file: DicomFile, { table }: KnownVolume, options: LayerOptions) {
    const grid = planeThrough(table);
    const low = await project(file, grid, 'min', options);
    const high = await project(file, grid, 'max', options);
    return low.value <= high.value ? { range: [low.value, high.value] as const, highest: high.at } : undefined;
  }

  /** The image that is next to the highest value of a dose, and reaches into it. */
  async function findPeak(
    file: DicomFile,
    { table }: KnownVolume,
    { highest, targets }: { readonly highest: number; readonly targets: readonly TargetFrames[] },
    options: LayerOptions,
  ): Promise<LayerTarget | undefined> {
    const { rowDirection, columnDirection, rowSpacingMm, columnSpacingMm, columns, positionsMm, spacingMm } = table;
    if (!(spacingMm > 0)) return undefined;
    const [across, normal] = [planeThrough(table), normalOf(table)];
    const low = positionsMm[0]! - dot(normal, across.position);
    const depth = positionsMm.at(-1)! - positionsMm[0]!;
    // From the side, rows of the picture are slices.
    const side: PlaneGrid = {
      position: along(along(across.position, columnDirection, ((table.rows - 1) / 2) * rowSpacingMm), normal, low),
      rowDirection,
      columnDirection: normal,
      rowSpacingMm: spacingMm,
      columnSpacingMm,
      rows: Math.round(depth / spacingMm) + 1,
      columns,
    };
    const { at } = await project(file, side, 'max', options);
    const inPlane = along(across.position, columnDirection, Math.floor(highest / columns) * rowSpacingMm);
    const inRow = along(inPlane, rowDirection, (highest % columns) * columnSpacingMm);
    const peak = along(inRow, normal, low + Math.floor(at / columns) * spacingMm);
    const own = new Map(
      targets
        .filter((one) => one.file.frameOfReferenceUid === file.frameOfReferenceUid)
        .map((one) => [one.file.index, one] as const),
    );
    const { placed } = await imagePlanes.listPlanes(
      [...own.values()].map((one) => one.file),
      options,
    );
    return doInTurns(
      findNearest(placed, { point: peak, normal }, (index, frame) => own.get(index)?.frames.includes(frame) === true),
      options.signal,
    );
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
    const found = isKnown ? await findRange(file, volume, options).catch(ignoreRefusal) : undefined;
    const plain: DescribedField = {
      unit: sample.unit,
      unitKind: volume.mappings === undefined ? 'modality' : 'real_world',
      range: found?.range,
      references: [],
      levels: [],
      volumes: volume.times.map(({ label }) => label),
      firstVolume: timeOfFrame(volume, { fileIndex: file.index }),
    };
    return { ...(await doses.describe(file, plain, options)), highest: found?.highest };
  }

  async function checkAdded(
    file: DicomFile,
    { added, slabMm }: { readonly added: readonly AddedDose[]; readonly slabMm: number },
    options: LayerOptions,
  ): Promise<void> {
    const described = [await describeDose(context, file, options)];
    for (const one of added) described.push(await describeDose(context, one.file, options));
    requireCombinable(described);
    if (slabMm === 0) return;
    throw mappingUnavailable(
      'doses are combined in planes; the highest values of several doses in a slab do not add up',
    );
  }

  /** The same for a stored frame and for any plane of the patient. */
  async function placeField(
    file: DicomFile,
    volume: KnownVolume,
    { frameOfReferenceUid, grid, slabMm, parts, added = [] }: PlaneOver,
    options: LayerOptions,
  ): Promise<PlacedLayer> {
    const graph = await registrations.load(options);
    const placement = placeInFrameOfReference(volume.frameOfReferenceUid, frameOfReferenceUid, graph);
    const own = [timeOfFrame(volume, { fileIndex: file.index })];
    const time = checkPart(parts === undefined || parts.length === 0 ? own : parts, volume.times.length);
    if (added.length > 0) await checkAdded(file, { added, slabMm }, options);
    const others = added.map((one) => ({ source: addressOf(one.file), sign: one.sign }));
    const sampled = { layer: { file: file.index }, source: addressOf(file), table: volume.table, time, others };
    return sampleField(volumes, sampled, { grid, slabMm, placement });
  }

  return {
    combinesDoses: true,
    async describe(file, options) {
      checkLayerObject(file, ['field']);
      await stateOf(file.source);
      const tiled = await tiledMaps.find(file, options);
      if (tiled !== undefined) {
        const { range, volumes: names, ...description } = await tiledMaps.describe(tiled, options);
        return { ...description, warnings: [], field: { ...UNKNOWN, range, volumes: names } };
      }
      const known = options.isBrief === true ? undefined : await find(file, options);
      const volume: VolumePlaces = known ?? (await findPlaces(file, options));
      const { frameOfReferenceUid: uid } = volume;
      const values =
        known === undefined ? doses.describe(file, UNKNOWN, options) : describeValues(file, known, options);
      const { highest, ...facts } = { highest: undefined, ...(await values) };
      const told = { ...NO_TARGETS, ...facts };
      if (uid === undefined) return { ...told, targets: [], placement: placeInFrameOfReference(uid, uid) };
      const own = framesOf(volume);
      const { spaces, targets, warnings } = await reach(
        { own: uid, tables: [volume.table] },
        { ...options, isOnSlides: true, isLeftOut: (index, frame) => own.has(`${index}/${frame}`) },
      );
      // Whether it reaches others is not known then.
      const placement = options.within === undefined ? judge(uid, targets) : placeInFrameOfReference(uid, uid);
      return {
        ...told,
        warnings: [...told.warnings, ...warnings],
        frameOfReferenceUids: [uid],
        spaces,
        targets,
        fullest:
          known !== undefined && highest !== undefined && file.sopClassUid === RT_DOSE_STORAGE
            ? await findPeak(file, known, { highest, targets }, options).catch(ignoreRefusal)
            : undefined,
        placement,
      };
    },

    async place(file, target, options) {
      checkLayerObject(file, ['field']);
      checkFrame(target.file, target.frame);
      const volume = await find(file, options);
      await stateOf(target.file.source);
      const place = await imagePlanes.findPlane(target, options);
      if (place === undefined) throw mappingUnavailable(await imagePlanes.explainMissing(target, options));
      const { rows, columns } = target.file;
      const { plane, frameOfReferenceUid } = place;
      const over = { frameOfReferenceUid, grid: { ...plane, rows, columns }, slabMm: 0, ...wishOf(target) };
      return placeField(file, volume, over, options);
    },

    async placeOnPlane(file, target, options) {
      checkLayerObject(file, ['field']);
      return placeField(file, await find(file, options), target, options);
    },

    async placeOnSlide(file, target, options) {
      checkLayerObject(file, ['field']);
      const tiled = await tiledMaps.find(file, options);
      if (tiled !== undefined) return tiledMaps.place(tiled, target, options);
      const volume = await find(file, options);
      const images = volume.frameOfReferenceUid === undefined ? [] : await files.imagesIn(volume.frameOfReferenceUid);
      const { slide, plane } = requireSlidePlane(target.file ?? images.find(isSlide));
      await stateOf(slide.source);
      const { frameOfReferenceUid } = slide;
      const over = { frameOfReferenceUid, grid: gridOfPart(plane, target), slabMm: 0, parts: target.parts };
      return placeField(file, volume, over, options);
    },
  };
}

type PlaneOver = {
  readonly frameOfReferenceUid: string | undefined;
  readonly grid: PlaneGrid;
  readonly slabMm: number;
  readonly parts?: readonly number[] | undefined;
  readonly added?: readonly AddedDose[] | undefined;
};

function wishOf({ parts, added }: Pick<PlaneOver, 'parts' | 'added'>) {
  return { parts, added };
}

/** The dose of one plane lies over images in that plane. */
function addressOf({ index, sopClassUid }: DicomFile): VolumeAddress {
  return { fileIndex: index, takesSingle: sopClassUid === RT_DOSE_STORAGE };
}

/** The parts of a field are its volumes; the first one that is wanted is sent. Throws `frame_out_of_range`. */
export function checkPart(parts: readonly number[] | undefined, count: number): number {
  const [part = 0] = parts ?? [];
  if (part < count) return part;
  throw new ViewerError('frame_out_of_range', `volume ${part} is outside 0 to ${count - 1}`);
}

/** The frames of a volume, as `file/frame`: it does not lie over itself. */
function framesOf({ fileIndices, frameIndices }: VolumePlaces): ReadonlySet<string> {
  return new Set(Array.from(fileIndices, (file, at) => `${file}/${frameIndices[at]}`));
}

function judge(uid: string, targets: readonly TargetFrames[]): LayerPlacement {
  if (targets.length === 0) return unavailable('no other open image of its frame of reference reaches into the volume');
  return placeInFrameOfReference(uid, uid);
}

/** The grid of the slice in the middle. */
function planeThrough(table: PositionTable): PlaneGrid {
  const { rows, columns, positionsMm } = table;
  return { ...planeOfPlace(table, Math.floor(positionsMm.length / 2)), rows, columns };
}

function along([x, y, z]: Vector3, [dx, dy, dz]: Vector3, mm: number): Vector3 {
  return [x + dx * mm, y + dy * mm, z + dz * mm];
}

/** Cosine between normals of planes that run alike. */
const PARALLEL = 0.99;

/** The picture whose plane is next to a point. */
function* findNearest(
  placed: readonly PlacedFrame[],
  { point, normal }: { readonly point: Vector3; readonly normal: Vector3 },
  isWanted: (index: number, frame: number) => boolean,
): WorkInTurns<LayerTarget | undefined> {
  let nearest: LayerTarget | undefined;
  let nearestMm = Infinity;
  for (const { file, frame, plane } of placed) {
    yield;
    const imageNormal = normalOf(plane);
    // A dose was planned on a CT, in planes like its own.
    const isLikely = Math.abs(dot(imageNormal, normal)) > PARALLEL && file.modality === 'CT';
    const mm = Math.abs(dot(imageNormal, subtract(point, plane.position))) + (isLikely ? 0 : ALL_MM);
    if (mm >= nearestMm || !isWanted(file.index, frame)) continue;
    [nearest, nearestMm] = [{ file, frame }, mm];
  }
  return nearest;
}

/** The lowest or highest value, and which of the samples has it. */
function findEnd({ samples, scale, offset, missing }: FieldItem, end: 'min' | 'max') {
  let [found, at] = [NaN, 0];
  for (const [place, sample] of samples.entries()) {
    if (Number.isNaN(sample) || (missing !== undefined && sample >= missing.low && sample <= missing.high)) continue;
    const value = sample * scale + offset;
    if (Number.isNaN(found) || (end === 'max' ? value > found : value < found)) [found, at] = [value, place];
  }
  return { value: found, at };
}
