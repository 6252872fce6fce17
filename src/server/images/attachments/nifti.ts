import { constants, gunzipSync } from 'node:zlib';
import type { ByteSource } from '../../bytes/origins/byteSource.ts';
import {
  type Affine,
  type AffineSource,
  type ArrayHeader,
  type ArrayWarning,
  checkAffine,
  checkShape,
  dropSinglesBehind,
  type ElementType,
  NO_VOLUME,
  type OtherAxis,
  unreadable,
} from './arrayHeader.ts';

/** Data type codes of NIfTI. Colors and complex numbers are no masks. */
const ELEMENTS: ReadonlyMap<number, ElementType> = new Map([
  [2, 'uint8'],
  [4, 'int16'],
  [8, 'int32'],
  [16, 'float32'],
  [64, 'float64'],
  [256, 'int8'],
  [512, 'uint16'],
  [768, 'uint32'],
  [1024, 'int64'],
  [1280, 'uint64'],
]);

const HEADER_1 = 348;
const HEADER_2 = 540;
/** Enough of a packed file for its header; it unpacks to about 4 MiB at most. */
const PACKED_START = 4096;
const MOST_START = 2 ** 23;

type Version = { readonly isSecond: boolean; readonly isLittleEndian: boolean; readonly isPair: boolean };

function findVersion(bytes: Uint8Array): Version | undefined {
  if (bytes.length < HEADER_1) return undefined;
  const view = viewOf(bytes);
  for (const isLittleEndian of [true, false]) {
    const size = view.getInt32(0, isLittleEndian);
    const isSecond = size === HEADER_2;
    if (!isSecond && size !== HEADER_1) continue;
    const magic = String.fromCharCode(...bytes.subarray(isSecond ? 4 : 344, isSecond ? 7 : 347));
    const number = isSecond ? '2' : '1';
    if (magic !== `n+${number}` && magic !== `ni${number}`) return undefined;
    return { isSecond, isLittleEndian, isPair: magic.startsWith('ni') };
  }
  return undefined;
}

function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
}

export type NiftiFile = { readonly source: ByteSource; readonly name: string };

export function readNifti({ source, name }: NiftiFile): ArrayHeader {
  const start = source.read(0, PACKED_START).slice();
  const isPacked = start[0] === 0x1f && start[1] === 0x8b;
  const bytes = isPacked ? unpackStart(start) : start;
  const version = findVersion(bytes);
  if (version === undefined) throw unreadable('the file has no NIfTI header');
  if (version.isSecond && bytes.length < HEADER_2) throw unreadable('the NIfTI header is truncated');
  const view = viewOf(bytes);
  const { isLittleEndian, isSecond, isPair } = version;
  const fields = isSecond ? readSecond(view, isLittleEndian) : readFirst(view, isLittleEndian);
  const rank = fields.dim[0]!;
  if (!(rank >= 1 && rank <= 7)) throw unreadable(`the NIfTI header declares ${rank} axes`);
  const shape = fields.dim.slice(1, rank + 1);
  checkShape(shape);
  const element = ELEMENTS.get(fields.datatype);
  if (element === undefined) throw unreadable(`the NIfTI data type ${fields.datatype} is not supported`);
  const sizes = dropSinglesBehind([...shape, 1, 1, 1].slice(0, Math.max(3, rank)));
  if (sizes.length > 4) throw unreadable(`the array has ${sizes.length} axes; 3 in space and one more are supported`);
  if (!Number.isInteger(fields.voxOffset) || fields.voxOffset < 0)
    throw unreadable('the offset of the data is invalid');
  const warnings: ArrayWarning[] = [];
  const placed = findAffine(fields, warnings);
  return {
    shape,
    sizes,
    spatialAxes: [0, 1, 2],
    element,
    isLittleEndian,
    scale: findScale(fields),
    ...placed,
    data: {
      besideName: isPair ? nameOfImage(name) : undefined,
      start: isPacked || isPair ? 0 : fields.voxOffset,
      length: undefined,
      packing: isPacked ? 'gzip' : 'raw',
      skip: isPacked || isPair ? fields.voxOffset : 0,
      skipLines: 0,
    },
    labels: [],
    warnings,
    otherAxis: findOtherAxis(shape, fields),
  };
}

