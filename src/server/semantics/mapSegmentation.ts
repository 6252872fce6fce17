import { ViewerError } from '../../shared/contract/errors.ts';
import { withSameFile } from '../dicom/openSameFile.ts';
import type { FrameGeometry } from '../geometry/frameGeometry.ts';
import { readGeometry } from '../geometry/readGeometry.ts';
import type { TaskContext } from '../workers/serveTasks.ts';
import type { FrameMappings, SourceFile } from './frameMappings.ts';
import { mapFrames } from './mapFrames.ts';
import type { MappingInput } from './semanticTasks.ts';

/** What stands behind `mapSegmentationTask`: reads where the sources lie, and maps all frames to them. */
export function mapSegmentation({ segmentation, sources }: MappingInput, context: TaskContext): FrameMappings {
  const placed = sources.map((source) => {
    context.throwIfCancelled();
    const { path: _path, identity: _identity, ...rest } = source;
    return { ...rest, geometry: tryReadGeometry(source) };
  });
  return mapFrames(segmentation, placed);
}

/** A source that is gone is one that cannot be drawn on, and no reason to say nothing of the others. */
function tryReadGeometry({ path, identity, frameCount }: SourceFile): FrameGeometry | undefined {
  try {
    return withSameFile({ path, identity }, (source) => readGeometry(source, frameCount));
  } catch (error) {
    if (error instanceof ViewerError) return undefined;
    throw error;
  }
}
