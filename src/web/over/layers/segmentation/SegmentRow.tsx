import { ArrowDownToLine, ArrowUpToLine, Eye, EyeOff } from 'lucide-react';
import { memo } from 'react';
import type { SegmentStatistics } from '../../../../shared/contract/segmentations.ts';
import type { Segment } from '../../../../shared/contract/semantics.ts';
import { formatCount } from '../../../show/series/describeFile.ts';
import { usePage } from '../../../kit/state/page.ts';
import { ToolButton } from '../../../kit/ui/ToolButton.tsx';
import { formatVolume } from '../formatVolume.ts';
import { describeSegment, formatVoxels, nameSegment } from './describeSegment.ts';
import { jumpToSegment } from './jumpToSegment.ts';
import styles from '../LayerList.module.css';
import type { PartStyle } from '../firstStyle.ts';
import { useIsLit } from '../litParts.ts';
import { PartLook } from '../PartLook.tsx';
import { setStyle, useStyle } from '../partStyles.ts';

export const ROW_HEIGHT_PX = 78;

type Props = {
  readonly fileIndex: number;
  readonly segment: Segment;
  /** Undefined while the voxels are being counted. */
  readonly counted: SegmentStatistics | undefined;
  readonly isSum: boolean;
  readonly topPx: number;
  /** From 1. */
  readonly place: number;
  readonly total: number;
};

/** Memoized because a list can have a thousand rows. */
export const SegmentRow = memo(function SegmentRow({ fileIndex, segment, counted, isSum, topPx, place, total }: Props) {
  const page = usePage();
  const style = useStyle(fileIndex, segment.number);
  const { isVisible } = style;
  const isLit = useIsLit(fileIndex, segment.number);
  const name = nameSegment(segment);
  const change = (next: Partial<PartStyle>) => setStyle(page, fileIndex, { parts: [segment.number], change: next });
  const [red, green, blue] = segment.display_color;
  const isThere = counted !== undefined && counted.frame_count > 0;
  const volume = counted?.volume_mm3 ?? undefined;
  return (
    <li
      className={styles.row}
      style={{ top: topPx, height: ROW_HEIGHT_PX }}
      aria-setsize={total}
      aria-posinset={place}
      data-segment={segment.number}
      data-visible={isVisible}
      data-lit={isLit}
    >
      <ToolButton label={`Show ${name}`} isOn={isVisible} onClick={() => change({ isVisible: !isVisible })}>
        {isVisible ? <Eye size={15} aria-hidden="true" /> : <EyeOff size={15} aria-hidden="true" />}
      </ToolButton>
      <span className={styles.swatch} style={{ background: `rgb(${red} ${green} ${blue})` }} />
      <span className={styles.label} title={segment.description ?? name}>
        {name}
      </span>
      <span className={styles.jumps}>
        <ToolButton
          label={`First image of ${name}`}
          disabled={!isThere}
          onClick={() => counted && jumpToSegment(page, fileIndex, counted, 'first')}
        >
          <ArrowUpToLine size={15} aria-hidden="true" />
        </ToolButton>
        <ToolButton
          label={`Last image of ${name}`}
          disabled={!isThere}
          onClick={() => counted && jumpToSegment(page, fileIndex, counted, 'last')}
        >
          <ArrowDownToLine size={15} aria-hidden="true" />
        </ToolButton>
      </span>
      <span className={styles.kind} title={describeSegment(segment)}>
        {describeSegment(segment) || `Segment ${segment.number}`}
      </span>
      <span className={styles.size} title={volume === undefined ? undefined : `${volume.toLocaleString('en')} mm³`}>
        {counted !== undefined && counted.damaged_frames > 0 && (
          <span
            className={styles.damaged}
            title="Truncated or damaged in the file, so voxel count and volume are unreliable"
          >
            {formatCount(counted.damaged_frames, 'damaged frame')} ·{' '}
          </span>
        )}
        {counted === undefined ? '' : formatVoxels(counted, isSum)}
        {volume === undefined ? '' : ` · ${formatVolume(volume)}`}
      </span>
      <PartLook name={name} style={style} onChange={change} />
    </li>
  );
});
