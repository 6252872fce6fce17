import { useMemo } from 'react';
import type { SegmentationResponse, SegmentStatisticsResponse } from '../../../../shared/contract/segmentations.ts';
import { formatCount } from '../../../show/series/describeFile.ts';
import { usePage } from '../../../kit/state/page.ts';
import { useVirtualRows } from '../../../kit/ui/useVirtualRows.ts';
import { capitalize } from '../describeLayers.ts';
import { useFileAnswer } from '../fileAnswers.ts';
import styles from '../LayerList.module.css';
import type { PartStyle } from '../firstStyle.ts';
import { setStyle } from '../partStyles.ts';
import { isBackground, type SegmentationDescription } from './describeSegment.ts';
import { ROW_HEIGHT_PX, SegmentRow } from './SegmentRow.tsx';
import { statisticsOf } from './segmentStatistics.ts';

type Props = { readonly description: SegmentationDescription };

/** The facts of a segmentation, which of its frames cannot be drawn over a source and why, and its segments. */
export function SegmentDetails({ description: { response: summary, reason } }: Props) {
  const fileIndex = summary.file_index;
  // On a slide, tiles lie where their coordinates are, whether the image that they name is open or not.
  const unmapped = summary.slide_file_indices.length > 0 ? [] : summary.unmapped;
  const statistics = statisticsOf(usePage());
  const { value: counted, error } = useFileAnswer(statistics, fileIndex);
  return (
    <>
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
      <Segments summary={summary} counted={counted} />
    </>
  );
}

type Counted = { readonly summary: SegmentationResponse; readonly counted: SegmentStatisticsResponse | undefined };

function Facts({ summary, counted, reason }: Counted & { readonly reason: string }) {
  return (
    <>
      <p className={styles.quiet}>
        {[describeType(summary), formatCount(summary.frame_count, 'frame'), reason].filter(Boolean).join(' · ')}
      </p>
      {counted !== undefined && (
        <p className={styles.quiet}>
          {counted.counts === 'sum_of_fractions' && 'Voxel counts are sums of fractions. '}
          {counted.slice_spacing_mm === null
            ? `No volume: ${counted.volume_reason}.`
            : `Slice spacing ${Number(counted.slice_spacing_mm.toFixed(3))} mm, ${counted.slice_spacing_source === 'declared' ? 'as declared' : 'computed from positions'}.`}
        </p>
      )}
    </>
  );
}

/** Example: `FRACTIONAL PROBABILITY up to 255`. */
function describeType(summary: SegmentationResponse): string {
  const { segmentation_type, segmentation_fractional_type, maximum_fractional_value } = summary;
  const largest = maximum_fractional_value === null ? '' : `up to ${maximum_fractional_value}`;
  return [segmentation_type, segmentation_fractional_type, largest].filter(Boolean).join(' ');
}

const MOST_LIST_PX = 420;

function Segments({ summary, counted }: Counted) {
  const fileIndex = summary.file_index;
  const segments = useMemo(() => summary.segments.filter((segment) => !isBackground(segment)), [summary]);
  const rows = useMemo(
    () => segments.map(({ number }, i) => ({ key: `${i} ${number}`, height: ROW_HEIGHT_PX })),
    [segments],
  );
  const bySegment = useMemo(() => new Map(counted?.segments.map((one) => [one.number, one] as const)), [counted]);
  const { scroller, totalPx, first, end, tops } = useVirtualRows(rows);
  const page = usePage();
  const changeAll = (change: Partial<PartStyle>) =>
    setStyle(page, fileIndex, { parts: segments.map(({ number }) => number), change });
  if (segments.length === 0) return null;
  return (
    <>
      <div className={styles.all} hidden={!summary.overlay.eligible}>
        <button type="button" onClick={() => changeAll({ isVisible: true })}>
          Show all
        </button>
        <button type="button" onClick={() => changeAll({ isVisible: false })}>
          Hide all
        </button>
        <button type="button" onClick={() => changeAll({ isOutline: false })}>
          Fill all
        </button>
        <button type="button" onClick={() => changeAll({ isOutline: true })}>
          Outline all
        </button>
      </div>
      <div ref={scroller} className={styles.scroller} style={{ height: Math.min(totalPx, MOST_LIST_PX) }}>
        <ul className={styles.sizer} style={{ height: totalPx }} aria-label="Segments">
          {segments.slice(first, end).map((segment, i) => (
            <SegmentRow
              key={rows[first + i]?.key}
              fileIndex={fileIndex}
              segment={segment}
              counted={bySegment.get(segment.number)}
              isSum={counted?.counts === 'sum_of_fractions'}
              topPx={tops[first + i] ?? 0}
              place={first + i + 1}
              total={segments.length}
            />
          ))}
        </ul>
      </div>
    </>
  );
}

const MOST_NAMED = 8;

function nameNumbers(numbers: readonly number[]): string {
  const named = numbers.slice(0, MOST_NAMED).join(', ');
  const others = numbers.length > MOST_NAMED ? ` and ${numbers.length - MOST_NAMED} others` : '';
  return `${numbers.length === 1 ? 'segment' : 'segments'} ${named}${others}`;
}
