import { ViewerError } from '../../../shared/contract/errors.ts';
import { type ImagePlane, pixelToPatient, planeToPlane } from '../../../shared/geometry.ts';
import type { DicomFile } from '../../catalog/dicomFile.ts';
import { type FrameGeometry, planeAt } from '../../geometry/frameGeometry.ts';
import type { MemoryAccount } from '../../memory/memoryAccount.ts';
import { stateOf } from '../../origins/origins.ts';
import { decodeMemoryOf } from '../../pixels/decodeCost.ts';
import { doInTurns, type WorkInTurns } from '../../workers/doInTurns.ts';
import type { LayerOptions, PlacedLayer, SlideTarget } from '../layerProvider.ts';
import { findSlidePlane, isSlide } from '../slidePlaces.ts';
import type { MaskPacker } from './maskPacker.ts';
import { findMeaning, segmentOf, UNKNOWN_TYPE } from './segmentationContext.ts';
import type { Segmentations } from './segmentations.ts';

/** Finds the frames of a segmentation that lie on a part of a slide. They are drawn as over a stored frame. */
export type SlideMasks = (file: DicomFile, target: SlideTarget, options: LayerOptions) => Promise<PlacedLayer>;

const MOST_SAMPLES = 2 ** 22;
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
    if (meaning === undefined) throw new ViewerError('semantic_mapping_unavailable', UNKNOWN_TYPE);
    const slide = target.file ?? sources.find(isSlide) ?? aligned?.slide ?? slides[0];
    if (slide === undefined) throw refuse('no slide of the segmentation is open');
    const { geometry } = record.frames;
    const plane = findSlidePlane(slide);
    if (plane === undefined) throw refuse('the slide does not declare its position in its coordinate system');
    if (geometry.space !== 'slide') throw refuse('the segmentation does not lie in the coordinate system of a slide');
    if (slide.frameOfReferenceUid !== geometry.frameOfReferenceUid) {
      throw refuse('the slide and the segmentation have different frames of reference');
    }
    const slideState = await stateOf(slide.source);
    const { x, y, width, height, pixel } = target;
    const [rows, columns] = [Math.max(1, Math.round(height / pixel)), Math.max(1, Math.round(width / pixel))];
    if (rows * columns > MOST_SAMPLES) {
      throw new ViewerError('bad_request', `a part of ${columns} x ${rows} samples is larger than ${MOST_SAMPLES}`);
    }
    const under = samplePlane(plane, target);
    const { frames, isTooMany } = await doInTurns(findFrames(geometry, record, under, { rows, columns }));
    if (isTooMany) {
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
      memory: slideMasksMemory(file, under, { rows, columns, frameCount: frames.length }, memory.plan.tasks),
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
  { rows, columns, frameCount }: Size & { readonly frameCount: number },
  tasksBytes: number,
) {
  const [downMm, acrossMm] = file.pixelSpacingMm ?? [under.rowSpacingMm, under.columnSpacingMm];
  const side = Math.max(file.rows * downMm, file.columns * acrossMm);
  const inRows = Math.min(rows, Math.ceil(side / under.rowSpacingMm) + 2);
  const inColumns = Math.min(columns, Math.ceil(side / under.columnSpacingMm) + 2);
  const sampleBytes = file.bitsAllocated > 8 ? 2 : 1;
  const mostLayerBytes = Math.min(MOST_LAYER_BYTES, frameCount * inRows * inColumns * sampleBytes);
  const drawing = decodeMemoryOf(file, tasksBytes).bytes + 2 * inRows * columns * sampleBytes;
  return { bytes: drawing + 3 * mostLayerBytes, mostLayerBytes };
}

function refuse(reason: string): ViewerError {
  return new ViewerError('semantic_mapping_unavailable', reason);
}

/** The samples of a part of a slide: each is the middle of `pixel` times `pixel` pixels. */
function samplePlane(plane: ImagePlane, { x, y, pixel }: SlideTarget): ImagePlane {
  const middle = (pixel - 1) / 2;
  return {
    ...plane,
    position: pixelToPatient(plane, { row: y + middle, column: x + middle }),
    rowSpacingMm: plane.rowSpacingMm * pixel,
    columnSpacingMm: plane.columnSpacingMm * pixel,
  };
}

type Size = { readonly rows: number; readonly columns: number };
type Found = { readonly frames: readonly number[]; readonly isTooMany: boolean };

/** The frames whose corners are not all on one side of the part. */
function* findFrames(geometry: FrameGeometry, tile: Size, under: ImagePlane, part: Size): WorkInTurns<Found> {
  const frames: number[] = [];
  for (let frame = 0; frame < geometry.length; frame += 1) {
    yield;
    const plane = planeAt(geometry, frame);
    if (plane === undefined) continue;
    const [rowPerRow, rowPerColumn, rowStart, columnPerRow, columnPerColumn, columnStart] = planeToPlane(plane, under);
    const corners = [-0.5, tile.rows - 0.5].flatMap((row) =>
      [-0.5, tile.columns - 0.5].map((column) => ({
        row: rowPerRow * row + rowPerColumn * column + rowStart,
        column: columnPerRow * row + columnPerColumn * column + columnStart,
      })),
    );
    const isBeside =
      corners.every(({ row }) => row <= -0.5) ||
      corners.every(({ row }) => row >= part.rows - 0.5) ||
      corners.every(({ column }) => column <= -0.5) ||
      corners.every(({ column }) => column >= part.columns - 0.5);
    if (isBeside) continue;
    frames.push(frame);
    if (frames.length > MOST_FRAMES) return { frames: [], isTooMany: true };
  }
  return { frames, isTooMany: false };
}
