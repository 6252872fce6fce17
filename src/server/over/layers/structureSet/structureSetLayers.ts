import { mappingUnavailable } from '../../../../shared/contract/errors.ts';
import type { PlaneGrid } from '../../../../shared/planeGrid.ts';
import type { DicomFile } from '../../../images/catalog/dicomFile.ts';
import { stateOf } from '../../../bytes/origins/origins.ts';
import { doInTurns } from '../../../machine/workers/doInTurns.ts';
import type { LayerContext } from '../layerContext.ts';
import type { LayerOptions, LayerProvider, PlacedLayer } from '../layerProvider.ts';
import { isPlaced, keyOfWay, type LayerPlacement, placeInFrameOfReference, wayBytesOf } from '../placement.ts';
import { isSlide, pictureSizeOf, requireSlidePlane } from '../slidePlaces.ts';
import { SLIDE_REACH_MM } from '../slideReach.ts';
import { type CoveredImages, createCoverage } from '../spatial/coverage.ts';
import type { SpaceOfLayer } from '../followSpaces.ts';
import { createOpenSpatial, createSpatialLayers, type Opened, type SpatialTarget } from '../spatial/spatialLayers.ts';
import { describeStructures } from './describeStructures.ts';
import {
  bytesOfContours,
  bytesOfStructureSet,
  type ContourColumns,
  listSetSpaces,
  type StructureSetRecord,
  type StructureSetRoi,
  tooLarge,
} from './structureSetRecord.ts';
import {
  type ContourSet,
  type CoveredByContours,
  coverPlanesTask,
  type MovedContours,
  moveContoursTask,
  packContoursTask,
  readStructureSetTask,
} from './structureSetTasks.ts';

/** Structure sets over images, and their contours for measurements in other objects. */
export interface StructureSetLayers extends LayerProvider {
  /** The contours of each ROI in a frame of reference. */
  contoursIn(file: DicomFile, frameOfReferenceUid: string | undefined, options: LayerOptions): Promise<ContoursInSpace>;
}

export type ContoursInSpace = {
  /** Cache key of the file in the state in which it was read, and of the registrations that moved its contours. */
  readonly state: string;
  readonly rois: readonly StructureSetRoi[];
  /** Of each ROI: how it gets there, and its contours; undefined if it does not. */
  readonly placed: readonly { readonly placement: LayerPlacement; readonly contours: ContourColumns | undefined }[];
};

type OpenedSet = Opened<StructureSetRecord>;

