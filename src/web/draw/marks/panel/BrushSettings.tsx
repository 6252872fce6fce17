import { useState } from 'react';
import { usePage } from '../../../kit/state/page.ts';
import { chooseBrushMark, LARGEST_RADIUS, setRadius, setRange, SMALLEST_RADIUS, useBrushes } from '../masks/brushes.ts';
import { selectMark, useMarks } from '../sync/marks.ts';
import { CopyLayer } from './CopyLayer.tsx';
import styles from './MarkPanel.module.css';

/** Settings of the brush. */
export function BrushSettings() {
  const page = usePage();
  const radius = useBrushes((state) => state.radius);
  const painted = useMarks((state) => state.painted);
  const begin = () => {
    chooseBrushMark(page, undefined);
    selectMark(page, undefined);
  };
  return (
    <section className={styles.brush} aria-label="Brush">
      <label className={styles.field}>
        Radius
        <input
          type="range"
          min={SMALLEST_RADIUS}
          max={LARGEST_RADIUS}
          step={0.5}
          value={radius}
          onChange={({ target }) => setRadius(page, target.valueAsNumber)}
        />
        <output>{radius} px</output>
      </label>
      <RangeField />
      <div className={styles.field}>
        <button type="button" disabled={painted === undefined} onClick={begin}>
          New mask
        </button>
        <CopyLayer />
      </div>
    </section>
  );
}

/** Limits the brush to pixels with values in a range. */
function RangeField() {
  const page = usePage();
  const range = useBrushes((state) => state.range);
  const [kept, setKept] = useState({ low: -200, high: 200 });
  const change = (changed: Partial<typeof kept>) => {
    const next = { ...kept, ...changed };
    if (Number.isNaN(next.low) || Number.isNaN(next.high)) return;
    setKept(next);
    if (range !== undefined) setRange(page, next);
  };
  const { low, high } = range ?? kept;
  return (
    <div className={styles.field}>
      <label>
        <input
          type="checkbox"
          checked={range !== undefined}
          onChange={({ target }) => setRange(page, target.checked ? kept : undefined)}
        />
        Only values from
      </label>
      <input
        type="number"
        aria-label="Lowest value"
        value={low}
        onChange={({ target }) => change({ low: target.valueAsNumber })}
      />
      to
      <input
        type="number"
        aria-label="Highest value"
        value={high}
        onChange={({ target }) => change({ high: target.valueAsNumber })}
      />
    </div>
  );
}
