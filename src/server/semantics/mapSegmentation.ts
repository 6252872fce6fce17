import { ViewerError } from '../../shared/contract/errors.ts';
import type { TaskContext } from '../workers/serveTasks.ts';
import type { FrameMappings, SourceFile } from './frameMappings.ts';
import { type FramePlanes, readFramePlanes } from './framePlanes.ts';
import { mapFrames } from './mapFrames.ts';
import type { MappingInput } from './semanticTasks.ts';

/** What stands behind `mapSegmentationTask`: reads where the sources lie, and maps all frames to them. */
export function mapSegmentation({ segmentation, sources }: MappingInput, context: TaskContext): FrameMappings {
  const placed = sources.map((source) => {
    context.throwIfCancelled();
    const { path: _path, identity: _identity, ...rest } = source;
    return { ...rest, geometry: tryReadPlanes(source) };
  });
  return mapFrames(segmentation, placed);
}

/** A source that is gone is one that cannot be drawn on, and no reason to say nothing of the others. */
function tryReadPlanes({ path, identity, frameCount }: SourceFile): FramePlanes | undefined {
  try {
    return readFramePlanes({ path, identity }, frameCount);
  } catch (error) {
    if (error instanceof ViewerError) return undefined;
    throw error;
  }
}
