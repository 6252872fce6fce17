import type { Point, Size } from '../../../kit/state/viewState.ts';
import { type Bounds, boundsOfLabel, type CrowdLabel, overlaps } from '../../../show/tools/markCrowd.ts';

export type WantedLabel = {
  readonly lines: readonly string[];
  /** The label is beside the lowest of them. */
  readonly points: readonly Point[];
  /** The rectangle around the outline. */
  readonly bounds: Bounds;
  /** Has all of its text at the usual place. */
  readonly isActive: boolean;
};

export const LINE_HEIGHT = 15;
const LABEL_GAP = 9;
/**
 * Estimate that is wide enough for most texts: reading the real width would make the browser compute the layout for
 * each.
 */
const LETTER_WIDTH = 6.8;

const NO_LABEL: CrowdLabel = { lines: [], width: 0, at: { x: 0, y: 0 } };

/**
 * The texts of marks on the screen, each beside its mark where it lies over no other text, and if possible over no outline. A
 * text for which there is no such place is only its first line: the class of the mark, or its first value.
 */
export function placeLabels(wanted: readonly WantedLabel[], screen: Size): readonly CrowdLabel[] {
  const area = { left: 0, top: 0, right: screen.width, bottom: screen.height };
  const placed = wanted.map(() => NO_LABEL);
  const texts: (Bounds | undefined)[] = wanted.map(() => undefined);
  const outlines = wanted.map(({ bounds }) => bounds);
  const put = (n: number, label: CrowdLabel) => {
    placed[n] = label;
    texts[n] = boundsOfLabel(label);
  };
  const seen = [...wanted.entries()].filter(([, { lines, bounds }]) => lines.length > 0 && overlaps(bounds, area));
  for (const [n, label] of seen) if (label.isActive) put(n, usualLabel(label, screen));
  const others = seen.filter(([, { isActive }]) => !isActive);
  const find = (n: number, label: WantedLabel) => findBest(listPlaces(label, screen), { texts, outlines, own: n });
  // The first lines of all come first, so that no long text takes the place of another.
  for (const [n, label] of others) put(n, find(n, { ...label, lines: label.lines.slice(0, 1) }).label);
  for (const [n, label] of others) {
    const whole = find(n, label);
    if (!whole.isOverText) put(n, whole.label);
  }
  return placed;
}

type Obstacles = {
  readonly texts: readonly (Bounds | undefined)[];
  readonly outlines: readonly Bounds[];
  /** The mark that is no obstacle to its own text. */
  readonly own: number;
};

const OVER_TEXT = 1000;

/** The first of the best places. */
function findBest(places: readonly [CrowdLabel, ...CrowdLabel[]], obstacles: Obstacles) {
  let [label] = places;
  let least = Infinity;
  for (const place of places) {
    const cost = costOf(boundsOfLabel(place), obstacles, least);
    if (cost < least) [label, least] = [place, cost];
    if (least === 0) break;
  }
  return { label, isOverText: least >= OVER_TEXT };
}

/** How much a text would lie over; at least the limit where that is reached, because a hundred marks are placed for each picture. */
function costOf(box: Bounds, { texts, outlines, own }: Obstacles, limit: number): number {
  let cost = 0;
  for (let n = 0; n < texts.length && cost < limit; n += 1) {
    if (n === own) continue;
    const text = texts[n];
    const outline = outlines[n];
    if (text !== undefined && overlaps(box, text)) cost += OVER_TEXT;
    if (outline !== undefined && overlaps(box, outline) && !isInside(box, outline)) cost += 1;
  }
  return cost;
}

function isInside(inner: Bounds, outer: Bounds): boolean {
  const isAcross = inner.left > outer.left && inner.right < outer.right;
  return isAcross && inner.top > outer.top && inner.bottom < outer.bottom;
}

/** The usual place, and those around the mark that are inside the cell. */
function listPlaces(label: WantedLabel, screen: Size): readonly [CrowdLabel, ...CrowdLabel[]] {
  const usual = usualLabel(label, screen);
  const { left, top, right, bottom } = around(label.points);
  const above = top - LABEL_GAP - (label.lines.length - 1) * LINE_HEIGHT;
  const places = [
    { x: left - LABEL_GAP - usual.width, y: bottom + LABEL_GAP },
    { x: right + LABEL_GAP, y: above },
    { x: left - LABEL_GAP - usual.width, y: above },
    { x: left, y: bottom + LINE_HEIGHT + LABEL_GAP },
    { x: left, y: above },
  ];
  const isSeen = ({ left: from, top: up, right: to, bottom: down }: Bounds) =>
    from >= 0 && up >= 0 && to <= screen.width && down <= screen.height;
  return [usual, ...places.map((at) => ({ ...usual, at })).filter((one) => isSeen(boundsOfLabel(one)))];
}

function around(points: readonly Point[]): Bounds {
  const [across, down] = [points.map(({ x }) => x), points.map(({ y }) => y)];
  return { left: Math.min(...across), top: Math.min(...down), right: Math.max(...across), bottom: Math.max(...down) };
}

/**
 * Beside the lowest point: to its right, or to the left of all points if there is no room, and always inside the
 * cell.
 */
export function usualLabel({ lines, points }: Pick<WantedLabel, 'lines' | 'points'>, screen: Size): CrowdLabel {
  const width = Math.max(0, ...lines.map((line) => line.length)) * LETTER_WIDTH;
  const { left, bottom } = around(points);
  const right = Math.max(...points.filter(({ y }) => y === bottom).map(({ x }) => x));
  const x = right + LABEL_GAP + width <= screen.width ? right + LABEL_GAP : left - LABEL_GAP - width;
  const lowest = screen.height - (lines.length - 1) * LINE_HEIGHT - LABEL_GAP;
  const at = {
    x: Math.min(Math.max(x, LABEL_GAP), Math.max(LABEL_GAP, screen.width - width - LABEL_GAP)),
    y: Math.min(Math.max(bottom + LABEL_GAP, LINE_HEIGHT), Math.max(LINE_HEIGHT, lowest)),
  };
  return { lines, width, at };
}