/** The fourth axis is time, the fifth one has the components of vectors. */
function findOtherAxis(shape: readonly number[], { pixdim, units }: Fields): OtherAxis | undefined {
  if ((shape[3] ?? 1) === 1) return (shape[4] ?? 1) > 1 ? { kind: 'vector' } : undefined;
  const seconds = TIME_UNITS.get(units & 0x38);
  const step = pixdim[4] ?? 0;
  return { kind: 'time', stepSeconds: seconds === undefined || !(step > 0) ? undefined : step * seconds };
}

/** Seconds, milliseconds and microseconds. The others, such as hertz, are no times. */
const TIME_UNITS: ReadonlyMap<number, number> = new Map([
  [8, 1],
  [16, 1e-3],
  [24, 1e-6],
]);

function unpackStart(packed: Uint8Array): Uint8Array {
  try {
    return gunzipSync(packed, { finishFlush: constants.Z_SYNC_FLUSH, maxOutputLength: MOST_START });
  } catch {
    throw unreadable('the file is no gzip file, or it is truncated');
  }
}

/** The samples of `x.hdr` are in `x.img`. */
function nameOfImage(name: string): string {
  if (!/\.hdr$/i.test(name)) throw unreadable('the header of a NIfTI pair must be named .hdr');
  return name.replace(/\.hdr$/i, (ending) => (ending === '.HDR' ? '.IMG' : '.img'));
}

type Fields = {
  readonly dim: readonly number[];
  readonly datatype: number;
  readonly pixdim: readonly number[];
  readonly voxOffset: number;
  readonly slope: number;
  readonly intercept: number;
  readonly qformCode: number;
  readonly sformCode: number;
  /** Quaternion b, c, d and offset x, y, z. */
  readonly quaternion: readonly number[];
  /** Twelve numbers, row by row. */
  readonly rows: readonly number[];
  readonly units: number;
};

function list(count: number, read: (at: number) => number): number[] {
  return Array.from({ length: count }, (_, at) => read(at));
}

function readFirst(view: DataView, little: boolean): Fields {
  return {
    dim: list(8, (at) => view.getInt16(40 + 2 * at, little)),
    datatype: view.getInt16(70, little),
    pixdim: list(8, (at) => view.getFloat32(76 + 4 * at, little)),
    voxOffset: view.getFloat32(108, little),
    slope: view.getFloat32(112, little),
    intercept: view.getFloat32(116, little),
    units: view.getUint8(123),
    qformCode: view.getInt16(252, little),
    sformCode: view.getInt16(254, little),
    quaternion: list(6, (at) => view.getFloat32(256 + 4 * at, little)),
    rows: list(12, (at) => view.getFloat32(280 + 4 * at, little)),
  };
}

function readSecond(view: DataView, little: boolean): Fields {
  const long = (at: number) => Number(view.getBigInt64(at, little));
  return {
    datatype: view.getInt16(12, little),
    dim: list(8, (at) => long(16 + 8 * at)),
    pixdim: list(8, (at) => view.getFloat64(104 + 8 * at, little)),
    voxOffset: long(168),
    slope: view.getFloat64(176, little),
    intercept: view.getFloat64(184, little),
    qformCode: view.getInt32(344, little),
    sformCode: view.getInt32(348, little),
    quaternion: list(6, (at) => view.getFloat64(352 + 8 * at, little)),
    rows: list(12, (at) => view.getFloat64(400 + 8 * at, little)),
    units: view.getInt32(500, little),
  };
}

/** A slope of 0 or one that is no number means that there is none. */
function findScale({ slope, intercept }: Fields): ArrayHeader['scale'] {
  if (slope === 0 || !Number.isFinite(slope)) return undefined;
  const added = Number.isFinite(intercept) ? intercept : 0;
  return slope === 1 && added === 0 ? undefined : { slope, intercept: added };
}

