import { isSpaceOfSeries, nameSpace } from '../../../../shared/spaceName.ts';
import { planeInColumns } from '../planeColumns.ts';
import { sourceOf } from './frameMappings.ts';
import type { MappedSegmentation } from './segmentations.ts';

/**
 * The coordinates in which the frames of a segmentation lie: its own frame of reference, and those of source images
 * without one, in whose planes its frames lie.
 */
export function spacesOfSegmentation({
  record,
  sources,
  mappings,
}: Pick<MappedSegmentation, 'record' | 'sources' | 'mappings'>): readonly string[] {
  const { frameOfReferenceUid } = record.frames.geometry;
  const spaces = new Set(frameOfReferenceUid === undefined ? [] : [frameOfReferenceUid]);
  for (const frame of mappings.bySource) {
    const file = sources[sourceOf(mappings, frame)[0]];
    const space = file && nameSpace(file.frameOfReferenceUid, file.seriesInstanceUid);
    if (space === undefined || !isSpaceOfSeries(space) || spaces.has(space)) continue;
    if (planeInColumns(mappings.sourcePlanes, frame) !== undefined) spaces.add(space);
  }
  return [...spaces];
}
