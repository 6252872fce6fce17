import { useEffect, useMemo, useRef } from 'react';
import { drawColorBar } from '../../../show/pictures/drawColorBar.ts';
import { colorTableOf } from '../../../kit/state/colorMaps.ts';
import { setFilter, useFilter, type ValueFilter } from '../../../kit/state/layers.ts';
import { formatValue } from '../../../kit/ui/formatNumbers.ts';
import { usePage } from '../../../kit/state/page.ts';
import { VisuallyHidden } from '../../../kit/ui/VisuallyHidden.tsx';
import type { RegionDescription } from '../graphics/regionClient.ts';
import { StructureDetails } from '../structureSet/StructureDetails.tsx';
import styles from './AnnotationDetails.module.css';
import {
  ANNOTATION_COLORS,
  chooseMeasurement,
  countInRange,
  listMeasurements,
  type SharedMeasurement,
  useMeasurementChoice,
} from './annotationMeasurements.ts';

/** The groups of annotations, and what colors them: the group, or a measured value. */
export function AnnotationDetails({
  description,
  cell,
}: {
  readonly description: RegionDescription;
  readonly cell: number;
}) {
  const page = usePage();
  const { fileIndex, response } = description;
  const measurements = useMemo(() => listMeasurements(response), [response]);
  const title = useMeasurementChoice(fileIndex);
  const chosen = measurements.find((one) => one.title === title);
  return (
    <>
      {measurements.length > 0 && (
        <div className={styles.colors}>
          <label>
            <span>Color by</span>
            <select
              value={chosen?.title ?? ''}
              onChange={({ target }) =>
                chooseMeasurement(page, fileIndex, target.value === '' ? undefined : target.value)
              }
            >
              <option value="">Group</option>
              {measurements.map((one) => (
                <option key={one.title} value={one.title}>
                  {one.title}
                </option>
              ))}
            </select>
          </label>
          {chosen !== undefined && <ColorScale measurement={chosen} />}
          <RangeFilter layer={fileIndex} measurements={measurements} />
        </div>
      )}
      <StructureDetails description={description} noun="group" cell={cell} />
    </>
  );
}

type FilterProps = { readonly layer: number; readonly measurements: readonly SharedMeasurement[] };

/** Shows only annotations with a measured value in a range. */
function RangeFilter({ layer, measurements }: FilterProps) {
  const page = usePage();
  const filter = useFilter(layer);
  const chosen = measurements.find(({ title }) => title === filter?.title);
  const change = (next: Partial<ValueFilter>) => {
    if (filter !== undefined) setFilter(page, layer, { ...filter, ...next });
  };
  const choose = (title: string) => {
    const next = measurements.find((one) => one.title === title);
    setFilter(page, layer, next && { title, low: next.low, high: next.high });
  };
  return (
    <>
      <label>
        <span>Show only</span>
        <select value={chosen?.title ?? ''} onChange={({ target }) => choose(target.value)}>
          <option value="">All values</option>
          {measurements.map(({ title }) => (
            <option key={title} value={title}>
              {title}
            </option>
          ))}
        </select>
      </label>
      {chosen !== undefined && filter !== undefined && (
        <>
          <Bound name="From" measurement={chosen} value={filter.low} onChange={(low) => change({ low })} />
          <Bound name="To" measurement={chosen} value={filter.high} onChange={(high) => change({ high })} />
          <output className={styles.counted}>{describeCount(chosen, filter)}</output>
        </>
      )}
    </>
  );
}

type BoundProps = {
  readonly name: string;
  readonly measurement: SharedMeasurement;
  readonly value: number;
  readonly onChange: (value: number) => void;
};

/** One end of a range, to drag or to type. */
function Bound({ name, measurement: { title, low, high }, value, onChange }: BoundProps) {
  const set = (text: string) => {
    const next = Number(text);
    if (text.trim() !== '' && Number.isFinite(next)) onChange(next);
  };
  return (
    <div className={styles.bound}>
      <span>{name}</span>
      <input
        type="range"
        aria-label={`${name}, ${title}`}
        min={low}
        max={high}
        step="any"
        value={Math.min(Math.max(value, low), high)}
        onChange={({ target }) => set(target.value)}
      />
      <input
        type="number"
        aria-label={`${name}, ${title}, as a number`}
        step="any"
        value={Number(value.toPrecision(6))}
        onChange={({ target }) => set(target.value)}
      />
    </div>
  );
}

function describeCount(measurement: SharedMeasurement, filter: ValueFilter): string {
  const { shown, all } = countInRange(measurement, filter);
  const about = shown === 0 || shown === all ? '' : 'about ';
  const hidden = all - shown;
  return `${about}${shown.toLocaleString('en')} of ${all.toLocaleString('en')} shown, ${about}${hidden.toLocaleString('en')} hidden`;
}

function ColorScale({ measurement: { low, high, unit } }: { readonly measurement: SharedMeasurement }) {
  const bar = useRef<HTMLCanvasElement>(null);
  useEffect(() => {
    if (bar.current !== null) drawColorBar(bar.current, colorTableOf(ANNOTATION_COLORS));
  }, []);
  return (
    <p className={styles.scale}>
      {formatValue(low)}
      <VisuallyHidden>to</VisuallyHidden>
      <canvas ref={bar} width={256} height={1} aria-hidden="true" />
      {formatValue(high)} {unit}
    </p>
  );
}
