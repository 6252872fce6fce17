import { mappingUnavailable } from '../../../../shared/contract/errors.ts';
import type { DicomFile } from '../../../images/catalog/dicomFile.ts';
import { findRedactions, stateOf } from '../../../bytes/origins/origins.ts';
import { type CostFactors, isUncompressed } from '../../../standard/dicom/readCost.ts';
import { decodeBytesOf } from '../../../images/pixels/decodeCost.ts';
import type { MemoryAccount } from '../../../machine/memory/memoryAccount.ts';
import { checkFrame } from '../../../images/pixels/frames.ts';
import { planeAt } from '../../../standard/geometry/frameGeometry.ts';
import type { LayerOptions, LayerTarget, PlacedLayer } from '../layerProvider.ts';
import { findFramesOver } from './frameMappings.ts';
import { planeInColumns } from '../planeColumns.ts';
import type { MaskPacker } from './maskPacker.ts';
import { findMeaning, segmentOf, UNKNOWN_TYPE } from './segmentationContext.ts';
import type { Segmentations } from './segmentations.ts';
import type { SampleMeaning } from './segmentationTasks.ts';

/** Finds the frames of a segmentation that lie over a frame of an image. Their masks are encoded together. */
export type MaskPlacer = (file: DicomFile, target: LayerTarget, options: LayerOptions) => Promise<PlacedLayer>;

const MOST_LAYER_BYTES = 256_000_000;
const LEAST_LAYER_BYTES = 24_000_000;
const LAYER_BYTES_A_BYTE = 64;

export function createMaskPlacer({
  memory,
  segmentations,
  pack,
}: {
  readonly memory: MemoryAccount;
  readonly segmentations: Segmentations;
  readonly pack: MaskPacker;
}): MaskPlacer {
  return async (file, target, options) => {
    checkFrame(target.file, target.frame);
    const { state, record, isMask, sources, mappings } = await segmentations.map(file, options);
    const meaning = findMeaning(record, isMask);
    if (meaning === undefined) throw mappingUnavailable(UNKNOWN_TYPE);
    const { rows, columns } = target.file;
    const targetState = await stateOf(target.file.source);
    const place = sources.findIndex(({ index }) => index === target.file.index);
    const frames = findFramesOver(mappings, place, target.frame);
    const key = [state, targetState, target.frame, ...frames].join('\0');
    return pack({
      file,
      key,
      frames,
      meaning,
      rows,
      columns,
      memory: masksMemory(
        file,
        { rows, columns, frameCount: frames.length, decodeBytes: maskBytesOf(file, meaning, memory.plan.tasks) },
        memory.plan.tasks,
      ),
      describeFrame: (frame) => ({
        segment: segmentOf(record, frame),
        plane: planeAt(record.frames.geometry, frame),
        sourcePlane: planeInColumns(mappings.sourcePlanes, frame),
      }),
    });
  };
}

/** Memory for reading one frame. Masks of bits are read as they are stored, unless they have redactions. */
export function maskBytesOf(file: DicomFile, { kind }: SampleMeaning, tasksBytes: number): number {
  const isPacked = kind === 'mask' && file.bitsAllocated === 1 && isUncompressed(file);
  const areBits = isPacked && findRedactions(file.source) === undefined;
  if (!areBits) return decodeBytesOf(file, tasksBytes);
  // The fields of a file are getters, which a spread leaves out.
  const { rows, samplesPerPixel, bitsAllocated, frameCount, fileBytes, transferSyntaxUid } = file;
  const columns = Math.ceil(file.columns / 8);
  const packed = { rows, columns, samplesPerPixel, bitsAllocated, frameCount, fileBytes, transferSyntaxUid };
  return decodeBytesOf(packed, tasksBytes);
}

/** Layers are written twice when they are encoded, so a small file that draws many would take much more memory. */
export function mostLayerBytesOf({ fileBytes }: Pick<CostFactors, 'fileBytes'>): number {
  return Math.min(MOST_LAYER_BYTES, Math.max(LEAST_LAYER_BYTES, LAYER_BYTES_A_BYTE * fileBytes));
}

type Target = { readonly rows: number; readonly columns: number; readonly frameCount: number };

/**
 * Frames are decoded and drawn one at a time. The layers are kept until all are written together. Each layer is cropped
 * to its nonzero samples, usually a small part: if the budget has no room for full layers, `mostLayerBytes` limits
 * them.
 */
export function masksMemory(
  file: Pick<CostFactors, 'bitsAllocated' | 'fileBytes'>,
  { rows, columns, frameCount, decodeBytes }: Target & { readonly decodeBytes: number },
  tasksBytes: number,
): { readonly bytes: number; readonly mostLayerBytes: number } {
  const layer = rows * columns * (file.bitsAllocated > 8 ? 2 : 1);
  // The samples drawn over all rows, and the cropped part.
  const drawing = decodeBytes + 2 * layer;
  // Encoding takes as much again twice: once in parts and once in one piece.
  const room = Math.max(layer, Math.floor((tasksBytes - drawing) / 3));
  const mostLayerBytes = Math.min(frameCount * layer, Math.max(layer, mostLayerBytesOf(file)), room);
  return { bytes: drawing + 3 * mostLayerBytes, mostLayerBytes };
}
