import { useMemo } from 'react';
import type { FileRecord } from '../../../shared/contract/files.ts';
import type { SegmentationResponse, SegmentStatisticsResponse } from '../../../shared/contract/segmentations.ts';
import { formatCount } from '../../series/describeFile.ts';
import { openAtStart, useCells, useStackOfCell } from '../../state/cells.ts';
import { stackOf } from '../../state/library.ts';
import { usePage } from '../../state/page.ts';
import { setLayerShown, useShownLayers } from '../../state/layers.ts';
import { useVirtualRows } from '../../ui/useVirtualRows.ts';
import { isBackground } from './describeSegment.ts';
import { useFileAnswer } from './fileAnswers.ts';
import { openOverSource, usePlace } from './openOverSource.ts';
import styles from './SegmentList.module.css';
import { ROW_HEIGHT_PX, SegmentRow } from './SegmentRow.tsx';
import { type SegmentStyle, setStyle } from './segmentStyles.ts';
import { statisticsOf, summariesOf } from './summaries.ts';

type Props = { readonly file: FileRecord; readonly name: string; readonly isOpen: boolean };

/** One segmentation: whether it is shown over its source, which parts cannot be and why, and its segments. */
export function SegmentationSection({ file, name, isOpen }: Props) {
  const page = usePage();
  const summaries = summariesOf(usePage());
  const { value, error } = useFileAnswer(summaries, file.index);
  const cell = useCells(({ activeCell }) => activeCell);
  const isShown = useShownLayers(cell, ({ shown }) => shown.includes(file.index));
  return (
    <section className={styles.segmentation} aria-label={name}>
      <div className={styles.head}>
        <label className={styles.name}>
          <input
            type="checkbox"
            checked={isShown}
            disabled={value?.overlay.eligible !== true}
            onChange={({ target }) => setLayerShown(page, cell, file.index, target.checked)}
          />
          {name}
        </label>
        {value !== undefined && <SwitchView file={file} summary={value} />}
      </div>
      {value === undefined && error === undefined && <p className={styles.quiet}>Reading the segments…</p>}
      {error !== undefined && (
        <p className={styles.note} role="alert">
          The segments cannot be shown: {error.message}{' '}
          <button type="button" onClick={() => summaries.retry(file.index)}>
            Retry
          </button>
        </p>
      )}
      {value !== undefined && isOpen && <Content summary={value} />}
    </section>
  );
}

/** Switches between the mask by itself and its source. */
function SwitchView({ file, summary }: { readonly file: FileRecord; readonly summary: SegmentationResponse }) {
  const page = usePage();
  const activeCell = useCells((state) => state.activeCell);
  const isAlone = useStackOfCell(activeCell)?.fileIndex === file.index;
  const hasPlace = usePlace(summary) !== undefined;
  if (!isAlone) {
    return (
      <button type="button" onClick={() => openAtStart(page, activeCell, stackOf(page, file))}>
        Stored mask
      </button>
    );
  }
  if (!hasPlace) return null;
  return (
    <button type="button" onClick={() => void openOverSource(page, file.index, activeCell)}>
      Show over its source
    </button>
  );
}

function Content({ summary }: { readonly summary: SegmentationResponse }) {
  const fileIndex = summary.file_index;
  const statistics = statisticsOf(usePage());
  const { value: counted, error } = useFileAnswer(statistics, fileIndex);
  return (
    <>
      <Facts summary={summary} counted={counted} />
      {summary.unmapped.map((group) => (
        <p key={`${group.mapping_status} ${group.mapping_reason}`} className={styles.note}>
          {formatCount(group.frame_count, 'frame')} {group.mapping_status}
          {group.segment_numbers.length > 0 && ` (${nameNumbers(group.segment_numbers)})`}: {group.mapping_reason}.
        </p>
      ))}
      {summary.warnings.map((warning) => (
        <p key={warning} className={styles.note}>
          {warning}
        </p>
      ))}
      {counted !== undefined && counted.damaged_frames > 0 && (
        <p className={styles.note} role="alert">
          {formatCount(counted.damaged_frames, 'frame')} of this segmentation{' '}
          {counted.damaged_frames === 1 ? 'is' : 'are'} cut or damaged in the file: voxels and volumes are not to be
          relied on.
        </p>
      )}
      {error !== undefined && (
        <p className={styles.note} role="alert">
          The voxels cannot be counted: {error.message}{' '}
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

function Facts({ summary, counted }: Counted) {
  const { frame_count, overlay } = summary;
  return (
    <>
      <p className={styles.quiet}>
        {[describeType(summary), formatCount(frame_count, 'frame'), overlay.reason].filter(Boolean).join(' · ')}
      </p>
      {counted !== undefined && (
        <p className={styles.quiet}>
          {counted.counts === 'sum_of_fractions' && 'Voxels are the sum of fractions. '}
          {counted.slice_spacing_mm === null
            ? `No volume: ${counted.volume_reason}.`
            : `Slices ${Number(counted.slice_spacing_mm.toFixed(3))} mm apart, ${counted.slice_spacing_source === 'declared' ? 'as declared' : 'by their positions'}.`}
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
  const changeAll = (change: Partial<SegmentStyle>) =>
    setStyle(page, fileIndex, { segments: segments.map(({ number }) => number), change });
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
