import { type PointerEvent, useId, useState } from 'react';
import type { ColumnSummary } from '../../../shared/contract/tables.ts';
import type { WherePart } from '../../../shared/whereClause.ts';
import { passes, readRange, writeRange } from './conditionParts.ts';
import styles from './FacetPanel.module.css';
import { type Bins, chooseBins, rangeOfBins } from './histogramBins.ts';

type Props = {
  readonly name: string;
  readonly histogram: NonNullable<ColumnSummary['histogram']>;
  readonly conditions: readonly WherePart[];
  readonly onCondition: (next: string | undefined) => void;
};

const [WIDTH, HEIGHT] = [200, 44];
/** The fewest pixels of a bin that has any value. */
const LEAST_PX = 2;

/** How the numbers of a column are distributed. A drag over them, or the fields below, set a range. */
export function RangeFacet({ name, histogram, conditions, onCondition }: Props) {
  const { min, max, counts } = histogram;
  const [dragged, setDragged] = useState<Bins>();
  const most = Math.max(1, ...counts);
  const binPx = WIDTH / counts.length;
  const isOn = (bin: number) => {
    if (dragged !== undefined) return bin >= dragged.first && bin <= dragged.last;
    return conditions.length === 0 || passes(conditions, name, min + ((bin + 0.5) * (max - min)) / counts.length);
  };
  const binAt = ({ clientX, currentTarget }: PointerEvent) => {
    const { left, width } = currentTarget.getBoundingClientRect();
    return Math.max(0, Math.min(counts.length - 1, Math.floor(((clientX - left) / width) * counts.length)));
  };
  const onPointerDown = (event: PointerEvent) => {
    event.currentTarget.setPointerCapture(event.pointerId);
    const bin = binAt(event);
    setDragged({ from: bin, first: bin, last: bin });
  };
  const onPointerUp = () => {
    if (dragged !== undefined) onCondition(writeRange(name, rangeOfBins(dragged, histogram)));
    setDragged(undefined);
  };
  const range = dragged === undefined ? readRange(conditions) : rangeOfBins(dragged, histogram);
  return (
    <div className={styles.range}>
      <svg
        className={styles.histogram}
        viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
        preserveAspectRatio="none"
        aria-hidden="true"
        onPointerDown={onPointerDown}
        onPointerMove={(event) => dragged !== undefined && setDragged(chooseBins(dragged, binAt(event)))}
        onPointerUp={onPointerUp}
        onPointerCancel={() => setDragged(undefined)}
      >
        {counts.map((count, bin) => {
          const height = count === 0 ? 0 : Math.max(LEAST_PX, (count / most) * HEIGHT);
          return (
            <rect
              // oxlint-disable-next-line react/no-array-index-key -- a bin is known by its number
              key={bin}
              className={styles.bin}
              data-on={isOn(bin)}
              x={bin * binPx}
              y={HEIGHT - height}
              width={Math.max(1, binPx - 1)}
              height={height}
            />
          );
        })}
      </svg>
      <Bounds
        key={`${range.low}/${range.high}`}
        name={name}
        range={range}
        histogram={histogram}
        onCondition={onCondition}
      />
    </div>
  );
}

type BoundsProps = Pick<Props, 'name' | 'histogram' | 'onCondition'> & { readonly range: ReturnType<typeof readRange> };

/** The ends of the range, for keys. */
function Bounds({ name, range, histogram: { min, max }, onCondition }: BoundsProps) {
  const id = useId();
  const [low, setLow] = useState(range.low?.toString() ?? '');
  const [high, setHigh] = useState(range.high?.toString() ?? '');
  const apply = () => {
    const next = { low: toNumber(low), high: toNumber(high) };
    if (next.low !== range.low || next.high !== range.high) onCondition(writeRange(name, next));
  };
  return (
    // Leaving both fields sets the range, too.
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions
    <form
      className={styles.bounds}
      onSubmit={(event) => {
        event.preventDefault();
        apply();
      }}
      onBlur={(event) => {
        if (!event.currentTarget.contains(event.relatedTarget)) apply();
      }}
    >
      <input
        id={`${id}-low`}
        aria-label={`${name} from`}
        inputMode="decimal"
        placeholder={String(min)}
        value={low}
        onChange={({ target }) => setLow(target.value)}
      />
      <span aria-hidden="true">to</span>
      <input
        id={`${id}-high`}
        aria-label={`${name} to`}
        inputMode="decimal"
        placeholder={String(max)}
        value={high}
        onChange={({ target }) => setHigh(target.value)}
      />
      <button type="submit" className={styles.submit}>
        Set
      </button>
    </form>
  );
}

function toNumber(text: string): number | undefined {
  return text.trim() === '' || !Number.isFinite(Number(text)) ? undefined : Number(text);
}
