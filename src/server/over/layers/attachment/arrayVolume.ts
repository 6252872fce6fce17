import type { ArrayHeader } from '../../../images/attachments/arrayHeader.ts';
import type { KnownSource } from '../../../bytes/origins/origins.ts';
import { explainTaskError } from '../../../images/pixels/explainTaskError.ts';
import type { PositionTable } from '../../../../shared/positionTable.ts';
import type { SampleStorage } from '../../../images/volumes/volume.ts';
import type { FilledVolume } from '../../../images/volumes/volumes.ts';
import type { TaskRunner } from '../../../machine/workers/task.ts';
import type { ArrayOrder } from './arrayOrder.ts';
import { readValuesTask } from './attachmentTasks.ts';
import type { StackGrid } from './stackGrids.ts';

export type ArrayOfValues = {
  /** The same for the same elements in the same order. */
  readonly key: string;
  readonly data: KnownSource;
  readonly header: ArrayHeader;
  readonly order: ArrayOrder;
  /** Index along the axis that is not in space. */
  readonly channel: number;
  readonly table: PositionTable;
  readonly frameOfReferenceUid: string | undefined;
};

/** One volume of an array, as a volume that planes are sampled of. It is read when the first of them is wanted. */
export function toVolume(tasks: TaskRunner, array: ArrayOfValues): FilledVolume {
  const { key, data, header, order, channel, table, frameOfReferenceUid } = array;
  const storage = chooseStorage(header, order);
  const { slope, intercept } = (storage === 'float32' ? undefined : header.scale) ?? { slope: 1, intercept: 0 };
  return {
    key: `array ${key} ${channel}`,
    space: 'patient',
    frameOfReferenceUid,
    table,
    tiltDegrees: 0,
    times: [{ label: '', kind: 'unknown', value: undefined, unit: undefined }],
    fileIndices: new Uint32Array(),
    frameIndices: new Uint32Array(),
    warnings: [],
    sample: {
      storage,
      isModality: false,
      bitsStored: storage.endsWith('8') ? 8 : 16,
      photometricInterpretation: 'MONOCHROME2',
      rescale: { slope, intercept },
      rescales: undefined,
      unit: '',
      padding: undefined,
      paddings: undefined,
      voi: { windows: [], shape: undefined, tables: [] },
    },
    async fill(buffer, signal) {
      const run = tasks.run(
        readValuesTask,
        { data, header, order, channel, storage, buffer },
        { signal, key: `values ${key}` },
      );
      await run.catch((error: unknown) => {
        throw explainTaskError(error, 0);
      });
    },
  };
}

/** Integers of up to 16 bits stay as they are. A single slice needs a value that means nothing, which only floats have. */
function chooseStorage({ element, sizes }: ArrayHeader, { slices }: ArrayOrder): SampleStorage {
  const isSmall = element === 'uint8' || element === 'int8' || element === 'uint16' || element === 'int16';
  return isSmall && sizes[slices.axis]! > 1 ? element : 'float32';
}

export function countVolumes({ sizes }: ArrayHeader, { channels }: ArrayOrder): number {
  return channels === undefined ? 1 : sizes[channels]!;
}

/** What the volumes of an array are called; a single empty name if there is one. */
export function nameVolumes(header: ArrayHeader, order: ArrayOrder): readonly string[] {
  const count = countVolumes(header, order);
  if (count === 1) return [''];
  const names = new Map(header.labels.map(({ channel, name }) => [channel, name] as const));
  return Array.from({ length: count }, (_, at) => names.get(at) ?? nameVolume(header.otherAxis, at, count));
}

function nameVolume(axis: ArrayHeader['otherAxis'], at: number, count: number): string {
  const place = `${at + 1} of ${count}`;
  if (axis === undefined) return `Channel ${at}`;
  if (axis.kind === 'vector') return `Component ${place}`;
  if (axis.stepSeconds === undefined) return `Volume ${place}`;
  return `Volume ${place}, ${Number((at * axis.stepSeconds).toPrecision(6))} s`;
}

/** Of the volumes that are shown one at a time, more are not listed. */
export const MOST_VOLUMES = 4_096;

/** The places of a stack whose images have no position: one behind the other, a millimetre apart. */
export function placesWithoutPosition({ rows, columns, placeCount }: StackGrid): PositionTable {
  const count = Math.max(2, placeCount);
  return {
    rowDirection: [1, 0, 0],
    columnDirection: [0, 1, 0],
    rows,
    columns,
    rowSpacingMm: 1,
    columnSpacingMm: 1,
    spacingMm: 1,
    positionsMm: Float64Array.from({ length: count }, (_, place) => place),
    points: Float64Array.from({ length: 3 * count }, (_, at) => (at % 3 === 2 ? Math.floor(at / 3) : 0)),
    // Nothing lies between images that have no position.
    isHole: new Uint8Array(count - 1).fill(1),
  };
}
