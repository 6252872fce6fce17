import { ViewerError } from '../../../shared/contract/errors.ts';
import { inPlaneAxes } from '../../../shared/geometry.ts';
import { paletteColor } from '../../../shared/segmentColor.ts';
import type { DicomFile } from '../../catalog/dicomFile.ts';
import { stateOf } from '../../origins/origins.ts';
import { locateTile } from '../../wsi/locateTile.ts';
import { checkLayerObject } from '../checkLayerObject.ts';
import type { LayerContext } from '../layerContext.ts';
import type {
  DescribedPart,
  LayerDescription,
  LayerOptions,
  LayerProvider,
  LayerWarning,
  PlacedLayer,
} from '../layerProvider.ts';
import { createPlacement, type LayerPlacement, placeInFrameOfReference, unavailable } from '../placement.ts';
import { findSlidePlane, isSlide } from '../slidePlaces.ts';
import { type AnnotationIndex, bytesOfIndex } from './annotationIndex.ts';
import {
  indexSlideAnnotationsTask,
  type PackSlideAnnotationsInput,
  packSlideAnnotationsTask,
} from './slideAnnotationTasks.ts';

type Opened = { readonly index: AnnotationIndex; readonly cached: boolean };
type ToSlide = PackSlideAnnotationsInput['toSlide'];

/** Microscopy Bulk Simple Annotations over the slide that they name, or over those of their frame of reference. */
export function createSlideAnnotationLayers(input: LayerContext): LayerProvider {
  const { tasks, memory, references, catalog, files, slides, slidePlaces } = input;
  const cache = memory.cache<AnnotationIndex>('slideAnnotations');

  async function open(file: DicomFile, { signal }: LayerOptions): Promise<Opened> {
    checkLayerObject(file, ['slideAnnotations']);
    const state = await stateOf(file.source);
    const known = cache.get(state);
    if (known !== undefined) return { index: known, cached: true };
    const mostBytes = memory.plan.slideAnnotations;
    const index = await tasks.run(
      indexSlideAnnotationsTask,
      { source: file.source, mostBytes },
      { of: file, shareKey: `annotations ${state}`, signal },
    );
    const indexBytes = bytesOfIndex(index);
    if (indexBytes > mostBytes) {
      throw new ViewerError('layer_too_large', 'the annotations need more memory than --memory leaves for them');
    }
    cache.set(state, index, indexBytes);
    return { index, cached: false };
  }

  /** The slide images that an object names or shares its coordinate system with. */
  async function findSlides(
    { image, isInSpace, frameOfReferenceUid }: AnnotationIndex,
    file: DicomFile,
  ): Promise<DicomFile[]> {
    if (isInSpace) {
      const uid = frameOfReferenceUid ?? file.frameOfReferenceUid;
      return uid === undefined ? [] : (await files.imagesIn(uid)).filter(isSlide);
    }
    if (image === undefined) return [];
    return references.instances.find(image.sopInstanceUid).flatMap((at) => {
      const one = catalog.files[at];
      return one !== undefined && isSlide(one) ? [one] : [];
    });
  }

  /** From coordinates of the object to pixels of a slide; (0, 0) is the centre of the first pixel. */
  async function mapToSlide(
    index: AnnotationIndex,
    file: DicomFile,
    slide: DicomFile,
    { signal }: LayerOptions,
  ): Promise<ToSlide> {
    if (index.isInSpace) {
      const placement = placeInFrameOfReference(
        index.frameOfReferenceUid ?? file.frameOfReferenceUid,
        slide.frameOfReferenceUid,
      );
      const plane = findSlidePlane(slide);
      if (placement.status !== 'direct') throw refuse(placement.reason);
      if (plane === undefined) throw refuse('the slide does not declare its position in its coordinate system');
      const { alongRow, downColumn } = inPlaneAxes(plane);
      const { position, columnSpacingMm: across, rowSpacingMm: down } = plane;
      const [a, c] = [alongRow[0] / across, alongRow[1] / across];
      const [b, d] = [downColumn[0] / down, downColumn[1] / down];
      return [a, b, c, d, -a * position[0] - c * position[1], -b * position[0] - d * position[1]];
    }
    const [own] = await findSlides(index, file);
    if (own === undefined) throw refuse(NOT_OPEN);
    const map = slidePlaces.mapPixels(own, slide);
    if (map === undefined) throw refuse('the annotations name an image of another slide');
    const { scaleX, scaleY, shiftX, shiftY } = map;
    const frame = index.image?.frame;
    const tile = frame === undefined ? undefined : locateTile(await slides.readLayout(own, signal), frame).rectangle;
    if (frame !== undefined && tile === undefined) throw refuse('the frame that the annotations name has no position');
    // In the object, (0, 0) is the corner of the first pixel.
    const [x, y] = [(tile?.x ?? 0) - 0.5, (tile?.y ?? 0) - 0.5];
    return [scaleX, 0, 0, scaleY, x * scaleX + shiftX, y * scaleY + shiftY];
  }

  return {
    async describe(file, options) {
      const { index } = await open(file, options);
      return describeAnnotations(index, slidePlaces.listLevels(await findSlides(index, file)));
    },

    async place(): Promise<PlacedLayer> {
      throw refuse('annotations of slides lie over whole slides, and not over single frames');
    },

    async placeOnPlane(): Promise<PlacedLayer> {
      throw refuse('annotations of slides lie over slides, and not over planes');
    },

    async placeOnSlide(file, target, options) {
      const { index, cached } = await open(file, options);
      const slide = target.file ?? (await findSlides(index, file))[0];
      if (slide === undefined) throw refuse(NOT_OPEN);
      if (!isSlide(slide)) throw new ViewerError('bad_request', `file ${slide.index} is not a whole slide image`);
      await stateOf(slide.source);
      const toSlide = await mapToSlide(index, file, slide, options);
      const wanted = target.parts && new Set(target.parts);
      const { x, y, width, height, pixel } = target;
      const taskInput: PackSlideAnnotationsInput = {
        source: file.source,
        layer: file.index,
        columns: index.columns,
        groups: index.groups.map(({ number, start, shape, data, measurements }) => ({
          number: wanted === undefined || wanted.has(number) ? number : -1,
          start,
          shape,
          data,
          values: measurements.map(({ values }) => values),
          ranges: measurements.map(({ range }) => range),
        })),
        toSlide,
        region: { x, y, width, height },
        pixel,
      };
      return {
        async packet({ signal, priority = 'interactive' }) {
          const bytes = await tasks.run(packSlideAnnotationsTask, taskInput, { priority, signal });
          return { bytes, cached, damage: undefined };
        },
      };
    },
  };
}

