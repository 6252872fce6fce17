import { nameSpace } from '../../../../shared/spaceName.ts';
import type { DicomFile } from '../../../images/catalog/dicomFile.ts';
import type { WorkInTurns } from '../../../machine/workers/doInTurns.ts';
import { locateTile } from '../../../images/wsi/locateTile.ts';
import type { LayerContext } from '../layerContext.ts';
import type { LayerOptions, LayerTarget, LayerWarning, TargetFrames } from '../layerProvider.ts';
import { isPlaced, type LayerPlacement, placeInFrameOfReference } from '../placement.ts';
import { isSlide, SAME_PIXELS } from '../slidePlaces.ts';
import type { ImageUnder } from './drawRegions.ts';
import type { RegionImage, RegionRecord } from './regionRecord.ts';
import type { LiftedImage, PackRegionsInput } from './regionTasks.ts';

/** The images that the regions of a record name, among the open files. */
export interface RegionImages {
  /** The open slide that it names. */
  findSlide(record: RegionRecord): DicomFile | undefined;
  /** The frames that each image is. Copies of an image are open files, too. */
  listTargets(record: RegionRecord): WorkInTurns<NamedTargets>;
  /** Where the pixels of images are in a slide. */
  mapToSlide(record: RegionRecord, slide: DicomFile, options: LayerOptions): Promise<PackRegionsInput['images']>;
  /** The images whose planes reach a frame of reference. */
  lift(record: RegionRecord, target: string, options: LayerOptions): Promise<Lifted>;
}

export type NamedTargets = {
  /** For each image of the record. */
  readonly imageTargets: readonly (readonly TargetFrames[])[];
  readonly warnings: readonly LayerWarning[];
};

type Lifted = {
  readonly lifted: readonly LiftedImage[];
  /** How their frames of reference get there. */
  readonly placements: readonly LayerPlacement[];
  /** Why the first of the others does not. */
  readonly reason: string | undefined;
};

/** Frames of files with several whose positions are read for a plane. */
const MOST_READ = 16;
/** A region that names more tiles is drawn on the first ones. */
const MOST_TILES = 4096;
const MOST_FRAMES = 65_536;
/** Pairs of an image that the object names and an open file that it is. */
const MOST_NAMED = 131_072;
/** So many numbers of frames take as much memory as a target. */
const FRAMES_OF_A_TARGET = 16;

