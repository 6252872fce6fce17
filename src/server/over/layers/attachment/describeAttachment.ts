import { evenSpacingOf } from '../../../../shared/evenSpacing.ts';
import { dot, normalOf } from '../../../../shared/geometry.ts';
import { pickFullest } from '../../../../shared/pickFullest.ts';
import { findNeededPlaces } from '../../../../shared/planeGrid.ts';
import { type PositionTable, planeOfPlace } from '../../../../shared/positionTable.ts';
import { paletteColor } from '../../../../shared/segmentColor.ts';
import type { Attachment } from '../../../images/attachments/attachments.ts';
import type { WorkInTurns } from '../../../machine/workers/doInTurns.ts';
import type { DescribedField, LayerDescription, LayerTarget, PartOfSort, TargetFrames } from '../layerProvider.ts';
import { groupByFile } from '../reachedImages.ts';
import { MOST_VOLUMES, nameVolumes } from './arrayVolume.ts';
import type { AttachmentMasks, AttachmentPart } from './attachmentTasks.ts';
import type { PlacedOver } from './placeAttachment.ts';
import type { GridFrame, StackGrid } from './stackGrids.ts';

/** What an attachment holds, beside where it lies. */
export function describeMasks(
  attachment: Attachment,
  over: readonly PlacedOver[],
  masks: AttachmentMasks,
): Pick<LayerDescription, 'kind' | 'field' | 'about' | 'parts' | 'unplaced'> {
  const [first] = over;
  const isField = masks.content !== 'labels' && first !== undefined;
  return {
    kind: isField ? 'field' : 'mask',
    ...(isField && { field: describeField(attachment, first, masks), about: nameContent(masks) }),
    parts: masks.parts.map((part, at) => describePart(part, at, { masks, over })),
    unplaced: masks.parts
      .filter(({ voxels }) => voxels === 0)
      .map(({ number }) => ({ reason: NO_VOXELS, part: number, count: 0 })),
  };
}

/** Where a model decides. */
const HALF = 0.5;

function describeField({ content }: Attachment, { match }: PlacedOver, masks: AttachmentMasks): DescribedField {
  const isProbability = masks.content === 'probabilities';
  const isArray = content.kind === 'array' && 'order' in match;
  const volumes = isArray ? nameVolumes(content.header, match.order).slice(0, MOST_VOLUMES) : [''];
  const isUnnamed = isArray && content.header.labels.length === 0 && content.header.otherAxis === undefined;
  return {
    unit: '',
    unitKind: isProbability ? 'probability' : 'stored',
    range: isProbability ? [0, 1] : masks.valueRange,
    references: [],
    levels: isProbability ? [HALF] : [],
    volumes,
    // The first one of several probabilities is that of the background, unless the file says what they are.
    firstVolume: isProbability && volumes.length > 1 && isUnnamed ? 1 : 0,
  };
}

function nameContent({ content, valueRange: [low, high] }: AttachmentMasks): string {
  const range = `from ${toShort(low)} to ${toShort(high)}`;
  return content === 'probabilities' ? `probabilities ${range}` : `values ${range}`;
}

function toShort(value: number): string {
  return String(Number(value.toPrecision(4)));
}

const NO_VOXELS = 'the file has no voxels of it';

type Described = { readonly masks: AttachmentMasks; readonly over: readonly PlacedOver[] };

function describePart(
  { number, name, color, voxels }: AttachmentPart,
  at: number,
  { masks, over }: Described,
): PartOfSort<'segment'> {
  const { places, segments } = masks;
  const first = segments.indexOf(number);
  const last = segments.lastIndexOf(number);
  const ends = over.flatMap(({ grid, match }) => {
    if (('order' in match && match.table !== undefined) || first < 0) return [];
    const frameAt = (place: number) => grid.frames.find((frame) => frame.place === place);
    const [from, to] = [frameAt(places[first]!), frameAt(places[last]!)];
    return from === undefined || to === undefined ? [] : [{ first: from, last: to }];
  });
  const voxelMm3 = findVoxelMm3(over);
  return {
    sort: 'segment',
    number,
    label: name ?? `Label ${number}`,
    color: color ?? paletteColor(at + 1),
    colorSource: color === undefined ? 'palette' : 'declared',
    extent: {
      volumeMm3: voxelMm3 === undefined ? undefined : voxels * voxelMm3,
      ends,
      problem: voxels === 0 && first < 0 ? NO_VOXELS : undefined,
    },
  };
}

/** Of the grid that it lies on; undefined if its slices are not evenly spaced, or if their distance is not known. */
function findVoxelMm3([first]: readonly PlacedOver[]): number | undefined {
  const table = (first && 'order' in first.match ? first.match.table : undefined) ?? first?.grid.table;
  if (first === undefined || table === undefined || first.grid.placeCount < 2) return undefined;
  const spacingMm = evenSpacingOf(table.positionsMm);
  return spacingMm === undefined ? undefined : table.rowSpacingMm * table.columnSpacingMm * spacingMm;
}

/** The frame with the most voxels of all labels together. */
export function findFullestFrame(
  over: readonly PlacedOver[],
  { places, amounts }: AttachmentMasks,
): LayerTarget | undefined {
  const ofPlaces = new Float64Array(places.reduce((most, place) => Math.max(most, place + 1), 0));
  for (const [at, place] of places.entries()) ofPlaces[place]! += amounts[at]!;
  const fullest = pickFullest(ofPlaces);
  const [first] = over;
  if (fullest === undefined || first === undefined) return undefined;
  const { grid, match } = first;
  const own = 'order' in match ? match.table : undefined;
  const place = own === undefined ? fullest : nearestPlace(own, fullest, grid);
  const found = grid.frames.find((one) => one.place === place);
  return found && { file: found.file, frame: found.frame };
}

/** The slice of the images next to a slice of the array. */
function nearestPlace(own: PositionTable, place: number, { table }: StackGrid): number | undefined {
  if (table === undefined) return undefined;
  const mm = dot(normalOf(planeOfPlace(table, 0)), planeOfPlace(own, place).position);
  const distances = Array.from(table.positionsMm, (position) => Math.abs(position - mm));
  return distances.indexOf(Math.min(...distances));
}

/** The frames that have something of it; values are everywhere. */
export function* listTouchedFrames(
  over: readonly PlacedOver[],
  { places, content }: AttachmentMasks,
): WorkInTurns<readonly TargetFrames[]> {
  const filled = new Set(places);
  const touched: GridFrame[] = [];
  for (const { grid, match } of over) {
    const own = 'order' in match ? match.table : undefined;
    for (const frame of grid.frames) {
      yield;
      const isOver =
        own === undefined ? content !== 'labels' || filled.has(frame.place) : reaches(own, grid, frame.place);
      if (isOver) touched.push(frame);
    }
  }
  return groupByFile(touched);
}

function reaches(own: PositionTable, { table, rows, columns }: StackGrid, place: number): boolean {
  const plane = table && planeOfPlace(table, place);
  return plane !== undefined && findNeededPlaces(own, { ...plane, rows, columns }, { slabMm: 0 }) !== undefined;
}
