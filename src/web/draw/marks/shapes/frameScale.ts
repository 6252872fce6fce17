import type { FileRecord } from '../../../../shared/contract/files.ts';
import type { PlaneRun } from '../../../../shared/contract/series.ts';
import type { TagNode } from '../../../../shared/contract/tags.ts';
import type { FrameScale, ScaledRegion } from '../../../../shared/pixelScale.ts';
import { MOST_ULTRASOUND_REGIONS, mayHaveRegions, toScaledRegion } from '../../../../shared/ultrasoundRegion.ts';
import { fetchTag, fetchTags } from '../../../kit/api/tags.ts';
import { findNode, numbersOf } from '../../../show/pictures/tagNodes.ts';

/** Undefined if the tags of the file are needed: an ultrasound image can have several scales. */
export function findFrameScale(file: FileRecord, plane: PlaneRun | undefined): FrameScale | undefined {
  return mayHaveRegions(file.modality) ? undefined : scaleOf(file, plane);
}

/** `plane` is that of the frame, as far as it is known. */
export async function loadFrameScale(
  file: FileRecord,
  plane: PlaneRun | undefined,
  signal: AbortSignal,
): Promise<FrameScale> {
  const known = findFrameScale(file, plane);
  if (known !== undefined) return known;
  const nodes = await fetchTags(file.index, { depth: 1, items: 1 }, signal);
  const regions =
    findNode(nodes, REGIONS) && (await fetchTag(file.index, { path: REGIONS, limit: MOST_ULTRASOUND_REGIONS }, signal));
  return { ...scaleOf(file, plane), regions: parseRegions(regions) };
}

const REGIONS = '(0018,6011)';

/** The list of files has the spacing of the first frame only; other frames can have their own. */
export function scaleOf(file: FileRecord, plane: PlaneRun | undefined): FrameScale {
  const own = plane?.pixel_spacing_mm ?? undefined;
  if (own !== undefined) {
    return { spacingMm: own, source: plane?.pixel_spacing_source ?? undefined, aspect: own[0] / own[1], regions: [] };
  }
  const { pixel_spacing_mm, pixel_spacing_source, pixel_aspect_ratio } = file;
  return {
    spacingMm: pixel_spacing_mm ?? undefined,
    source: pixel_spacing_source ?? undefined,
    aspect: pixel_aspect_ratio ?? 1,
    regions: [],
  };
}

/** Sequence of Ultrasound Regions, PS3.3 C.8.5.5. */
export function parseRegions(sequence: TagNode | undefined): readonly ScaledRegion[] {
  if (sequence?.value.type !== 'sequence') return [];
  return sequence.value.items.flatMap(
    (item) => toScaledRegion((tag) => numbersOf(findNode(item, nameTag(tag)))?.[0]) ?? [],
  );
}

/** As nodes name it: (0018,6018). */
function nameTag(tag: number): string {
  const digits = tag.toString(16).toUpperCase().padStart(8, '0');
  return `(${digits.slice(0, 4)},${digits.slice(4)})`;
}
