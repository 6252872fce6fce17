import { TriangleAlert } from 'lucide-react';
import { usePicture } from '../pictures/pictureKinds.ts';
import { ImageBadge } from '../../kit/ui/ImageBadge.tsx';
import styles from './WarningsBadge.module.css';

/** Warnings about what a cell shows, such as missing slices. A click shows their texts. */
export function WarningsBadge({ cell }: { readonly cell: number }) {
  const warnings = usePicture(cell)?.warnings;
  if (warnings === undefined || warnings.length === 0) return null;
  return (
    <ImageBadge
      icon={<TriangleAlert size={14} aria-hidden="true" />}
      label={warnings.length === 1 ? '1 warning' : `${warnings.length} warnings`}
      tooltip={warnings.map(({ message }) => message).join('\n')}
      className={styles.warnings}
    >
      {warnings.map(({ code, message }) => (
        <li key={code + message}>{message}</li>
      ))}
    </ImageBadge>
  );
}
