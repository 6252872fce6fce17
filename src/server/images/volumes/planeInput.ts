import type { FrameDamage } from '../../../shared/frameDamage.ts';
import type { PlaneGrid, PlaneSampling } from '../../../shared/planeGrid.ts';
import type { PositionTable } from '../../../shared/positionTable.ts';
import type { VolumeBox } from './volume.ts';
import type { KnownVolume } from './volumeMemory.ts';
import type { LoadedSamples, PlaneInput } from './volumeTasks.ts';

/** The samples of one time of a volume, for a task that makes a plane of them. */
export function toPlaneInput(volume: KnownVolume, time: number, { grid, sampling, ...parts }: PlaneParts): PlaneInput {
  return { ...toSamples(volume, time, parts), grid, sampling };
}

export type PlaneParts = {
  readonly grid: PlaneGrid;
  readonly sampling: PlaneSampling;
  readonly buffer: SharedArrayBuffer;
  readonly damage?: FrameDamage | undefined;
  /** The places that are there, if some are not. */
  readonly slots?: Int32Array | undefined;
  /** The part of the slices that is there, if it is not all of them. */
  readonly box?: VolumeBox | undefined;
};

export function toSamples(
  volume: KnownVolume,
  time: number,
  { buffer, damage, slots, box }: Omit<PlaneParts, 'grid' | 'sampling'>,
): LoadedSamples {
  const { rescales, paddings, ...sample } = volume.sample;
  const places = volume.table.positionsMm.length;
  const ofTime = (column: Float64Array) => {
    const own = column.subarray(time * places, (time + 1) * places);
    return slots === undefined ? own.slice() : Float64Array.from(slots, (place) => own[place]!);
  };
  const same = (value: number) => new Float64Array(slots?.length ?? places).fill(value);
  const { padding } = sample;
  return {
    table: slots === undefined ? volume.table : thinOut(volume.table, slots),
    buffer,
    slots,
    box,
    sample,
    rescales: rescales && { slopes: ofTime(rescales.slopes), intercepts: ofTime(rescales.intercepts) },
    paddings:
      padding === undefined
        ? paddings && { lows: ofTime(paddings.lows), highs: ofTime(paddings.highs) }
        : { lows: same(padding.low), highs: same(padding.high) },
    damage,
  };
}

/** The table of some of the places. Gaps between them are bridged unless they contain a hole. */
function thinOut(table: PositionTable, slots: Int32Array): PositionTable {
  // A table has two places at least: those that are not there are far away.
  const places = slots.length < 2 ? [] : [...slots];
  const pick = (column: Float64Array, size: number) =>
    Float64Array.from(places.flatMap((place) => [...column.subarray(size * place, size * (place + 1))]));
  if (places.length === 0) {
    const far = 1e9;
    return {
      ...table,
      positionsMm: Float64Array.of(far, far + 1),
      points: new Float64Array(6),
      isHole: Uint8Array.of(1),
    };
  }
  const isHole = places.slice(1).map((place, at) => Number(table.isHole.subarray(places[at], place).includes(1)));
  return {
    ...table,
    positionsMm: pick(table.positionsMm, 1),
    points: pick(table.points, 3),
    isHole: Uint8Array.from(isHole),
  };
}
