import type { SegmentationResponse, SegmentStatistics } from '../../../../shared/contract/segmentations.ts';
import type { Segment } from '../../../../shared/contract/semantics.ts';
import type { KnownLayer } from '../layerClient.ts';

export type SegmentationDescription = KnownLayer & { readonly response: SegmentationResponse };

export function nameSegment({ number, label }: Pick<Segment, 'number' | 'label'>): string {
  return label === null || label.trim() === '' ? `Segment ${number}` : label;
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
