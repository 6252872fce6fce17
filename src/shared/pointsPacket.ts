import { CLUSTER_BINS } from './valueBins.ts';

/** The shapes of annotations on slides. Ellipses and rectangles have four points, as in DICOM. */
export const POINT_SHAPES = ['point', 'polyline', 'polygon', 'ellipse', 'rectangle'] as const;
export type PointShape = (typeof POINT_SHAPES)[number];

/** Annotations one by one, as columns. */
export type PointShapes = {
  readonly parts: Uint32Array;
  /** Indices into `POINT_SHAPES`. One that is too small to be seen is a point. */
  readonly types: Uint8Array;
  /** First point of each annotation, followed by the end of the last one. */
  readonly starts: Uint32Array;
  /** x and y in pixels from the corner of the region, where (0, 0) is the centre of its first pixel. */
  readonly points: Float32Array;
  /** Number of each annotation in its group, from 1. */
  readonly numbers: Uint32Array;
  /** Most measurements of a part. */
  readonly width: number;
  /** The values of each annotation in the order of the measurements of its part, `width` numbers; NaN for none. */
  readonly values: Float32Array;
};

/**
 * Numbers of annotations in the cells of a grid. The grid begins at the first pixel of the slide, so that moving the
 * view moves no cluster. Each entry counts those of one part in one cell.
 */
export type PointClusters = {
  /** Size of a cell in pixels. */
  readonly cell: number;
  /** The middle of these annotations, in pixels from the corner of the region. */
  readonly x: Float32Array;
  readonly y: Float32Array;
  readonly parts: Uint32Array;
  readonly counts: Uint32Array;
  /** Most measurements of a part. */
  readonly width: number;
  /** Means of the values of these annotations, in the order of the measurements of their part; NaN if none has one. */
  readonly values: Float32Array;
  /**
   * For each mean, the numbers of values in `CLUSTER_BINS` equal parts of the range of that measurement in its part; empty
   * if they would be too many.
   */
  readonly bins: Uint32Array;
};

/** What a layer of annotations has in one part of a slide: either the annotations, or clusters if they are too many. */
export type PointsPacket = {
  /** Size of the part in pixels. */
  readonly rows: number;
  readonly columns: number;
  readonly content: PointShapes | PointClusters;
};

export function isClusters(content: PointsPacket['content']): content is PointClusters {
  return 'counts' in content;
}

type WireItem = {
  readonly count: number;
  readonly encoding: 'shapes' | 'clusters';
  readonly clusters: boolean;
  /** Shapes: number of points. */
  readonly points: number;
  /** Measured values for each. */
  readonly values: number;
  /** Clusters: size of a cell. */
  readonly cell: number | null;
  /** Clusters: parts of the range of each measurement in which values are counted; 0 if they are not. */
  readonly bins: number;
};
type WirePoints = {
  readonly layer: number;
  readonly kind: 'points';
  readonly rows: number;
  readonly columns: number;
  readonly items: readonly [WireItem];
};

const LENGTH_BYTES = 4;

/**
 * Wire format: the length of the header (32 bits, little endian), the header as JSON, padded with spaces to a multiple
 * of four bytes, and the columns, little endian, each padded to a multiple of four bytes. Shapes: parts (uint32), starts
 * (uint32, one more), types (uint8), points (pairs of float32), numbers (uint32), values (float32). Clusters: x, y
 * (float32), parts, counts (uint32), values (float32), bins (uint32).
 */
export function encodePoints(layer: number, { rows, columns, content }: PointsPacket): Uint8Array<ArrayBuffer> {
  const item: WireItem = isClusters(content)
    ? {
        count: content.counts.length,
        encoding: 'clusters',
        clusters: true,
        points: 0,
        values: content.width,
        cell: content.cell,
        bins: content.bins.length === 0 ? 0 : CLUSTER_BINS,
      }
    : {
        count: content.types.length,
        encoding: 'shapes',
        clusters: false,
        points: content.points.length / 2,
        values: content.width,
        cell: null,
        bins: 0,
      };
  const header: WirePoints = { layer, kind: 'points', rows, columns, items: [item] };
  const json = JSON.stringify(header);
  const text = json.padEnd(padded(json.length));
  const lists = isClusters(content)
    ? [content.x, content.y, content.parts, content.counts, content.values, content.bins]
    : [content.parts, content.starts, content.types, content.points, content.numbers, content.values];
  const length = lists.reduce((sum, { byteLength }) => sum + padded(byteLength), LENGTH_BYTES + text.length);
  const bytes = new Uint8Array(length);
  new DataView(bytes.buffer).setUint32(0, text.length, true);
  for (let at = 0; at < text.length; at += 1) bytes[LENGTH_BYTES + at] = text.charCodeAt(at);
  let at = LENGTH_BYTES + text.length;
  // All machines that run Node or a browser are little endian.
  for (const list of lists) {
    bytes.set(new Uint8Array(list.buffer, list.byteOffset, list.byteLength), at);
    at += padded(list.byteLength);
  }
  return bytes;
}

export function decodePoints(buffer: ArrayBuffer): PointsPacket {
  const length = new DataView(buffer).getUint32(0, true);
  let text = '';
  for (const byte of new Uint8Array(buffer, LENGTH_BYTES, length)) text += String.fromCharCode(byte);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- written by encodePoints
  const { rows, columns, items } = JSON.parse(text) as WirePoints;
  const [{ count, clusters, points, values: width, cell, bins }] = items;
  let at = LENGTH_BYTES + length;
  const take = (bytes: number) => {
    const start = at;
    at += padded(bytes);
    return start;
  };
  const floats = (values: number) => new Float32Array(buffer, take(4 * values), values);
  const integers = (values: number) => new Uint32Array(buffer, take(4 * values), values);
  if (clusters) {
    return {
      rows,
      columns,
      content: {
        cell: cell ?? 1,
        x: floats(count),
        y: floats(count),
        parts: integers(count),
        counts: integers(count),
        width,
        values: floats(width * count),
        bins: integers(width * count * bins),
      },
    };
  }
  return {
    rows,
    columns,
    content: {
      parts: integers(count),
      starts: integers(count + 1),
      types: new Uint8Array(buffer, take(count), count),
      points: floats(2 * points),
      numbers: integers(count),
      width,
      values: floats(width * count),
    },
  };
}

function padded(bytes: number): number {
  return Math.ceil(bytes / 4) * 4;
}