const NOT_OPEN = 'the slide that the annotations name is not open';

function refuse(reason: string): ViewerError {
  return new ViewerError('semantic_mapping_unavailable', reason);
}

function describeAnnotations(index: AnnotationIndex, slides: readonly DicomFile[]): LayerDescription {
  const { groups, columns, isInSpace, frameOfReferenceUid, leftOut, strayValues, isCut } = index;
  const warnings: LayerWarning[] = [];
  const left = leftOut.reduce((sum, { count }) => sum + count, 0);
  if (left > 0) {
    const message = `${left.toLocaleString('en')} annotations are not drawn: ${leftOut[0]?.reason ?? ''}`;
    warnings.push({ code: 'annotations_left_out', message });
  }
  if (strayValues > 0) {
    const count =
      strayValues === 1 ? '1 measured value belongs' : `${strayValues.toLocaleString('en')} measured values belong`;
    warnings.push({ code: 'values_left_out', message: `${count} to no annotation of their group` });
  }
  if (groups.some(({ measurements, count }) => count > 0 && measurements.some(({ values }) => values === undefined))) {
    const message = 'the values of some measurements are missing, or need more memory than --memory leaves for them';
    warnings.push({ code: 'values_not_read', message });
  }
  if (isCut) {
    warnings.push({ code: 'incomplete', message: 'the object was not read to its end, so annotations may be missing' });
  }
  return {
    parts: groups.map((group, at): DescribedPart => {
      const reason = leftOut.find(({ part }) => part === group.number)?.reason;
      const problem =
        group.count > 0 ? (slides.length > 0 ? undefined : NOT_OPEN) : (reason ?? 'it has no annotations');
      return {
        number: group.number,
        label: group.label,
        description: group.description,
        propertyType: group.type,
        color: group.color ?? paletteColor(at + 1),
        colorSource: group.color === undefined ? 'palette' : 'recommended_cielab',
        geometry: [group.graphicType],
        measurements: group.measurements,
        extent: {
          volumeMm3: undefined,
          ends: slides.slice(0, 1).map((file) => ({ first: { file, frame: 0 }, last: { file, frame: 0 } })),
          problem,
        },
      };
    }),
    // A slide is one picture: its first frames stand for it.
    targets: slides.map((file) => ({ file, frames: [0] })),
    placement: judge(index, slides),
    frameOfReferenceUids: isInSpace && frameOfReferenceUid !== undefined ? [frameOfReferenceUid] : [],
    // No plane of a volume shows them.
    spaces: [],
    unplaced: leftOut,
    warnings,
    about: `${columns.length.toLocaleString('en')} annotations`,
  };
}

function judge({ isInSpace, columns }: AnnotationIndex, slides: readonly DicomFile[]): LayerPlacement {
  if (columns.length === 0) return unavailable('the object has no annotations that can be drawn');
  if (slides.length === 0) return unavailable(NOT_OPEN);
  return isInSpace
    ? createPlacement('direct', 'both have the same frame of reference')
    : createPlacement('by_reference', 'the object names the slide');
}
