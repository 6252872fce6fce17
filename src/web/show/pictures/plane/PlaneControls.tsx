import { useStore } from 'zustand';
import { useCells } from '../../../kit/state/cells.ts';
import { usePage } from '../../../kit/state/page.ts';
import type { VolumeLoading } from '../../../kit/state/volumeProgress.ts';
import { volumesOf } from '../../../kit/state/volumes.ts';
import { changeMip, changePlane, findMip, findPlane, SLABS_MM } from './changePlane.ts';
import { volumeLoadingOf } from './followLoading.ts';
import { type Projection, PROJECTION_NAMES } from './planeSpec.ts';
import { setTime } from './planeTime.ts';
import styles from './PlaneControls.module.css';
import { MIP_STEPS } from './mipSpec.ts';
import { TimeCurve } from './TimeCurve.tsx';
import { toggleMip, toggleThreePlanes } from './threePlanes.ts';

/** The slab and the time of the plane in a cell. */
export function PlaneControls({ cell }: { readonly cell: number }) {
  const page = usePage();
  useCells(({ cells }) => cells[cell]?.pictureId);
  useStore(volumesOf(page).changes);
  const plane = findPlane(page, cell);
  if (plane === undefined) return null;
  const { slabMm, projection, time } = plane.spec;
  return (
    <>
      <LoadingNote onCancel={() => void toggleThreePlanes(page)} />
      <TimeSlider cell={cell} times={plane.volume.times} time={time} />
      {plane.volume.times.length > 1 && <TimeCurve cell={cell} volume={plane.volume} time={time} />}
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

/** Sides from which a volume is usually looked at, as azimuth and elevation. */
const SIDES: readonly (readonly [name: string, azimuth: number, elevation: number])[] = [
  ['Front', 0, 0],
  ['Left', 90, 0],
  ['Back', 180, 0],
  ['Right', 270, 0],
  ['Head', 0, 90],
  ['Feet', 0, -90],
];

/** The side and the time of the rotating MIP in a cell. */
export function MipControls({ cell }: { readonly cell: number }) {
  const page = usePage();
  const position = useCells(({ cells }) => cells[cell]?.position ?? 0);
  useCells(({ cells }) => cells[cell]?.pictureId);
  useStore(volumesOf(page).changes);
  const shown = findMip(page, cell);
  if (shown === undefined) return null;
  const { azimuth, elevation, time } = shown.spec;
  const turned = (azimuth + (position * 360) / MIP_STEPS) % 360;
  const side = SIDES.findIndex(([, left, up]) => up === elevation && (left === turned || Math.abs(up) === 90));
  return (
    <>
      <LoadingNote onCancel={() => void toggleMip(page)} />
      <TimeSlider cell={cell} times={shown.volume.times} time={time} />
      <select
        className={styles.choice}
        aria-label="View from"
        title="View from"
        value={side}
        onChange={({ currentTarget }) => {
          const [, left = 0, up = 0] = SIDES[Number(currentTarget.value)] ?? [];
          changeMip(page, cell, { azimuth: left, elevation: up }, 0);
        }}
      >
        {side < 0 && <option value={-1}>Turned</option>}
        {SIDES.map(([name], at) => (
          <option key={name} value={at}>
            {name}
          </option>
        ))}
      </select>
    </>
  );
}

function LoadingNote({ onCancel }: { readonly onCancel: () => void }) {
  const { loading } = useStore(volumeLoadingOf(usePage()));
  if (loading === undefined) return null;
  return (
    <span className={styles.loading}>
      <output>{describeLoading(loading)}</output>
      <button type="button" onClick={onCancel}>
        Cancel
      </button>
    </span>
  );
}

/** Of a volume that is too large for the memory, slices are packed, or read for each plane. */
function describeLoading({ loaded, places, storage }: VolumeLoading): string {
  if (storage === 'files') return 'Reading from the files';
  return storage === 'packed'
    ? `${loaded} of ${places} slices packed`
    : `Volume ${Math.floor((100 * loaded) / places)} %`;
}

type TimeSliderProps = { readonly cell: number; readonly times: readonly string[]; readonly time: number };

function TimeSlider({ cell, times, time }: TimeSliderProps) {
  const page = usePage();
  if (times.length < 2) return null;
  return (
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
  );
}

function toProjection(text: string): Projection {
  return text === 'min' || text === 'mean' ? text : 'max';
}
