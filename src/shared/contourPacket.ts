/** How a contour gets into a plane: as it is stored there, from the nearest plane, or cut by the plane. */
export const CONTOUR_SOURCES = ['stored', 'nearest', 'cut'] as const;
export type ContourSource = (typeof CONTOUR_SOURCES)[number];

/** One line or closed line over a picture. A single point is a point. */
export type ContourItem = {
  readonly part: number;
  readonly isClosed: boolean;
  readonly how: ContourSource;
  /** Signed, from the plane of the picture along its normal; 0 if it was cut. */
  readonly distanceMm: number;
  /** x (column) and y (row) of each point; (0, 0) is the centre of the first pixel. */
  readonly points: Float32Array;
};

/** All contours of one layer over one picture, whose size is given in pixels. */
export type ContourPacket = {
  readonly rows: number;
  readonly columns: number;
  readonly items: readonly ContourItem[];
};

type WireItem = {
  readonly part: number;
  readonly closed: boolean;
  readonly how: ContourSource;
  readonly distance_mm: number;
  /** Number of points, and the place of the first one among all points. */
  readonly points: number;
  readonly offset: number;
};
type WireContours = {
  readonly layer: number;
  readonly kind: 'contour';
  readonly rows: number;
  readonly columns: number;
  readonly items: readonly WireItem[];
};

const LENGTH_BYTES = 4;
const POINT_BYTES = 8;

/**
 * Wire format: the length of the header (32 bits, little endian), the header as JSON, padded with spaces so that the
 * points begin at a multiple of four bytes, and the points: pairs of 32-bit floats, little endian.
 */
export function encodeContours(layer: number, { rows, columns, items }: ContourPacket): Uint8Array<ArrayBuffer> {
  let offset = 0;
  const wire = items.map(({ part, isClosed, how, distanceMm, points }): WireItem => {
    const count = points.length / 2;
    const item = { part, closed: isClosed, how, distance_mm: round(distanceMm), points: count, offset };
    offset += count;
    return item;
  });
  const header: WireContours = { layer, kind: 'contour', rows, columns, items: wire };
  const json = JSON.stringify(header);
  const text = json.padEnd(Math.ceil(json.length / 4) * 4);
  const bytes = new Uint8Array(LENGTH_BYTES + text.length + offset * POINT_BYTES);
  new DataView(bytes.buffer).setUint32(0, text.length, true);
  for (let at = 0; at < text.length; at += 1) bytes[LENGTH_BYTES + at] = text.charCodeAt(at);
  // All machines that run Node or a browser are little endian.
  const floats = new Float32Array(bytes.buffer, LENGTH_BYTES + text.length);
  let at = 0;
  for (const { points } of items) {
    floats.set(points, at);
    at += points.length;
  }
  return bytes;
}

export function decodeContours(buffer: ArrayBuffer): ContourPacket {
  const length = new DataView(buffer).getUint32(0, true);
  let text = '';
  for (const byte of new Uint8Array(buffer, LENGTH_BYTES, length)) text += String.fromCharCode(byte);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- written by encodeContours
  const { rows, columns, items } = JSON.parse(text) as WireContours;
  const start = LENGTH_BYTES + length;
  return {
    rows,
    columns,
    items: items.map(({ part, closed, how, distance_mm, points, offset }) => ({
      part,
      isClosed: closed,
      how,
      distanceMm: distance_mm,
      points: new Float32Array(buffer, start + offset * POINT_BYTES, points * 2),
    })),
  };
}

/** To a millionth of a millimetre, so that the header is short. */
function round(mm: number): number {
  return Math.round(mm * 1e6) / 1e6;
}
