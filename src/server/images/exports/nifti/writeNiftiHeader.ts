import { cross, dot, lengthOf, subtract, type Vector3 } from '../../../../shared/geometry.ts';
import type { Rescale, SampleStorage } from '../../volumes/volume.ts';
import type { NiftiGrid } from './niftiGrid.ts';

export type NiftiHeader = {
  readonly grid: NiftiGrid;
  readonly times: number;
  /** Seconds between two times; undefined if they do not differ in time, or not equally. */
  readonly timeStepSeconds: number | undefined;
  readonly storage: SampleStorage;
  readonly rescale: Rescale;
  /** At most 79 characters of ASCII. */
  readonly description: string;
};

/** Header of 348 bytes, and four that say that there are no extensions. */
const NIFTI_DATA_OFFSET = 352;
/** The sizes of NIfTI-1 have 16 bits. */
export const MOST_NIFTI_SIZE = 32_767;

const DATA_TYPES: Readonly<Record<SampleStorage, readonly [code: number, bits: number]>> = {
  uint8: [2, 8],
  int16: [4, 16],
  int32: [8, 32],
  float32: [16, 32],
  float64: [64, 64],
  int8: [256, 8],
  uint16: [512, 16],
  uint32: [768, 32],
};
const MILLIMETRES = 2;
const SECONDS = 8;
const SCANNER_COORDINATES = 1;

/** The header of a NIfTI-1 file, and everything else before its samples. */
export function writeNiftiHeader(header: NiftiHeader): Uint8Array<ArrayBuffer> {
  const { grid, times, timeStepSeconds = 0, storage, rescale, description } = header;
  const bytes = new Uint8Array(NIFTI_DATA_OFFSET);
  const view = new DataView(bytes.buffer);
  const shorts = (at: number, values: readonly number[]) => {
    for (const [i, value] of values.entries()) view.setInt16(at + 2 * i, value, true);
  };
  const floats = (at: number, values: readonly number[]) => {
    for (const [i, value] of values.entries()) view.setFloat32(at + 4 * i, value, true);
  };
  const text = (at: number, characters: string) => bytes.set(new TextEncoder().encode(characters), at);

  view.setInt32(0, 348, true);
  // Read by programs for Analyze files.
  text(38, 'r');
  shorts(40, [times > 1 ? 4 : 3, ...grid.size, times, 1, 1, 1]);
  shorts(70, DATA_TYPES[storage]);
  const quaternion = toQuaternion(grid);
  const [i, j, k] = grid.vectors.map(lengthOf);
  floats(76, [quaternion?.factor ?? 1, i!, j!, k!, timeStepSeconds, 0, 0, 0]);
  floats(108, [NIFTI_DATA_OFFSET, rescale.slope, rescale.intercept]);
  bytes[123] = MILLIMETRES | SECONDS;
  text(148, description.slice(0, 79));
  // A rotation cannot express the oblique slices of a tilted gantry.
  shorts(252, [quaternion === undefined ? 0 : SCANNER_COORDINATES, SCANNER_COORDINATES]);
  if (quaternion !== undefined) floats(256, [...quaternion.bcd, ...grid.origin]);
  const rows = [0, 1, 2].flatMap((axis) => [...grid.vectors.map((vector) => vector[axis]!), grid.origin[axis]!]);
  floats(280, rows);
  text(344, 'n+1');
  return bytes;
}

type Quaternion = { readonly bcd: Vector3; readonly factor: 1 | -1 };

/**
 * The rotation of the grid, as nifti_mat44_to_quatern of the NIfTI library. Undefined if the last slice of a grid with
 * this rotation lies half a sample elsewhere. Positions that writers have rounded make a grid slightly oblique.
 */
function toQuaternion({ vectors: [i, j, k], size }: NiftiGrid): Quaternion | undefined {
  const [u, v] = [toUnit(i), toUnit(j)];
  const normal = cross(u, v);
  const factor = dot(normal, k) < 0 ? -1 : 1;
  const straight = dot(normal, k);
  const off = subtract(k, [normal[0] * straight, normal[1] * straight, normal[2] * straight]);
  if ((size[2] - 1) * lengthOf(off) > Math.min(lengthOf(i), lengthOf(j)) / 2) return undefined;
  // The third axis of a left-handed grid is turned round, which the factor says.
  const [[r11, r21, r31], [r12, r22, r32]] = [u, v];
  const [r13, r23, r33] = normal;
  // Of a, b, c and d, the one that is surely large is calculated first.
  const trace = r11 + r22 + r33 + 1;
  if (trace > 0.5) {
    const a = 0.5 * Math.sqrt(trace);
    return { factor, bcd: [(0.25 * (r32 - r23)) / a, (0.25 * (r13 - r31)) / a, (0.25 * (r21 - r12)) / a] };
  }
  const [x, y, z] = [1 + r11 - (r22 + r33), 1 + r22 - (r11 + r33), 1 + r33 - (r11 + r22)];
  let a: number;
  let bcd: Vector3;
  if (x > 1) {
    const b = 0.5 * Math.sqrt(x);
    bcd = [b, (0.25 * (r12 + r21)) / b, (0.25 * (r13 + r31)) / b];
    a = (0.25 * (r32 - r23)) / b;
  } else if (y > 1) {
    const c = 0.5 * Math.sqrt(y);
    bcd = [(0.25 * (r12 + r21)) / c, c, (0.25 * (r23 + r32)) / c];
    a = (0.25 * (r13 - r31)) / c;
  } else {
    const d = 0.5 * Math.sqrt(z);
    bcd = [(0.25 * (r13 + r31)) / d, (0.25 * (r23 + r32)) / d, d];
    a = (0.25 * (r21 - r12)) / d;
  }
  // The file has only b, c and d, and readers take the a that is not negative.
  return { factor, bcd: a < 0 ? [-bcd[0], -bcd[1], -bcd[2]] : bcd };
}

function toUnit(vector: Vector3): Vector3 {
  const length = lengthOf(vector);
  return [vector[0] / length, vector[1] / length, vector[2] / length];
}
