import type { DicomFile } from '../catalog/dicomFile.ts';
import type { StackWarning } from './stack.ts';

/** Whether a file declares more frames than it holds, or more than are plausible for a file of its size. */
export function lacksFrames({ frameCount, declaredFrameCount = 0 }: DicomFile): boolean {
  return declaredFrameCount > frameCount;
}

/** Reports files that have fewer frames than they declare. */
export function inspectFrameCounts(files: readonly DicomFile[]): StackWarning[] {
  const lacking = files.filter(lacksFrames);
  const [only] = lacking;
  if (only === undefined) return [];
  const message =
    lacking.length === 1
      ? `the file declares ${only.declaredFrameCount} frames, but only ${only.frameCount} of them can be shown`
      : `${lacking.length} files declare more frames than can be shown`;
  return [{ code: 'missing_frames', message, fileIndices: lacking.map(({ index }) => index) }];
}
