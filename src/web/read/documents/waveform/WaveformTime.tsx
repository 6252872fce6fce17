import documentStyles from '../DocumentCell.module.css';
import { formatClock } from './formatClock.ts';
import type { WaveformPlan } from './useWaveformPlan.ts';
import styles from './WaveformView.module.css';

type Props = { readonly span: WaveformPlan['span']; readonly goTo: (next: { readonly startS: number }) => void };

/** Which part of a recording is shown, if that is not all of it. */
export function WaveformTime({ span: { firstS, endS, lengthS, seconds, startS }, goTo }: Props) {
  // The last sample of ten seconds may be a little late.
  if (lengthS <= seconds * 1.01) return null;
  const page = (pages: number) =>
    goTo({ startS: Math.max(firstS, Math.min(startS + pages * seconds, endS - seconds)) });
  return (
    <div className={styles.bar}>
      <button type="button" className={documentStyles.button} disabled={startS <= firstS} onClick={() => page(-1)}>
        Previous
      </button>
      <button
        type="button"
        className={documentStyles.button}
        disabled={startS >= endS - seconds - 1e-6}
        onClick={() => page(1)}
      >
        Next
      </button>
      <input
        className={styles.time}
        type="range"
        aria-label="Time"
        aria-valuetext={formatClock(startS, 0.1)}
        min={firstS}
        max={Math.max(firstS, endS - seconds)}
        step={Math.max(0.001, seconds / 10)}
        value={startS}
        onChange={({ target }) => goTo({ startS: Number(target.value) })}
      />
      <span>
        {formatClock(startS, 0.1)} to {formatClock(Math.min(endS, startS + seconds), 0.1)} of{' '}
        {formatClock(lengthS, 0.1)}
      </span>
    </div>
  );
}
