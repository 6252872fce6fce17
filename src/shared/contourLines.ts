import type { ContourItem, ContourPacket } from './contourPacket.ts';

/** Coordinates for a path: each line is a list of x and y, in pixels of the image from its upper left corner. */
export type PartLines = {
  readonly part: number;
  /**
   * Closed lines, which are filled by the even-odd rule. They run in the same direction, so that the nonzero rule fills
   * those inside others, too.
   */
  readonly areas: readonly (readonly number[])[];
  /** Lines to stroke, without those that a contour runs back over. */
  readonly lines: readonly (readonly number[])[];
  /** Lines of contours that do not lie in the plane of the image. */
  readonly dashed: readonly (readonly number[])[];
  readonly points: readonly (readonly [x: number, y: number])[];
};

/** The lines of each part of a packet, in the order in which the parts first occur. */
export function buildContourLines({ items }: ContourPacket): PartLines[] {
  const parts = new Map<
    number,
    { areas: number[][]; lines: number[][]; dashed: number[][]; points: [number, number][] }
  >();
  for (const item of items) {
    const known = parts.get(item.part) ?? { areas: [], lines: [], dashed: [], points: [] };
    parts.set(item.part, known);
    const line = toCorners(item);
    if (line.length === 2) known.points.push([line[0]!, line[1]!]);
    else {
      if (item.isClosed) known.areas.push(turnClockwise(line));
      const target = item.how === 'nearest' ? known.dashed : known.lines;
      if (item.isClosed) target.push(...leaveOutBridges(line));
      else target.push(line);
    }
  }
  return [...parts].map(([part, lines]) => ({ part, ...lines }));
}

/** In packets, (0, 0) is the centre of the first pixel; in pictures, its corner. */
function toCorners({ points }: ContourItem): number[] {
  return Array.from(points, (value) => value + 0.5);
}

/** Clockwise on the screen, where rows run down. */
function turnClockwise(line: readonly number[]): number[] {
  let area = 0;
  for (let at = 0, before = line.length - 2; at < line.length; before = at, at += 2) {
    area += line[before]! * line[at + 1]! - line[at]! * line[before + 1]!;
  }
  if (area >= 0) return [...line];
  return Array.from({ length: line.length }, (_, at) => line[line.length - 2 - 2 * (at >> 1) + (at & 1)]!);
}

/** Parts of a pixel within which two ends are the same. */
const SAME = 20;

/**
 * A hole may be connected with the outer line by a bridge, over which the contour runs twice. A closed line without
 * its bridges, as several lines.
 */
function leaveOutBridges(line: readonly number[]): number[][] {
  const count = line.length / 2;
  const keyOf = (from: number, to: number) =>
    [from, to].map((at) => `${Math.round(line[2 * at]! * SAME)},${Math.round(line[2 * at + 1]! * SAME)}`).join(' ');
  const segments = new Set(Array.from({ length: count }, (_, at) => keyOf(at, (at + 1) % count)));
  const lines: number[][] = [];
  let current: number[] = [];
  for (let at = 0; at < count; at += 1) {
    const next = (at + 1) % count;
    if (segments.has(keyOf(next, at)) && count > 2) {
      if (current.length > 0) lines.push(current);
      current = [];
      continue;
    }
    if (current.length === 0) current.push(line[2 * at]!, line[2 * at + 1]!);
    current.push(line[2 * next]!, line[2 * next + 1]!);
  }
  if (current.length > 0) lines.push(current);
  return lines;
}
