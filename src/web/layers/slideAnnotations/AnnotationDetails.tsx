import { useEffect, useMemo, useRef } from 'react';
import { drawColorBar } from '../../pictures/drawColorBar.ts';
import { colorTableOf } from '../../state/colorMaps.ts';
import { usePage } from '../../state/page.ts';
import { VisuallyHidden } from '../../ui/VisuallyHidden.tsx';
import type { RegionDescription } from '../graphics/regionClient.ts';
import { StructureDetails } from '../structureSet/StructureDetails.tsx';
import styles from './AnnotationDetails.module.css';
import {
  ANNOTATION_COLORS,
  chooseMeasurement,
  listMeasurements,
  type SharedMeasurement,
  useMeasurementChoice,
} from './annotationMeasurements.ts';

/** The groups of annotations, and what colors them: the group, or a measured value. */
export function AnnotationDetails({ description }: { readonly description: RegionDescription }) {
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
        </div>
      )}
      <StructureDetails description={description} noun="group" />
    </>
  );
}

function ColorScale({ measurement: { low, high, unit } }: { readonly measurement: SharedMeasurement }) {
  const bar = useRef<HTMLCanvasElement>(null);
  useEffect(() => {
    if (bar.current !== null) drawColorBar(bar.current, colorTableOf(ANNOTATION_COLORS));
  }, []);
  return (
    <p className={styles.scale}>
      {format(low)}
      <VisuallyHidden>to</VisuallyHidden>
      <canvas ref={bar} width={256} height={1} aria-hidden="true" />
      {format(high)} {unit}
    </p>
  );
}

function format(value: number): string {
  return String(Number(value.toPrecision(4)));
}
