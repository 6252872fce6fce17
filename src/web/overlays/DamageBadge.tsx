import { TriangleAlert } from 'lucide-react';
import { describeFrameDamage } from '../../shared/frameDamage.ts';
import { useReport } from '../state/viewports.ts';
import styles from './DamageBadge.module.css';
import grid from './overlayGrid.module.css';

/** That a part of the picture on screen was not in the file, or not as it should be. */
export function DamageBadge({ cell }: { readonly cell: number }) {
  const text = useReport(cell, ({ damage }) => (damage === undefined ? undefined : describeFrameDamage(damage)));
  if (text === undefined) return null;
  return (
    <output className={`${grid.damage} ${styles.badge}`} title="The data of this image is cut or damaged in the file.">
      <TriangleAlert size={14} aria-hidden="true" /> {text}
    </output>
  );
}