export function createRegionImages(
  context: Pick<LayerContext, 'references' | 'catalog' | 'registrations' | 'imagePlanes' | 'slidePlaces' | 'slides'>,
): RegionImages {
  const { references, catalog, registrations, imagePlanes, slidePlaces, slides } = context;

  /** The open files that an image of a record is. */
  function findImages({ sopInstanceUid }: RegionImage): DicomFile[] {
    const found = references.instances.find(sopInstanceUid).flatMap((index) => catalog.files[index] ?? []);
    return found.filter(({ hasPixels }) => hasPixels);
  }

  /** The frames of a file that an image names. A slide is one picture: its first frames stand for it. */
  function framesOf(file: DicomFile, { frames }: RegionImage): TargetFrames[] {
    if (isSlide(file)) return slidePlaces.listLevels([file]).map((level) => ({ file: level, frames: [0] }));
    const all = frames ?? Array.from({ length: Math.min(file.frameCount, MOST_FRAMES) }, (_, frame) => frame);
    const own = all.filter((frame) => frame < file.frameCount);
    return own.length === 0 ? [] : [{ file, frames: own }];
  }

  /** Once, or for each frame that a region names. */
  async function mapOne(image: RegionImage, slide: DicomFile, { signal }: LayerOptions): Promise<ImageUnder[]> {
    const own = findImages(image).find(isSlide);
    const map = own && slidePlaces.mapPixels(own, slide);
    if (own === undefined || map === undefined) return [];
    const aspectRatio = aspectOf(own);
    if (image.origin === 'matrix' || image.frames === undefined) return [{ map, aspectRatio }];
    const layout = await slides.readLayout(own, signal);
    return image.frames.slice(0, MOST_TILES).flatMap((frame) => {
      const { rectangle } = locateTile(layout, frame);
      if (rectangle === undefined) return [];
      const shiftX = map.shiftX + rectangle.x * map.scaleX;
      const shiftY = map.shiftY + rectangle.y * map.scaleY;
      return [{ map: { ...map, shiftX, shiftY }, aspectRatio }];
    });
  }

  return {
    findSlide: ({ images }) => images.flatMap(findImages).find(isSlide),
    *listTargets({ images }) {
      const imageTargets: TargetFrames[][] = [];
      let [listed, left] = [0, 0];
      for (const image of images) {
        const targets: TargetFrames[] = [];
        for (const file of findImages(image)) {
          yield;
          if (listed >= MOST_NAMED) left += 1;
          else {
            const frames = framesOf(file, image);
            listed += frames.reduce((sum, one) => sum + 1 + one.frames.length / FRAMES_OF_A_TARGET, 0);
            targets.push(...frames);
          }
        }
        imageTargets.push(targets);
      }
      const message = `nothing is drawn over ${left} images that are named, because there are more than ${MOST_NAMED}`;
      return { imageTargets, warnings: left === 0 ? [] : [{ code: 'images_left_out', message }] };
    },
    async mapToSlide({ images }, slide, options) {
      const under: PackRegionsInput['images'][number][] = [];
      for (const [at, image] of images.entries()) {
        for (const one of await mapOne(image, slide, options)) under.push({ image: at, ...one });
      }
      return under;
    },
    async lift({ images }, target, options) {
      const graph = await registrations.load(options);
      const lifted: LiftedImage[] = [];
      const placements = new Map<string, LayerPlacement>();
      let reason: string | undefined;
      let left = MOST_READ;
      for (const [at, image] of images.entries()) {
        const [file] = findImages(image);
        const own = file && nameSpace(file.frameOfReferenceUid, file.seriesInstanceUid);
        if (file === undefined || isSlide(file) || own === undefined) continue;
        // The positions of frames have to be read from the file.
        const listed = file.frameCount === 1 ? [0] : (image.frames ?? []).slice(0, left);
        if (file.frameCount > 1) left -= listed.length;
        const placement = placements.get(own) ?? placeInFrameOfReference(own, target, graph);
        placements.set(own, placement);
        if (!isPlaced(placement)) {
          reason ??= placement.reason;
          continue;
        }
        for (const frame of listed) {
          const place = await imagePlanes.findPlane({ file, frame }, options);
          if (place !== undefined) lifted.push({ image: at, plane: place.plane, steps: placement.steps });
        }
      }
      return { lifted, placements: [...placements.values()].filter(isPlaced), reason };
    },
  };
}

/** The images of a record that a frame is: there, pixels are the same. */
export function listDrawnOn({ images }: RegionRecord, target: LayerTarget): PackRegionsInput['images'] {
  return images.flatMap((image, at) =>
    isDrawnOn(image, target) ? [{ image: at, map: SAME_PIXELS, aspectRatio: aspectOf(target.file) }] : [],
  );
}

function isDrawnOn({ sopInstanceUid, frames, origin }: RegionImage, { file, frame }: LayerTarget): boolean {
  if (sopInstanceUid !== file.sopInstanceUid || origin === 'matrix') return false;
  // Without frames, a region of a slide is drawn on its matrix.
  return frames === undefined ? !isSlide(file) : frames.includes(frame);
}

/** Height of a pixel over its width; pixels of unknown size are square. */
function aspectOf({ pixelAspectRatio = 1 }: DicomFile): number {
  return pixelAspectRatio > 0 && Number.isFinite(pixelAspectRatio) ? pixelAspectRatio : 1;
}
