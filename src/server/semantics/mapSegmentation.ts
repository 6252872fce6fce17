import { ViewerError } from '../../shared/contract/errors.ts';
import type { FrameGeometry } from '../geometry/frameGeometry.ts';
import { readGeometry } from '../geometry/readGeometry.ts';
import { withSame } from '../origins/origins.ts';
import type { TaskContext } from '../workers/serveTasks.ts';
import type { FrameMappings, SourceFile } from './frameMappings.ts';
import { mapFrames } from './mapFrames.ts';
import type { MappingInput } from './semanticTasks.ts';

/** What stands behind `mapSegmentationTask`: reads where the sources lie, and maps all frames to them. */
export function mapSegmentation({ segmentation, sources }: MappingInput, context: TaskContext): FrameMappings {
  const placed = sources.map((source) => {
    context.throwIfCancelled();
    const { source: _source, ...rest } = source;
    return { ...rest, geometry: tryReadGeometry(source) };
  });
  return mapFrames(segmentation, placed);
}

/** A source that is gone is one that cannot be drawn on, and no reason to say nothing of the others. */
function tryReadGeometry({ source, frameCount }: SourceFile): FrameGeometry | undefined {
  try {
    return withSame(source, (opened) => readGeometry(opened, frameCount));
  } catch (error) {
    if (error instanceof ViewerError) return undefined;
    throw error;
  }
}