/** Millimetres of one unit; metres are 1, micrometres 3. */
function unitMm(units: number): number {
  return (units & 7) === 1 ? 1000 : (units & 7) === 3 ? 0.001 : 1;
}

const OTHER_FORM_MM = 0.1;

type Placed = { readonly affine: Affine | undefined; readonly affineSource: AffineSource | undefined };

/** The sform if there is one, otherwise the qform. */
function findAffine(fields: Fields, warnings: ArrayWarning[]): Placed {
  const { sformCode, qformCode, dim } = fields;
  const sform = sformCode > 0 ? affineOfRows(fields) : undefined;
  const qform = qformCode > 0 ? affineOfQuaternion(fields) : undefined;
  const chosen = sform ?? qform;
  if (chosen === undefined) return { affine: undefined, affineSource: undefined };
  const affine = checkAffine(chosen);
  if (affine === undefined) {
    warnings.push(NO_VOLUME);
    return { affine: undefined, affineSource: undefined };
  }
  if (sform !== undefined && qform !== undefined) {
    const [a, b] = [farCorner(sform, dim), farCorner(qform, dim)];
    const differenceMm = Math.max(...a.map((part, at) => Math.abs(part - b[at]!)));
    if (differenceMm > OTHER_FORM_MM) {
      const message = `the sform and the qform of the file differ by ${differenceMm.toFixed(1)} mm; the sform is used`;
      warnings.push({ code: 'sform_differs', message });
    }
  }
  return { affine, affineSource: sform === undefined ? 'qform' : 'sform' };
}

function farCorner(affine: Affine, dim: readonly number[]): readonly number[] {
  return [0, 1, 2].map((axis) =>
    [0, 1, 2].reduce(
      (sum, column) => sum + affine[3 * column + axis]! * ((dim[column + 1] ?? 1) - 1),
      affine[9 + axis]!,
    ),
  );
}

function affineOfRows({ rows, units }: Fields): Affine {
  const mm = unitMm(units);
  const [
    xi = NaN,
    xj = NaN,
    xk = NaN,
    x = NaN,
    yi = NaN,
    yj = NaN,
    yk = NaN,
    y = NaN,
    zi = NaN,
    zj = NaN,
    zk = NaN,
    z = NaN,
  ] = rows.map((value) => value * mm);
  return toLps([xi, yi, zi, xj, yj, zj, xk, yk, zk, x, y, z]);
}

function affineOfQuaternion({ quaternion, pixdim, units }: Fields): Affine {
  const mm = unitMm(units);
  const [b = NaN, c = NaN, d = NaN, x = NaN, y = NaN, z = NaN] = quaternion;
  const rest = 1 - b * b - c * c - d * d;
  // Rounding may leave a little less than nothing.
  const a = Math.sqrt(rest < 0 && rest > -1e-5 ? 0 : rest);
  const [di, dj, dk] = [1, 2, 3].map((axis) => Math.abs(pixdim[axis]!) * mm);
  const [u, v, w] = [di!, dj!, pixdim[0] === -1 ? -dk! : dk!];
  return toLps([
    (a * a + b * b - c * c - d * d) * u,
    2 * (b * c + a * d) * u,
    2 * (b * d - a * c) * u,
    2 * (b * c - a * d) * v,
    (a * a + c * c - b * b - d * d) * v,
    2 * (c * d + a * b) * v,
    2 * (b * d + a * c) * w,
    2 * (c * d - a * b) * w,
    (a * a + d * d - b * b - c * c) * w,
    x * mm,
    y * mm,
    z * mm,
  ]);
}

/** NIfTI has x to the right and y to the front, DICOM both the other way. */
function toLps([ax, ay, az, bx, by, bz, cx, cy, cz, x, y, z]: Affine): Affine {
  return [-ax, -ay, az, -bx, -by, bz, -cx, -cy, cz, -x, -y, z];
}
