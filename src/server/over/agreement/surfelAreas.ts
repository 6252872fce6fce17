/**
 * The area of the surface between eight neighbouring samples, for each of the 256 ways in which they can be inside of a
 * mask: that of the triangles of marching cubes, with corners half way between samples. Bit 0 to 7 of a code are the
 * samples; bit 0 of their numbers is the row (y), bit 1 the slice (z) and bit 2 the column (x).
 */
export function surfelAreas([x, y, z]: readonly [number, number, number]): Float64Array<ArrayBuffer> {
  const sides = [y * z, x * z, x * y] as const;
  const norm = (a: number, b: number, c: number) => Math.hypot(a * sides[0], b * sides[1], c * sides[2]);
  const measures: Measures = {
    corner: norm(1, 1, 1) / 8,
    across: [sides[0] / 2, sides[1] / 2, sides[2] / 2],
    along: [norm(0, 1, 1) / 4, norm(1, 0, 1) / 4, norm(1, 1, 0) / 4],
  };
  return Float64Array.from({ length: 256 }, (_, code) => areaOf(code, measures));
}

type Measures = {
  /** Of the triangle that cuts off one sample. */
  readonly corner: number;
  /** Of half the section across each axis (x, y, z). */
  readonly across: readonly number[];
  /** Of half the section that cuts off two samples, which are neighbours along each axis. */
  readonly along: readonly number[];
};

function areaOf(code: number, measures: Measures): number {
  const inside = SAMPLES.filter((sample) => ((code >> sample) & 1) === 1);
  // A surface has the same area from both sides.
  const few = inside.length <= 4 ? inside : SAMPLES.filter((sample) => !inside.includes(sample));
  return groupNeighbours(few).reduce((sum, group) => sum + areaAround(group, measures), 0);
}

/** Of samples that are connected along the axes; there are at most four. */
function areaAround(group: readonly number[], { corner, across, along }: Measures): number {
  const edges = group.flatMap((a) => group.flatMap((b) => (a < b && axisBetween(a, b) !== undefined ? [[a, b]] : [])));
  const axes = edges.map(([a, b]) => axisBetween(a!, b!)!);
  const lacking = [0, 1, 2].find((axis) => !axes.includes(axis));
  if (group.length === 1) return corner;
  if (group.length === 2) return 2 * along[axes[0]!]!;
  if (group.length === 3) return 3 * corner + across[lacking!]!;
  if (lacking !== undefined) return 2 * across[lacking]!;
  const degreeOf = (sample: number) => edges.filter((edge) => edge.includes(sample)).length;
  if (group.some((sample) => degreeOf(sample) === 3)) return 6 * corner;
  const ends = edges.flatMap((edge, at) => (edge.some((sample) => degreeOf(sample) === 1) ? [axes[at]!] : []));
  return 4 * corner + ends.reduce((sum, axis) => sum + along[axis]!, 0);
}

function groupNeighbours(samples: readonly number[]): readonly (readonly number[])[] {
  const left = new Set(samples);
  return samples.flatMap((first) => {
    if (!left.delete(first)) return [];
    const group = [first];
    for (const sample of group) {
      for (const other of left) if (axisBetween(sample, other) !== undefined && left.delete(other)) group.push(other);
    }
    return [group];
  });
}

/** The axis (x, y, z) along which two samples are neighbours. */
function axisBetween(a: number, b: number): number | undefined {
  return { 4: 0, 1: 1, 2: 2 }[a ^ b];
}

const SAMPLES = [0, 1, 2, 3, 4, 5, 6, 7];
