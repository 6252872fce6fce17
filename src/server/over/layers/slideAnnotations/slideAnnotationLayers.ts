import { mappingUnavailable, ViewerError } from '../../../../shared/contract/errors.ts';
import { inPlaneAxes } from '../../../../shared/geometry.ts';
import { paletteColor } from '../../../../shared/segmentColor.ts';
import type { DicomFile } from '../../../images/catalog/dicomFile.ts';
import { locateTile } from '../../../images/wsi/locateTile.ts';
import type { LayerContext } from '../layerContext.ts';
import type {
  LayerDescription,
  LayerOptions,
  LayerProvider,
  LayerWarning,
  PartOfSort,
  PlacedLayer,
} from '../layerProvider.ts';
import { createPlacement, type LayerPlacement, placeInFrameOfReference, unavailable } from '../placement.ts';
import { isSlide, requireSlidePlane } from '../slidePlaces.ts';
import { createOpenSpatial, createSpatialLayers, type Opened, type SpatialTarget } from '../spatial/spatialLayers.ts';
import { type AnnotationIndex, bytesOfIndex } from './annotationIndex.ts';
import {
  indexSlideAnnotationsTask,
  type PackSlideAnnotationsInput,
  packSlideAnnotationsTask,
} from './slideAnnotationTasks.ts';

type OpenedIndex = Opened<AnnotationIndex>;
type ToSlide = PackSlideAnnotationsInput['toSlide'];

/** Microscopy Bulk Simple Annotations over the slide that they name, or over those of their frame of reference. */
export function createSlideAnnotationLayers(context: LayerContext): LayerProvider {
  const { tasks, memory, references, catalog, files, slides, slidePlaces } = context;
  const reading = {
    name: 'slideAnnotations',
    readTask: indexSlideAnnotationsTask,
    bytesOf: bytesOfIndex,
    mostBytes: memory.plan.slideAnnotations,
    refuseLarge: () =>
      new ViewerError('layer_too_large', 'the annotations need more memory than --memory leaves for them'),
  } as const;

  /** The slide images that an object names or shares its coordinate system with. */
  async function findSlides({ file, content }: OpenedIndex): Promise<DicomFile[]> {
    const { image, isInSpace, frameOfReferenceUid } = content;
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
  async function mapToSlide(opened: OpenedIndex, slide: DicomFile, { signal }: LayerOptions): Promise<ToSlide> {
    const { file, content: index } = opened;
    if (index.isInSpace) {
      const placement = placeInFrameOfReference(
        index.frameOfReferenceUid ?? file.frameOfReferenceUid,
        slide.frameOfReferenceUid,
      );
      if (placement.status !== 'direct') throw mappingUnavailable(placement.reason);
      const { plane } = requireSlidePlane(slide);
      const { alongRow, downColumn } = inPlaneAxes(plane);
      const { position, columnSpacingMm: across, rowSpacingMm: down } = plane;
      const [a, c] = [alongRow[0] / across, alongRow[1] / across];
      const [b, d] = [downColumn[0] / down, downColumn[1] / down];
      return [a, b, c, d, -a * position[0] - c * position[1], -b * position[0] - d * position[1]];
    }
    const [own] = await findSlides(opened);
    if (own === undefined) throw mappingUnavailable(NOT_OPEN);
    const map = slidePlaces.mapPixels(own, slide);
    if (map === undefined) throw mappingUnavailable('the annotations name an image of another slide');
    const { scaleX, scaleY, shiftX, shiftY } = map;
    const frame = index.image?.frame;
    // Frame number 0 is none.
    const isFrame = frame !== undefined && frame >= 0;
    const tile = isFrame ? locateTile(await slides.readLayout(own, signal), frame).rectangle : undefined;
    if (frame !== undefined && tile === undefined)
      throw mappingUnavailable('the frame that the annotations name has no position');
    // In the object, (0, 0) is the corner of the first pixel.
    const [x, y] = [(tile?.x ?? 0) - 0.5, (tile?.y ?? 0) - 0.5];
    return [scaleX, 0, 0, scaleY, x * scaleX + shiftX, y * scaleY + shiftY];
  }

  async function draw(opened: OpenedIndex, target: SpatialTarget, options: LayerOptions): Promise<PlacedLayer> {
    if (target.kind !== 'slide') throw new Error('annotations of slides lie over slides only');
    const { file, content: index, cached } = opened;
    const toSlide = await mapToSlide(opened, target.slide, options);
    const wanted = target.parts && new Set(target.parts);
    const { x, y, width, height, pixel } = target.part;
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
  }

  const open = createOpenSpatial(context, memory.cache<AnnotationIndex>('slideAnnotations'), reading);
  return createSpatialLayers(context, open, {
    ...reading,
    isOnSlidesOnly: true,
    describe: async (opened) => describeAnnotations(opened.content, slidePlaces.listLevels(await findSlides(opened))),
    draw,
    findSlide: async (opened) => (await findSlides(opened))[0],
    refuseSlide: (file) =>
      file === undefined
        ? mappingUnavailable(NOT_OPEN)
        : new ViewerError('bad_request', `file ${file.index} is not a whole slide image`),
  });
}

const NOT_OPEN = 'the slide that the annotations name is not open';

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
    parts: groups.map((group, at): PartOfSort<'annotations'> => {
      const reason = leftOut.find(({ part }) => part === group.number)?.reason;
      const problem =
        group.count > 0 ? (slides.length > 0 ? undefined : NOT_OPEN) : (reason ?? 'it has no annotations');
      return {
        sort: 'annotations',
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
