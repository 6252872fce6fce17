import type { FileRecord } from '../../shared/contract/files.ts';
import type { TagNode } from '../../shared/contract/tags.ts';
import { fetchTag, fetchTags } from '../api/tags.ts';
import { findItem, findNode, FRAME_GROUPS, numbersOf } from '../viewport/tagNodes.ts';
import type { FrameScale, ScaledRegion, Spacing } from './scale.ts';

/** Where the list of files says it all; undefined where the file must be asked. */
export function findFrameScale(file: FileRecord): FrameScale | undefined {
  return file.frame_count === 1 && !isUltrasound(file) ? scaleOfFile(file) : undefined;
}

/** The list knows the first frame only: others can have a spacing of their own, and ultrasound its regions. */
export async function loadFrameScale(file: FileRecord, frame: number, signal: AbortSignal): Promise<FrameScale> {
  const known = findFrameScale(file);
  if (known !== undefined) return known;
  const nodes = await fetchTags(file.index, { depth: 3, items: 1 }, signal);
  const regions = findNode(nodes, REGIONS) && (await fetchTag(file.index, { path: REGIONS, limit: 256 }, signal));
  const scale = { ...scaleOfFile(file), regions: isUltrasound(file) ? parseRegions(regions) : [] };
  if (findNode(findItem(findItem(nodes, FRAME_GROUPS), PIXEL_MEASURES), PIXEL_SPACING) === undefined) return scale;
  const path = `${FRAME_GROUPS}/${frame}/${PIXEL_MEASURES}/0/${PIXEL_SPACING}`;
  const own = toSpacing(numbersOf(await fetchTag(file.index, { path }, signal)));
  return own === undefined ? scale : { ...scale, spacingMm: own, source: 'pixel_spacing', aspect: own[0] / own[1] };
}

const PIXEL_MEASURES = '(0028,9110)';
const PIXEL_SPACING = '(0028,0030)';
const REGIONS = '(0018,6011)';

function scaleOfFile({ pixel_spacing_mm, pixel_spacing_source, pixel_aspect_ratio }: FileRecord): FrameScale {
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
        // Locations are of pixels, the last one included.
        from: { x: left, y: top },
        to: { x: right + 1, y: bottom + 1 },
        spacingMm: isLength ? toSpacing([toMm(deltaY), toMm(deltaX)]) : undefined,
      },
    ];
  });
}

/** Physical Units X and Y Direction. */
const CENTIMETRES = 3;

/** A delta is negative where the axis runs against the pixels. */
function toMm(delta: number | undefined): number {
  return Math.abs(delta ?? 0) * 10;
}

function toSpacing(numbers: readonly number[] | undefined): Spacing | undefined {
  const [rows = 0, columns = 0] = numbers ?? [];
  return rows > 0 && columns > 0 && Number.isFinite(rows * columns) ? [rows, columns] : undefined;
}
