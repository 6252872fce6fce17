import { mappingUnavailable, ViewerError } from '../../../../shared/contract/errors.ts';
import { LAYER_OBJECTS, type LayerName } from '../../../../shared/contract/layers.ts';
import { doInTurns } from '../../../machine/workers/doInTurns.ts';
import type { LayerContext } from '../layerContext.ts';
import type { LayerDescription, LayerOptions, LayerProvider, LayerTarget, PlacedLayer } from '../layerProvider.ts';
import { isPlaced, type LayerPlacement, placeInFrameOfReference, wayBytesOf } from '../placement.ts';
import { findSlidePlane, pictureSizeOf } from '../slidePlaces.ts';
import { SLIDE_REACH_MM } from '../slideReach.ts';
import { createCoverage } from '../spatial/coverage.ts';
import { createOpenSpatial, createSpatialLayers, type Opened, type SpatialTarget } from '../spatial/spatialLayers.ts';
import { describeRegions } from './describeRegions.ts';
import { createRegionImages, listDrawnOn } from './regionImages.ts';
import { bytesOfRegions, type RegionRecord } from './regionRecord.ts';
import {
  type CoveredByRegions,
  coverRegionsTask,
  type PackRegionsInput,
  packRegionsTask,
  type ReadRegionsTask,
  type RegionSpace,
} from './regionTasks.ts';

type OpenedRegions = Opened<RegionRecord>;

/** The regions of spaces that reach a frame of reference. */
type ReachingSpaces = {
  readonly spaces: readonly RegionSpace[];
  /** Of all spaces. */
  readonly placements: readonly LayerPlacement[];
};

type Drawn = Omit<PackRegionsInput, 'layer' | 'shapes' | 'numbers' | 'texts'> & {
  /** Registrations that points go over. */
  readonly placements: readonly LayerPlacement[];
};

