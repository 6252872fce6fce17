import type { PLANE_PROJECTIONS } from '../../../../shared/contract/volumes.ts';
import { buildOrientation, type PlaneOrientation, type Vector3 } from '../../../../shared/geometry.ts';
import { PLANE_NAMES, type PlaneName } from '../../../../shared/planeNames.ts';

export type Projection = (typeof PLANE_PROJECTIONS)[number];

export const PROJECTION_NAMES: Readonly<Record<Projection, string>> = { max: 'MIP', min: 'MinIP', mean: 'Mean' };

/** Which planes of a volume a cell shows, all parallel to each other. Its position selects one of them. */
export type PlaneSpec = {
  /** The plane that it began as. It keeps the name, and the color of its line, when it is turned. */
  readonly name: PlaneName;
  /** Set for a plane that was turned: its directions, and a point that one of its positions contains. */
  readonly turned: { readonly orientation: PlaneOrientation; readonly through: Vector3 } | undefined;
  /** Thickness of the slab; 0 for the plane itself. */
  readonly slabMm: number;
  readonly projection: Projection;
  /** Counts from 0. */
  readonly time: number;
};

export function straightPlane(name: PlaneName): PlaneSpec {
  return { name, turned: undefined, slabMm: 0, projection: 'max', time: 0 };
}

const SEPARATOR = '~';

/**
 * The specification as a text for ids and links, such as `coronal~max20~t2`. Turned planes are written with a precision
 * that moves no sample of a volume by a thousandth of its size.
 */
export function formatPlane({ name, turned, slabMm, projection, time }: PlaneSpec): string {
  const parts: string[] = [name];
  if (slabMm > 0 || projection !== 'max') parts.push(`${projection}${formatNumber(slabMm, 2)}`);
  if (time > 0) parts.push(`t${time}`);
  if (turned !== undefined) {
    const { rowDirection, columnDirection } = turned.orientation;
    parts.push(`o${[...rowDirection, ...columnDirection].map((part) => formatNumber(part, 7)).join('_')}`);
    parts.push(`p${turned.through.map((part) => formatNumber(part, 3)).join('_')}`);
  }
  return parts.join(SEPARATOR);
}

/** Undefined if the text names no plane. Parts that are not understood are ignored. */
export function parsePlane(text: string): PlaneSpec | undefined {
  const [first, ...parts] = text.split(SEPARATOR);
  const name = PLANE_NAMES.find((one) => one === first);
  if (name === undefined) return undefined;
  const [, projection, slab] = find(parts, /^(max|min|mean)(\d{1,3}(?:\.\d+)?)$/) ?? [];
  const [, time] = find(parts, /^t(\d{1,6})$/) ?? [];
  return {
    name,
    turned: parseTurn(find(parts, /^o([-\d._]+)$/)?.[1], find(parts, /^p([-\d._]+)$/)?.[1]),
    slabMm: Number(slab ?? 0),
    projection: projection === 'min' || projection === 'mean' ? projection : 'max',
    time: Number(time ?? 0),
  };
}

function parseTurn(directions: string | undefined, point: string | undefined): PlaneSpec['turned'] {
  const orientation = buildOrientation(directions?.split('_').map(Number));
  const [x = NaN, y = NaN, z = NaN] = point?.split('_').map(Number) ?? [];
  if (orientation === undefined || ![x, y, z].every(Number.isFinite)) return undefined;
  return { orientation: makePerpendicular(orientation), through: [x, y, z] };
}

/** Rounded numbers are not exactly perpendicular. */
export function makePerpendicular({ rowDirection: row, columnDirection: column }: PlaneOrientation): PlaneOrientation {
  const shared = row[0] * column[0] + row[1] * column[1] + row[2] * column[2];
  const at = (axis: 0 | 1 | 2) => column[axis] - shared * row[axis];
  const length = Math.hypot(at(0), at(1), at(2));
  return { rowDirection: row, columnDirection: [at(0) / length, at(1) / length, at(2) / length] };
}

function find(parts: readonly string[], form: RegExp): RegExpExecArray | undefined {
  for (const part of parts) {
    const found = form.exec(part);
    if (found !== null) return found;
  }
  return undefined;
}

/** Without an exponent and without trailing zeros. */
export function formatNumber(value: number, decimals: number): string {
  const text = value.toFixed(decimals);
  const short = text.includes('.') ? text.replace(/\.?0+$/, '') : text;
  return short === '-0' ? '0' : short;
}
