import { useReport } from '../pictures/viewports.ts';
import styles from './FrameStatus.module.css';

export type FrameStatusProps = { readonly cell: number; readonly onRetry: () => void };

/** A thin line while a frame is loading; the error if it fails. */
export function FrameStatus({ cell, onRetry }: FrameStatusProps) {
  const status = useReport(cell, (report) => report.status);
  const error = useReport(cell, (report) => report.error);
  if (status === 'loading') return <progress className={styles.progress} aria-label="Loading image" />;
  if (error === undefined) return null;
  return (
    <div className={styles.failure} role="alert">
      <p className={styles.reason}>This image cannot be shown: {error.message}</p>
      <button type="button" onClick={onRetry}>
        Retry
      </button>
    </div>
  );
}