/** Regions over the images that they name, and over those of their frames of reference. */
export function createRegionLayers(context: LayerContext): (name: LayerName, task: ReadRegionsTask) => LayerProvider {
  const { tasks, memory, registrations, slidePlaces, imagePlanes } = context;
  const cache = memory.cache('regions');
  const named = createRegionImages(context);
  const coverage = createCoverage<RegionRecord, CoveredByRegions>(context, cache.part('cover'), {
    countParts: ({ parts }) => parts.length,
    hasSlidePlanes: false,
    async run({ content }, { space: { own, placement }, key, planes, seriesOf, seriesCount }, { signal }) {
      const { shapes, parts, spaces } = content;
      const space = { space: spaces.indexOf(own), steps: placement.steps };
      return tasks.run(
        coverRegionsTask,
        { shapes, ...space, partCount: parts.length, planes, seriesOf, seriesCount },
        { of: { wayBytes: wayBytesOf(placement) }, shareKey: key, signal },
      );
    },
  });

  async function describe(
    { noun }: { readonly noun: string },
    opened: OpenedRegions,
    options: LayerOptions,
  ): Promise<LayerDescription> {
    const { content } = opened;
    const { found: covers, leftOut, unusable } = await coverage.coverAll(opened, content.spaces, options);
    const { imageTargets, warnings } = await doInTurns(named.listTargets(content), options.signal);
    const levels = slidePlaces.listLevels(covers.flatMap(({ slides }) => slides));
    const found = { noun, covers, imageTargets, levels };
    const description = await doInTurns(describeRegions(content, found), options.signal);
    const ofImages = [...covers.flatMap((one) => one.warnings), ...[...leftOut, ...warnings].slice(0, 1)];
    return { ...description, warnings: [...ofImages, ...unusable, ...description.warnings] };
  }

  async function findSpaces(
    { content }: OpenedRegions,
    target: string | undefined,
    options: LayerOptions,
  ): Promise<ReachingSpaces> {
    const graph = await registrations.load(options);
    const placements = content.spaces.map((own) => placeInFrameOfReference(own, target, graph));
    const spaces = placements.flatMap((placement, space) =>
      isPlaced(placement) ? [{ space, steps: placement.steps }] : [],
    );
    return { spaces, placements };
  }

  /** How far from a frame regions belong to it. */
  async function findReach(
    opened: OpenedRegions,
    { file, frame }: LayerTarget,
    { spaces: [first], placements }: ReachingSpaces,
    options: LayerOptions,
  ): Promise<{ readonly belowMm: number; readonly aboveMm: number }> {
    const frameOfReferenceUid = file.frameOfReferenceUid;
    if (first === undefined || frameOfReferenceUid === undefined) return { belowMm: 0, aboveMm: 0 };
    const own = opened.content.spaces[first.space]!;
    const space = { own, frameOfReferenceUid, placement: placements[first.space]! };
    const { placed, covered } = await coverage.cover(opened, space, options);
    const at = placed.findIndex((one) => one.file.index === file.index && one.frame === frame);
    return { belowMm: covered.below[at] ?? 0, aboveMm: covered.above[at] ?? 0 };
  }

  async function findDrawn(opened: OpenedRegions, target: SpatialTarget, options: LayerOptions): Promise<Drawn> {
    const { content } = opened;
    switch (target.kind) {
      case 'frame': {
        const { frame, place } = target;
        const { rows, columns, pixelSpacingMm } = frame.file;
        const images = listDrawnOn(content, frame);
        const found = await findSpaces(opened, place?.frameOfReferenceUid, options);
        const [first] = found.placements;
        if (images.length === 0 && found.spaces.length === 0 && first !== undefined) {
          throw mappingUnavailable(
            place === undefined ? await imagePlanes.explainMissing(frame, options) : first.reason,
          );
        }
        const reach = await findReach(opened, frame, found, options);
        const size = { rows, columns, pixelMm: pixelSpacingMm?.[1] };
        return { images, lifted: [], ...found, plane: place?.plane, ...reach, ...size };
      }
      case 'plane': {
        const { frameOfReferenceUid, grid, slabMm } = target.plane;
        const found = await findSpaces(opened, frameOfReferenceUid, options);
        const { lifted, placements, reason } = await named.lift(content, frameOfReferenceUid, options);
        if (found.spaces.length === 0 && lifted.length === 0) {
          throw mappingUnavailable(
            found.placements[0]?.reason ?? reason ?? 'the images that it names have no position in space',
          );
        }
        const { rows, columns, ...plane } = grid;
        const half = Math.max(slabMm, Math.min(plane.rowSpacingMm, plane.columnSpacingMm)) / 2;
        const around = { plane, belowMm: half, aboveMm: half, rows, columns, pixelMm: undefined };
        return { images: [], lifted, ...found, placements: [...found.placements, ...placements], ...around };
      }
      case 'slide': {
        const { slide } = target;
        const images = await named.mapToSlide(content, slide, options);
        const plane = findSlidePlane(slide);
        const found = await findSpaces(opened, plane && slide.frameOfReferenceUid, options);
        const around = { plane, belowMm: SLIDE_REACH_MM, aboveMm: SLIDE_REACH_MM };
        const size = { ...pictureSizeOf(slide), pixelMm: slide.pixelSpacingMm?.[1] };
        return { images, lifted: [], ...found, ...around, ...size };
      }
    }
  }

  async function draw(opened: OpenedRegions, target: SpatialTarget, options: LayerOptions): Promise<PlacedLayer> {
    const { placements, ...drawn } = await findDrawn(opened, target, options);
    const { file, content, cached } = opened;
    const { shapes, parts } = content;
    const wanted = target.parts && new Set(target.parts);
    const numbers = Int32Array.from(parts, ({ number }) => (wanted === undefined || wanted.has(number) ? number : -1));
    const wayBytes = placements.reduce((sum, placement) => sum + wayBytesOf(placement), 0);
    return {
      async packet({ signal, priority = 'interactive' }) {
        const packet = await tasks.run(
          packRegionsTask,
          { layer: file.index, shapes, numbers, texts: parts.map(({ text }) => text), ...drawn },
          { of: { wayBytes }, priority, signal },
        );
        return { bytes: packet, cached, damage: undefined };
      },
    };
  }

  const records = cache.part<RegionRecord>('record');
  return (name, readTask) => {
    const reading = {
      name,
      readTask,
      bytesOf: bytesOfRegions,
      mostBytes: memory.plan.regions,
      refuseLarge: () =>
        new ViewerError('layer_too_large', 'the regions need more memory than --memory leaves for them'),
    };
    return createSpatialLayers(context, createOpenSpatial(context, records, reading), {
      ...reading,
      isOnSlidesOnly: false,
      describe: (opened, options) => describe(LAYER_OBJECTS[name], opened, options),
      draw,
      findSlide: async ({ content }) => named.findSlide(content),
      refuseSlide: () => mappingUnavailable('the regions lie on no open slide'),
    });
  };
}
