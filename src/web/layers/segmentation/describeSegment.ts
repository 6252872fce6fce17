import type { FileRecord } from '../../../shared/contract/files.ts';
import type { SegmentStatistics } from '../../../shared/contract/segmentations.ts';
import type { Segment } from '../../../shared/contract/semantics.ts';
import { describeFrameDamage } from '../../../shared/frameDamage.ts';
import type { DamagedMask } from '../../../shared/maskLayers.ts';
import { describeSeries, fileName } from '../../series/describeFile.ts';

/** Several segmentations often have the same name; the file name is then added. */
export function nameSegmentation(file: FileRecord, among: readonly FileRecord[]): string {
  const name = describeSeries(file);
  const isAlone = among.every((other) => other === file || describeSeries(other) !== name);
  return isAlone ? name : `${name} (${fileName(file)})`;
}

export function nameSegment({ number, label }: Pick<Segment, 'number' | 'label'>): string {
  return label === null || label.trim() === '' ? `Segment ${number}` : label;
}

/** Describes damaged masks of an image; undefined if there are none. */
export function describeDamagedMasks(
  damaged: readonly (DamagedMask & { readonly segments: readonly Segment[] })[],
): string | undefined {
  const [first] = damaged;
  if (first === undefined) return undefined;
  if (damaged.length > 1) return `${damaged.length} masks of this image are cut or damaged in their file`;
  const { segment: number, segments, damage } = first;
  const segment = segments.find((one) => one.number === number);
  const name = segment === undefined ? 'this image' : nameSegment(segment);
  return `${describeFrameDamage(damage, `the mask of ${name}`)} in its file`;
}

/** What the segment is, and the algorithm that made it. */
export function describeSegment({ property_category, property_type, algorithm_type, algorithm_name }: Segment): string {
  const algorithm = [algorithm_type?.toLowerCase() ?? '', algorithm_name ?? ''].join(' ').trim();
  const parts = [property_type?.meaning ?? '', property_category?.meaning ?? '', algorithm];
  return [...new Set(parts)].filter((part) => part !== '').join(' · ');
}

/** (125040, DCM, Background) is the area that no segment covers. */
export function isBackground({ property_type }: Segment): boolean {
  return property_type?.scheme === 'DCM' && property_type.value === '125040';
}

export function formatVoxels({ voxel_count }: SegmentStatistics, isSum: boolean): string {
  const count = voxel_count.toLocaleString('en', { maximumFractionDigits: isSum ? 1 : 0 });
  return `${count} ${voxel_count === 1 ? 'voxel' : 'voxels'}`;
}

/** In millilitres from 1 ml. */
export function formatVolume(mm3: number): string {
  const [value, unit] = mm3 < 1000 ? [mm3, 'mm³'] : [mm3 / 1000, 'ml'];
  return `${value.toLocaleString('en', { maximumSignificantDigits: 4 })} ${unit}`;
}
