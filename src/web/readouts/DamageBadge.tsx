import { TriangleAlert } from 'lucide-react';
import { describeFrameDamage, explainFrameDamage } from '../../shared/frameDamage.ts';
import { useReport } from '../pictures/viewports.ts';
import styles from './DamageBadge.module.css';
import grid from './readoutGrid.module.css';

/** Warns that a part of the picture on screen is missing or damaged in the file. */
export function DamageBadge({ cell }: { readonly cell: number }) {
  const damage = useReport(cell, (report) => report.damage);
  if (damage === undefined) return null;
  return (
    <output className={`${grid.damage} ${styles.badge}`} title={explainFrameDamage(damage)}>
      <TriangleAlert size={14} aria-hidden="true" /> {describeFrameDamage(damage)}
    </output>
  );
}
