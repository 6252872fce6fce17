import { TriangleAlert } from 'lucide-react';
import { describeFrameDamage, explainFrameDamage } from '../../../shared/frameDamage.ts';
import { useReport } from '../pictures/viewports.ts';
import { groupDigits } from '../../kit/ui/groupDigits.ts';
import styles from './DamageBadge.module.css';
import grid from './readoutGrid.module.css';

/** Warns that a part of the picture on screen is missing or damaged in the file, or outside the range that it declares. */
export function DamageBadge({ cell }: { readonly cell: number }) {
  const damage = useReport(cell, (report) => report.damage);
  const outOfRange = useReport(cell, (report) => report.outOfRange) ?? 0;
  if (damage === undefined && outOfRange === 0) return null;
  const texts = [
    ...(damage === undefined ? [] : [describeFrameDamage(damage)]),
    ...(outOfRange === 0 ? [] : [describeRange(outOfRange)]),
  ];
  const title = damage === undefined ? RANGE_TITLE : explainFrameDamage(damage);
  return (
    <output className={`${grid.damage} ${styles.badge}`} title={title}>
      <TriangleAlert size={14} aria-hidden="true" /> {texts.join('. ')}
    </output>
  );
}

const RANGE_TITLE =
  'The data of this image has values that Bits Stored cannot hold. Other values are shown for them: the nearest limit for lossy data, the lower bits for other data.';

function describeRange(count: number): string {
  return count === 1 ? '1 sample exceeds Bits Stored' : `${groupDigits(count)} samples exceed Bits Stored`;
}
