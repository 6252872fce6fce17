import { mappingUnavailable, ViewerError } from '../../../../shared/contract/errors.ts';
import type { ImagePlane } from '../../../../shared/geometry.ts';
import type { DicomFile } from '../../../images/catalog/dicomFile.ts';
import { planeAt } from '../../../standard/geometry/frameGeometry.ts';
import type { MemoryAccount } from '../../../machine/memory/memoryAccount.ts';
import { stateOf } from '../../../bytes/origins/origins.ts';
import type { LayerOptions, PlacedLayer, SlideTarget } from '../layerProvider.ts';
import { gridOfPart, isSlide, requireSlidePlane } from '../slidePlaces.ts';
import { findTilesOn } from '../tilesOn.ts';
import type { MaskPacker } from './maskPacker.ts';
import { maskBytesOf, mostLayerBytesOf } from './maskPlacer.ts';
import { findMeaning, segmentOf, UNKNOWN_TYPE } from './segmentationContext.ts';
import type { Segmentations } from './segmentations.ts';

/** Finds the frames of a segmentation that lie on a part of a slide. They are drawn as over a stored frame. */
export type SlideMasks = (file: DicomFile, target: SlideTarget, options: LayerOptions) => Promise<PlacedLayer>;

/** Reading more tiles takes too long. */
const MOST_FRAMES = 4096;
const MOST_LAYER_BYTES = 64_000_000;

export function createSlideMasks({
  memory,
  segmentations,
  pack,
}: {
  readonly memory: MemoryAccount;
  readonly segmentations: Segmentations;
  readonly pack: MaskPacker;
}): SlideMasks {
  return async (file, target, options) => {
    const { state, record, isMask, sources, slides, aligned } = await segmentations.map(file, options);
    const meaning = findMeaning(record, isMask);
    if (meaning === undefined) throw mappingUnavailable(UNKNOWN_TYPE);
    const slide = target.file ?? sources.find(isSlide) ?? aligned?.slide ?? slides[0];
    if (slide === undefined) throw mappingUnavailable('no slide of the segmentation is open');
    const { geometry } = record.frames;
    const { plane } = requireSlidePlane(slide);
    if (geometry.space !== 'slide')
      throw mappingUnavailable('the segmentation does not lie in the coordinate system of a slide');
    if (slide.frameOfReferenceUid !== geometry.frameOfReferenceUid) {
      throw mappingUnavailable('the slide and the segmentation have different frames of reference');
    }
    const slideState = await stateOf(slide.source);
    const { x, y, width, height, pixel } = target;
    const { rows, columns, ...under } = gridOfPart(plane, target);
    const frames = await findTilesOn(geometry, record, { ...under, rows, columns }, MOST_FRAMES, options.signal);
    if (frames === undefined) {
      throw new ViewerError(
        'layer_too_large',
        `more than ${MOST_FRAMES} tiles of the segmentation lie here: zoom in to see its masks`,
      );
    }
    const key = [state, slideState, 'slide', x, y, width, height, pixel].join('\0');
    return pack({
      file,
      key,
      frames,
      meaning,
      rows,
      columns,
      memory: slideMasksMemory(file, under, {
        rows,
        columns,
        frameCount: frames.length,
        decodeBytes: maskBytesOf(file, meaning, memory.plan.tasks),
      }),
      describeFrame: (frame) => ({
        segment: segmentOf(record, frame),
        plane: planeAt(geometry, frame),
        sourcePlane: under,
      }),
    });
  };
}

/** A tile is drawn over its own samples only, and all of them are kept until they are written together. */
function slideMasksMemory(
  file: DicomFile,
  under: ImagePlane,
  { rows, columns, frameCount, decodeBytes }: Size & { readonly frameCount: number; readonly decodeBytes: number },
) {
  const [downMm, acrossMm] = file.pixelSpacingMm ?? [under.rowSpacingMm, under.columnSpacingMm];
  const side = Math.max(file.rows * downMm, file.columns * acrossMm);
  const inRows = Math.min(rows, Math.ceil(side / under.rowSpacingMm) + 2);
  const inColumns = Math.min(columns, Math.ceil(side / under.columnSpacingMm) + 2);
  const sampleBytes = file.bitsAllocated > 8 ? 2 : 1;
  const mostLayerBytes = Math.min(
    MOST_LAYER_BYTES,
    mostLayerBytesOf(file),
    frameCount * inRows * inColumns * sampleBytes,
  );
  const drawing = decodeBytes + 2 * inRows * columns * sampleBytes;
  return { bytes: drawing + 3 * mostLayerBytes, mostLayerBytes };
}

type Size = { readonly rows: number; readonly columns: number };
