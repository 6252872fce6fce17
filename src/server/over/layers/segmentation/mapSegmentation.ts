import { ViewerError } from '../../../../shared/contract/errors.ts';
import type { FrameGeometry } from '../../../standard/geometry/frameGeometry.ts';
import { geometryOfPlane } from '../../../standard/geometry/geometryColumns.ts';
import { readGeometry } from '../../../standard/geometry/readGeometry.ts';
import { withSame } from '../../../bytes/origins/origins.ts';
import type { TaskContext } from '../../../machine/workers/serveTasks.ts';
import type { FrameMappings, SourceFile } from './frameMappings.ts';
import { mapFrames } from './mapFrames.ts';
import type { MappingInput } from './segmentationTasks.ts';

/** Implements `mapSegmentationTask`: reads the positions of the sources, and maps all frames to them. */
export function mapSegmentation({ segmentation, sources }: MappingInput, context: TaskContext): FrameMappings {
  const placed = sources.map((source) => {
    context.throwIfCancelled();
    const { source: _source, place: _place, ...rest } = source;
    return { ...rest, geometry: tryReadGeometry(source) };
  });
  return mapFrames(segmentation, placed);
}

/** A source that is gone cannot be drawn on, but the others can still be mapped. */
function tryReadGeometry({ source, frameCount, place }: SourceFile): FrameGeometry | undefined {
  try {
    return withSame(source, (opened) =>
      place ? geometryOfPlane(place.plane, place.frameOfReferenceUid) : readGeometry(opened, frameCount),
    );
  } catch (error) {
    if (error instanceof ViewerError) return undefined;
    throw error;
  }
}
