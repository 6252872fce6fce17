import { useStore } from 'zustand';
import { useCells } from '../../state/cells.ts';
import { usePage } from '../../state/page.ts';
import { volumesOf } from '../../state/volumes.ts';
import { changePlane, findPlane, setTime, SLABS_MM } from './changePlane.ts';
import { volumeLoadingOf } from './followLoading.ts';
import { type Projection, PROJECTION_NAMES } from './planeSpec.ts';
import styles from './PlaneControls.module.css';
import { toggleThreePlanes } from './threePlanes.ts';

/** The slab and the time of the plane in a cell. */
export function PlaneControls({ cell }: { readonly cell: number }) {
  const page = usePage();
  useCells(({ cells }) => cells[cell]?.pictureId);
  useStore(volumesOf(page));
  const { loading } = useStore(volumeLoadingOf(page));
  const plane = findPlane(page, cell);
  if (plane === undefined) return null;
  const { slabMm, projection, time } = plane.spec;
  const { times } = plane.volume;
  return (
    <>
      {loading !== undefined && (
        <span className={styles.loading}>
          <output>Volume {Math.floor((100 * loading.loaded) / loading.places)} %</output>
          <button type="button" onClick={() => void toggleThreePlanes(page)}>
            Cancel
          </button>
        </span>
      )}
      {times.length > 1 && (
        <label className={styles.time}>
          <input
            type="range"
            min={0}
            max={times.length - 1}
            value={time}
            aria-label="Time"
            aria-valuetext={times[time]}
            title="Time (J, Shift+J)"
            onChange={({ currentTarget }) => setTime(page, cell, currentTarget.valueAsNumber)}
          />
          <output>{times[time]}</output>
        </label>
      )}
      <select
        className={styles.choice}
        aria-label="Slab"
        title="Slab thickness (, and .)"
        value={slabMm}
        onChange={({ currentTarget }) => changePlane(page, cell, { slabMm: Number(currentTarget.value) })}
      >
        {[...new Set([...SLABS_MM, slabMm])]
          .toSorted((a, b) => a - b)
          .map((mm) => (
            <option key={mm} value={mm}>
              {mm === 0 ? 'No slab' : `${mm} mm`}
            </option>
          ))}
      </select>
      {slabMm > 0 && (
        <select
          className={styles.choice}
          aria-label="Projection of the slab"
          title="Projection of the slab (Shift+D)"
          value={projection}
          onChange={({ currentTarget }) => changePlane(page, cell, { projection: toProjection(currentTarget.value) })}
        >
          {Object.entries(PROJECTION_NAMES).map(([value, name]) => (
            <option key={value} value={value}>
              {name}
            </option>
          ))}
        </select>
      )}
    </>
  );
}

function toProjection(text: string): Projection {
  return text === 'min' || text === 'mean' ? text : 'max';
}
