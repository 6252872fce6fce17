import { useCallback, useMemo } from 'react';
import type { SegmentationResponse, SegmentStatisticsResponse } from '../../../../shared/contract/segmentations.ts';
import { activateCell } from '../../../kit/state/cells.ts';
import { formatCount } from '../../../show/series/describeFile.ts';
import { usePage } from '../../../kit/state/page.ts';
import { capitalize } from '../describeLayers.ts';
import { useFileAnswer } from '../fileAnswers.ts';
import { formatVolume } from '../formatVolume.ts';
import styles from '../LayerList.module.css';
import { PartList } from '../PartList.tsx';
import type { ListedPart, PartEnd } from '../PartRow.tsx';
import {
  describeSegment,
  formatVoxels,
  isBackground,
  nameSegment,
  type SegmentationDescription,
} from './describeSegment.ts';
import { jumpToSegment } from './jumpToSegment.ts';
import { statisticsOf } from './segmentStatistics.ts';

type Props = { readonly description: SegmentationDescription; readonly cell: number };

/** The segments of a segmentation, its facts, and which of its frames cannot be drawn over a source and why. */
export function SegmentDetails({ description, cell }: Props) {
  const { response: summary, reason } = description;
  const fileIndex = summary.file_index;
  // On a slide, tiles lie where their coordinates are, whether the image that they name is open or not.
  const unmapped = summary.slide_file_indices.length > 0 ? [] : summary.unmapped;
  const statistics = statisticsOf(usePage());
  const { value: counted, error } = useFileAnswer(statistics, fileIndex);
  return (
    <>
      <Segments description={description} counted={counted} cell={cell} />
      <Facts summary={summary} counted={counted} reason={reason} />
      {unmapped.map((group) => (
        <p key={`${group.mapping_status} ${group.mapping_reason}`} className={styles.note}>
          {formatCount(group.frame_count, 'frame')} {group.mapping_status}
          {group.segment_numbers.length > 0 && ` (${nameNumbers(group.segment_numbers)})`}: {group.mapping_reason}.
        </p>
      ))}
      {summary.warnings.map((warning) => (
        <p key={warning} className={styles.note}>
          {capitalize(warning)}
        </p>
      ))}
      {counted !== undefined && counted.damaged_frames > 0 && (
        <p className={styles.note} role="alert">
          {formatCount(counted.damaged_frames, 'frame')} of this segmentation{' '}
          {counted.damaged_frames === 1 ? 'is' : 'are'} truncated or damaged in the file. Voxel counts and volumes are
          unreliable.
        </p>
      )}
      {error !== undefined && (
        <p className={styles.note} role="alert">
          Voxels cannot be counted: {error.message}{' '}
          <button type="button" onClick={() => statistics.retry(fileIndex)}>
            Retry
          </button>
        </p>
      )}
    </>
  );
}

type FactsProps = {
  readonly summary: SegmentationResponse;
  readonly counted: SegmentStatisticsResponse | undefined;
  readonly reason: string;
};

function Facts({ summary, counted, reason }: FactsProps) {
  return (
    <>
      <p className={styles.quiet}>
        {[describeType(summary), formatCount(summary.frame_count, 'frame'), reason].filter(Boolean).join(' · ')}
      </p>
      {/* The line is there before the numbers, so that nothing below moves. */}
      <p className={styles.quiet}>{counted === undefined ? 'Counting voxels…' : describeCounts(counted)}</p>
    </>
  );
}

function describeCounts(counted: SegmentStatisticsResponse): string {
  const { counts, slice_spacing_mm, slice_spacing_source, volume_reason } = counted;
  const sum = counts === 'sum_of_fractions' ? 'Voxel counts are sums of fractions. ' : '';
  if (slice_spacing_mm === null) return `${sum}No volume: ${volume_reason}.`;
  const source = slice_spacing_source === 'declared' ? 'as declared' : 'computed from positions';
  return `${sum}Slice spacing ${Number(slice_spacing_mm.toFixed(3))} mm, ${source}.`;
}

/** Example: `FRACTIONAL PROBABILITY up to 255`. */
function describeType(summary: SegmentationResponse): string {
  const { segmentation_type, segmentation_fractional_type, maximum_fractional_value } = summary;
  const largest = maximum_fractional_value === null ? '' : `up to ${maximum_fractional_value}`;
  return [segmentation_type, segmentation_fractional_type, largest].filter(Boolean).join(' ');
}

const BOTH_ENDS: readonly PartEnd[] = ['first', 'last'];

function Segments({
  description: { response: summary, parts },
  counted,
  cell,
}: Props & { readonly counted: SegmentStatisticsResponse | undefined }) {
  const page = usePage();
  const bySegment = useMemo(() => new Map(counted?.segments.map((one) => [one.number, one] as const)), [counted]);
  const isSum = counted?.counts === 'sum_of_fractions';
  const listed = useMemo(() => {
    const colors = new Map(parts.map((part) => [part.number, part] as const));
    const segments = summary.segments.filter((segment) => !isBackground(segment));
    return segments.map((segment, at): ListedPart => {
      const { number, display_color: color } = segment;
      const sizes = bySegment.get(number);
      const volume = sizes?.volume_mm3 ?? undefined;
      const name = nameSegment(segment);
      return {
        ...(colors.get(number) ?? { number, name, color }),
        key: `${at} ${number}`,
        kind: describeSegment(segment) || `Segment ${number}`,
        description: segment.description ?? name,
        size:
          sizes === undefined
            ? ''
            : [formatVoxels(sizes, isSum), ...(volume === undefined ? [] : [formatVolume(volume)])].join(' · '),
        exactSize: volume === undefined ? undefined : `${volume.toLocaleString('en')} mm³`,
        damage:
          sizes === undefined || sizes.damaged_frames === 0
            ? undefined
            : formatCount(sizes.damaged_frames, 'damaged frame'),
        reason: null,
        ends: sizes !== undefined && sizes.frame_count > 0 ? BOTH_ENDS : [],
        isNested: false,
      };
    });
  }, [summary, parts, bySegment, isSum]);
  const jump = useCallback(
    (number: number, end: PartEnd) => {
      const sizes = bySegment.get(number);
      activateCell(page, cell);
      if (sizes !== undefined) jumpToSegment(page, summary.file_index, sizes, end);
    },
    [page, cell, summary, bySegment],
  );
  return (
    <PartList
      layer={summary.file_index}
      noun="segment"
      parts={listed}
      hasLook={summary.overlay.eligible || summary.slide_file_indices.length > 0}
      onJump={jump}
    />
  );
}

const MOST_NAMED = 8;

function nameNumbers(numbers: readonly number[]): string {
  const named = numbers.slice(0, MOST_NAMED).join(', ');
  const others = numbers.length > MOST_NAMED ? ` and ${numbers.length - MOST_NAMED} others` : '';
  return `${numbers.length === 1 ? 'segment' : 'segments'} ${named}${others}`;
}
