import type { DicomFile } from '../catalog/dicomFile.ts';
import type { StackWarning } from './stack.ts';

/** Whether a file declares frames that it does not hold, or more than a file of its size is believed to have. */
export function lacksFrames({ frameCount, declaredFrameCount = 0 }: DicomFile): boolean {
  return declaredFrameCount > frameCount;
}

/** Says which files have fewer frames here than they declare. */
export function inspectFrameCounts(files: readonly DicomFile[]): StackWarning[] {
  const lacking = files.filter(lacksFrames);
  const [only] = lacking;
  if (only === undefined) return [];
  const message =
    lacking.length === 1
      ? `the file declares ${only.declaredFrameCount} frames, and ${only.frameCount} of them can be shown`
      : `${lacking.length} files declare more frames than can be shown of them`;
  return [{ code: 'missing_frames', message, fileIndices: lacking.map(({ index }) => index) }];
}