/** Structure sets over all open images of their frames of reference. */
export function createStructureSetLayers(context: LayerContext): StructureSetLayers {
  const { tasks, memory, files, registrations, imagePlanes, slidePlaces } = context;
  const cache = memory.cache('structureSets');
  const movedContours = cache.part<MovedContours>('moved');
  const reading = {
    name: 'structureSet',
    readTask: readStructureSetTask,
    bytesOf: bytesOfStructureSet,
    mostBytes: memory.plan.structureSets,
    refuseLarge: tooLarge,
  } as const;
  const open = createOpenSpatial(context, cache.part<StructureSetRecord>('record'), reading);

  /** The contours of a frame of reference in another one. */
  async function moveInto(opened: OpenedSet, space: SpaceOfLayer, { signal }: LayerOptions) {
    const { own, frameOfReferenceUid: target, placement } = space;
    const { state, content: record } = opened;
    const { steps } = placement;
    if (steps === undefined) return { contours: record.contours, lost: undefined };
    const key = `moved ${[state, own, target, await keyOfWay(placement)].join(' ')}`;
    const known = movedContours.get(key);
    if (known !== undefined) return known;
    const moved = await tasks.run(
      moveContoursTask,
      { contours: record.contours, rois: markRois(record, own), steps },
      { of: { wayBytes: wayBytesOf(placement) }, shareKey: key, signal },
    );
    movedContours.set(key, moved, bytesOfContours(moved.contours) + moved.lost.byteLength);
    return moved;
  }

  const coverage = createCoverage<StructureSetRecord, CoveredByContours>(context, cache.part('cover'), {
    countParts: ({ rois }) => rois.length,
    hasSlidePlanes: true,
    async run(opened, { space, key, planes, ...columns }, options) {
      const { contours, lost } = await moveInto(opened, space, options);
      const rois = markRois(opened.content, space.own);
      const covered = await tasks.run(
        coverPlanesTask,
        { contours, rois, roiCount: rois.length, planes, ...columns },
        { shareKey: key, signal: options.signal },
      );
      return { ...covered, lost };
    },
  });

  /** Why none of the images of a frame of reference has a place; undefined if one has. */
  async function explainUnplaced(cover: CoveredImages<CoveredByContours>, options: LayerOptions) {
    const [file] = await files.imagesIn(cover.frameOfReferenceUid);
    if (file === undefined || cover.placed.length > 0) return undefined;
    const problem = cover.warnings[0]?.message ?? (await imagePlanes.explainMissing({ file, frame: 0 }, options));
    return `no image of its frame of reference has a known place: ${problem}`;
  }

  async function describe({ content, ...opened }: OpenedSet, options: LayerOptions) {
    const uids = listSetSpaces(content.rois);
    const { found, leftOut, unusable } = await coverage.coverAll({ content, ...opened }, uids, options);
    const covers = await Promise.all(
      found.map(async (one) => ({ ...one, unplaced: await explainUnplaced(one, options) })),
    );
    const description = await doInTurns(describeStructures(content, uids, covers), options.signal);
    const slides = slidePlaces.listLevels(description.targets.map((one) => one.file).filter(isSlide));
    return { ...description, slides, warnings: [...description.warnings, ...leftOut, ...unusable] };
  }

  /** The first slide in a frame of reference of the set. */
  async function findSlide({ content }: OpenedSet): Promise<DicomFile | undefined> {
    for (const uid of listSetSpaces(content.rois)) {
      const found = (await files.imagesIn(uid)).find(isSlide);
      if (found !== undefined) return found;
    }
    return undefined;
  }

  /** A picture, and how far from it contours along it are taken to lie in it. */
  async function findPicture(target: SpatialTarget, options: LayerOptions): Promise<ContourTarget> {
    switch (target.kind) {
      case 'frame': {
        const { frame, place } = target;
        if (place === undefined) throw mappingUnavailable(await imagePlanes.explainMissing(frame, options));
        const { rows, columns } = frame.file;
        const { plane, frameOfReferenceUid } = place;
        return { frameOfReferenceUid, grid: { ...plane, rows, columns }, flatMm: 0 };
      }
      case 'plane':
        return { ...target.plane, flatMm: 0 };
      case 'slide': {
        const { slide, plane } = requireSlidePlane(target.slide);
        const grid = { ...plane, ...pictureSizeOf(slide) };
        return { frameOfReferenceUid: slide.frameOfReferenceUid, grid, flatMm: SLIDE_REACH_MM };
      }
    }
  }

  async function draw(opened: OpenedSet, target: SpatialTarget, options: LayerOptions): Promise<PlacedLayer> {
    const { frameOfReferenceUid, grid, flatMm } = await findPicture(target, options);
    const { file, content: record, cached } = opened;
    const graph = await registrations.load(options);
    const spaces = listSetSpaces(record.rois).flatMap((own) => {
      const placement = placeInFrameOfReference(own, frameOfReferenceUid, graph);
      return isPlaced(placement) ? [{ own, placement }] : [];
    });
    const [roi] = record.rois;
    if (roi !== undefined && spaces.length === 0) {
      throw mappingUnavailable(placeInFrameOfReference(roi.frameOfReferenceUid, frameOfReferenceUid, graph).reason);
    }
    const wanted = target.parts && new Set(target.parts);
    const sets: ContourSet[] = [];
    for (const { own, placement } of frameOfReferenceUid === undefined ? [] : spaces) {
      const space = { own, frameOfReferenceUid: frameOfReferenceUid ?? own, placement };
      const { contours } = await moveInto(opened, space, options);
      const numbers = Int32Array.from(record.rois, (one) =>
        one.frameOfReferenceUid === own && (wanted === undefined || wanted.has(one.number)) ? one.number : -1,
      );
      sets.push({ contours, numbers });
    }
    return {
      async packet({ signal, priority = 'interactive' }) {
        const { rows, columns, ...plane } = grid;
        const bytes = await tasks.run(
          packContoursTask,
          { layer: file.index, sets, plane, flatMm, rows, columns },
          { priority, signal },
        );
        return { bytes, cached, damage: undefined };
      },
    };
  }

  return {
    ...createSpatialLayers(context, open, {
      ...reading,
      isOnSlidesOnly: false,
      describe,
      draw,
      findSlide,
      refuseSlide: () => mappingUnavailable('the layer lies on no open slide'),
    }),
    async contoursIn(file, target, options) {
      const opened = await open(file, options);
      const graph = await registrations.load(options);
      const bySpace = new Map<string | undefined, ContoursInSpace['placed'][number]>();
      const states = new Set([opened.state]);
      const { rois } = opened.content;
      for (const { frameOfReferenceUid: own } of rois) {
        if (bySpace.has(own)) continue;
        const placement = placeInFrameOfReference(own, target, graph);
        const isThere = isPlaced(placement) && own !== undefined && target !== undefined;
        const space = isThere ? { own, frameOfReferenceUid: target, placement } : undefined;
        const moved = space && (await moveInto(opened, space, options));
        bySpace.set(own, { placement, contours: moved?.contours });
        for (const { source } of space?.placement.via ?? []) states.add(await stateOf(source));
      }
      const placed = rois.map(({ frameOfReferenceUid }) => bySpace.get(frameOfReferenceUid)!);
      return { state: [...states].join(' '), rois, placed };
    },
  };
}

type ContourTarget = {
  readonly frameOfReferenceUid: string | undefined;
  readonly grid: PlaneGrid;
  /** Contours along the plane within this distance are taken to lie in it. */
  readonly flatMm: number;
};

function markRois({ rois }: StructureSetRecord, own: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(rois, ({ frameOfReferenceUid }) => (frameOfReferenceUid === own ? 1 : 0));
}
