import { normalOf, positionAlong } from '../../../shared/geometry.ts';
import type { DicomFile } from '../catalog/dicomFile.ts';
import { inspectConcatenation, isPart, orderParts, type Part } from './concatenation.ts';
import type { ReadGeometry } from './geometryReader.ts';
import { pointOf } from './frameTable.ts';
import { inspectFrameCounts } from './inspectFrameCounts.ts';
import { imageTypeRole, isPyramidLevel } from './imageType.ts';
import { joinFrameFacts, tabulateFrames } from './multiFrameStack.ts';
import type { StackFrames } from './stack.ts';
import { draftStack, type StackDraft } from './stackDraft.ts';

/** The parts of one concatenation, one after the other. `parts` are sorted by index. */
export function buildConcatenationStack(
  parts: readonly Part[],
  geometryOf: (file: DicomFile) => ReadGeometry | undefined,
): StackDraft {
  const ordered = orderParts(parts);
  const frames = joinFrames(ordered);
  const positionsMm = new Float64Array(frames.length).fill(NaN);
  let start = 0;
  let normal: ReturnType<typeof normalOf> | undefined;
  for (const part of ordered) {
    const { table } = tabulateFrames(part, geometryOf(part));
    for (const [frame, orientation] of table.orientations.entries()) {
      if (orientation === undefined) continue;
      normal ??= normalOf(orientation);
      positionsMm[start + frame] = positionAlong(normal, pointOf(table, frame));
    }
    start += part.frameCount;
  }
  return draftStack(parts[0], {
    kind: 'concatenation',
    concatenationUid: parts[0]?.placement.concatenation.uid,
    frames: { ...frames, positionsMm },
    warnings: [...inspectFrameCounts(parts), ...inspectConcatenation(ordered)],
    ofFrames: joinFrameFacts(ordered.map((part) => geometryOf(part))),
  });
}

/** One level or companion of a slide: a file, or the parts of one object. */
export function buildSlideStack(files: readonly DicomFile[]): StackDraft {
  const [first] = files;
  const parts = orderParts(files.filter(isPart));
  const slide = first?.placement?.slide;
  return draftStack(first, {
    kind: first !== undefined && isPyramidLevel(first) ? 'wsi_pyramid_level' : 'wsi_companion',
    concatenationUid: parts[0]?.placement.concatenation.uid,
    pyramidUid: slide?.pyramidUid,
    imageTypeRole: imageTypeRole(first?.placement?.imageType),
    totalPixelMatrixRows: slide?.totalRows,
    totalPixelMatrixColumns: slide?.totalColumns,
    frames: joinFrames(parts.length === 0 ? files : parts),
    warnings: [...inspectFrameCounts(files), ...inspectConcatenation(parts)],
  });
}

/** All frames in stored order, with the files in the given order. */
function joinFrames(files: readonly DicomFile[]): StackFrames {
  const length = files.reduce((sum, { frameCount }) => sum + frameCount, 0);
  const fileIndices = new Uint32Array(length);
  const frameIndices = new Uint32Array(length);
  let start = 0;
  for (const { index, frameCount } of files) {
    fileIndices.fill(index, start, start + frameCount);
    for (let frame = 0; frame < frameCount; frame += 1) frameIndices[start + frame] = frame;
    start += frameCount;
  }
  return { length, fileIndices, frameIndices, positionsMm: new Float64Array(length).fill(NaN) };
}
