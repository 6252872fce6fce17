import type { FileRecord } from '../../shared/contract/files.ts';
import type { PlaneRun } from '../../shared/contract/series.ts';
import type { TagNode } from '../../shared/contract/tags.ts';
import { fetchTag, fetchTags } from '../api/tags.ts';
import { findNode, numbersOf } from '../pictures/tagNodes.ts';
import type { FrameScale, ScaledRegion, Spacing } from './scale.ts';

/** Undefined if the tags of the file are needed: an ultrasound image can have several scales. */
export function findFrameScale(file: FileRecord, plane: PlaneRun | undefined): FrameScale | undefined {
  return isUltrasound(file) ? undefined : scaleOf(file, plane);
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
  const regions = findNode(nodes, REGIONS) && (await fetchTag(file.index, { path: REGIONS, limit: 256 }, signal));
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

function isUltrasound({ modality }: FileRecord): boolean {
  return modality === 'US' || modality === 'IVUS';
}

/** Sequence of Ultrasound Regions, PS3.3 C.8.5.5. */
export function parseRegions(sequence: TagNode | undefined): readonly ScaledRegion[] {
  if (sequence?.value.type !== 'sequence') return [];
  return sequence.value.items.flatMap((item) => {
    const numberAt = (tag: string) => numbersOf(findNode(item, tag))?.[0];
    const [left, top, right, bottom] = ['(0018,6018)', '(0018,601A)', '(0018,601C)', '(0018,601E)'].map(numberAt);
    if (left === undefined || top === undefined || right === undefined || bottom === undefined) return [];
    const [unitX, unitY] = [numberAt('(0018,6024)'), numberAt('(0018,6026)')];
    const [deltaX, deltaY] = [numberAt('(0018,602C)'), numberAt('(0018,602E)')];
    const isLength = unitX === CENTIMETRES && unitY === CENTIMETRES;
    return [
      {
        // Locations are pixels, the last one included.
        from: { x: left, y: top },
        to: { x: right + 1, y: bottom + 1 },
        spacingMm: isLength ? toSpacing([toMm(deltaY), toMm(deltaX)]) : undefined,
      },
    ];
  });
}

/** Code of Physical Units X and Y Direction. */
const CENTIMETRES = 3;

/** A delta is negative where the axis runs opposite to the pixels. */
function toMm(delta: number | undefined): number {
  return Math.abs(delta ?? 0) * 10;
}

function toSpacing(numbers: readonly number[] | undefined): Spacing | undefined {
  const [rows = 0, columns = 0] = numbers ?? [];
  return rows > 0 && columns > 0 && Number.isFinite(rows * columns) ? [rows, columns] : undefined;
}
