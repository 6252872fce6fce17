import type { RoiBox } from '../../../../shared/contract/annotations.ts';
import { haveSameItems } from '../../../kit/state/haveSameItems.ts';
import type { PictureChoice, Tile, TileIndex } from '../../../kit/state/shownTiles.ts';
import type { Rectangle } from '../../../kit/state/viewState.ts';
import type { RoiMark } from './roi.ts';

/**
 * How a box on a slide is stored on tiles, and found again.
 *
 * A box is cut at the edges of the tiles of its level. Parts that lie at the same place of their tile become one ROI
 * that lists its frames, so that a box over any number of tiles on a grid is nine ROIs at most. The ROIs of a box
 * follow each other in their file, ordered by their first tile, row by row. The reader takes, from the front, the
 * longest run of ROIs that equals the stored form of some box.
 *
 * Two boxes that meet at the edge of a tile could be read as one. Their order in the file keeps them apart: the one
 * that lies before the other is listed after it. Where a level is split into several files, a box can have parts in
 * several files, which are joined in the same way. Two boxes that meet at the edge of two files have no order; the ROIs
 * of one of them are then listed three times in a row (or 7, or 15), because only parts that are listed equally
 * often are joined.
 */
export type SlideUnit<M extends RoiMark = RoiMark> = {
  /** In pixels of the level. Undefined for a ROI that applies to each of its tiles separately. */
  readonly box: Rectangle | undefined;
  readonly picture: PictureChoice | undefined;
  /** By file, in their order there. The first part identifies the unit. */
  readonly parts: readonly UnitPart<M>[];
};

export type UnitPart<M extends RoiMark = RoiMark> = { readonly fileIndex: number; readonly marks: readonly M[] };

/** The ROIs of the files of one level. */
export type LevelMarks<M extends RoiMark> = ReadonlyMap<number, readonly M[]>;

/** The stored form of a box; empty where there are no tiles. */
export function cutBox(box: Rectangle, picture: PictureChoice, index: TileIndex): readonly UnitPart[] {
  const files = new Map<number, Map<string, { box: RoiBox; frames: number[] }>>();
  for (const tile of index.list(box, picture)) {
    const piece = cutAtTile(box, tile);
    if (piece === undefined) continue;
    const marks = files.get(tile.fileIndex) ?? new Map<string, { box: RoiBox; frames: number[] }>();
    files.set(tile.fileIndex, marks);
    const key = piece.join(' ');
    const known = marks.get(key);
    if (known === undefined) marks.set(key, { box: piece, frames: [tile.frame] });
    else known.frames.push(tile.frame);
  }
  return [...files].map(([fileIndex, marks]) => ({
    fileIndex,
    marks: [...marks.values()].map(({ box: own, frames }) => ({
      box: own,
      // An empty list means all frames.
      frames: frames.length === index.frameCountOf(fileIndex) ? [] : frames.toSorted((a, b) => a - b),
    })),
  }));
}

/** The part of a box that lies on tiles, which is the part that can be stored. */
export function fitToTiles(box: Rectangle, picture: PictureChoice, index: TileIndex): Rectangle | undefined {
  const pieces = index.list(box, picture).flatMap((tile) => intersect(box, tile) ?? []);
  return pieces.length === 0 ? undefined : boundingOf(pieces);
}

/** All units of a level, by file, in the order of their first ROI. */
export function readUnits<M extends RoiMark>(marks: LevelMarks<M>, index: TileIndex): readonly SlideUnit<M>[] {
  const runs = [...marks].flatMap(([fileIndex, own]) => readFile(fileIndex, own, index));
  return joinFiles(runs, index);
}

/** Number of units of which a file has at least a part. */
export function countUnits(fileIndex: number, marks: readonly RoiMark[], index: TileIndex): number {
  return readUnits(new Map([[fileIndex, marks]]), index).length;
}

/** A run of ROIs of one file. */
type Run<M extends RoiMark> = SlideUnit<M> & {
  readonly fileIndex: number;
  /** Each ROI once, as `cutBox` would write it. */
  readonly canonical: readonly RoiMark[];
  readonly edges: Edges | undefined;
  /** How often the run is listed. Parts of one box are listed equally often. */
  readonly repeats: number;
};

type PlacedMark<M> = {
  readonly mark: M;
  readonly picture: PictureChoice;
  readonly first: Tile;
  readonly box: Rectangle;
  readonly edges: Edges | undefined;
  readonly frames: readonly number[];
  /** As `cutBox` would write it. */
  readonly canonical: RoiMark;
};

/** The edges of a box where they do not coincide with those of a tile. They are the same for all parts of one box. */
type Edges = {
  readonly left: number | undefined;
  readonly top: number | undefined;
  readonly right: number | undefined;
  readonly bottom: number | undefined;
};

/** On a grid a box is nine ROIs at most; tiles in an irregular arrangement need more. */
const MOST_IN_RUN = 64;

function readFile<M extends RoiMark>(fileIndex: number, marks: readonly M[], index: TileIndex): Run<M>[] {
  const runs: Run<M>[] = [];
  for (let at = 0; at < marks.length;) {
    const found = readRun(fileIndex, marks, at, index);
    const length = found?.placed.length ?? 1;
    const picture = found?.placed[0]?.picture;
    const repeats = picture !== undefined && isShared(picture, index) ? countRepeats(marks, at, length) : 1;
    const taken = marks.slice(at, at + repeats * length);
    runs.push({
      fileIndex,
      box: found?.box,
      picture,
      canonical: found?.placed.map(({ canonical }) => canonical) ?? [],
      parts: [{ fileIndex, marks: taken }],
      edges: found && joinEdges(found.placed.map(({ edges }) => edges)),
      repeats,
    });
    at += taken.length;
  }
  return runs;
}

/**
 * How often the ROIs of a box can be listed. Each is more than the smaller ones together, so that equal ROIs of boxes
 * that are listed differently often are told apart. Twice is excluded, because two boxes with a common part look like
 * that.
 */
const REPEATS = [15, 7, 3, 1] as const;

function countRepeats(marks: readonly RoiMark[], at: number, length: number): number {
  const isRepeated = (times: number) => {
    const all = marks.slice(at, at + times * length);
    return all.length === times * length && all.slice(length).every(isSameAs(all));
  };
  return REPEATS.find(isRepeated) ?? 1;
}

function isShared(picture: PictureChoice, index: TileIndex): boolean {
  return index.filesOf(picture).length > 1;
}

function isSameAs(others: readonly RoiMark[]) {
  return (mark: RoiMark, at: number) => keyOfMark(mark) === keyOfMark(others[at]!);
}

type FoundRun<M> = { readonly placed: readonly PlacedMark<M>[]; readonly box: Rectangle };

/** The longest run from here that equals the stored form of a box; undefined for a ROI on separate tiles. */
function readRun<M extends RoiMark>(
  fileIndex: number,
  marks: readonly M[],
  at: number,
  index: TileIndex,
): FoundRun<M> | undefined {
  const run: PlacedMark<M>[] = [];
  let found: FoundRun<M> | undefined;
  for (const mark of marks.slice(at, at + MOST_IN_RUN)) {
    const placed = placeMark(fileIndex, mark, index);
    if (placed === undefined || !canFollow(run, placed)) break;
    run.push(placed);
    const box = boundingOf(run.map((one) => one.box));
    const isAlone = run.length === 1 && placed.frames.length === 1;
    if (isAlone || isStoredAs(fileIndex, run, box, index)) found = { placed: [...run], box };
  }
  return found;
}

function placeMark<M extends RoiMark>(fileIndex: number, mark: M, index: TileIndex): PlacedMark<M> | undefined {
  const count = index.frameCountOf(fileIndex);
  if (mark.frames.length === 0 && count > MOST_FRAMES) return undefined;
  // An empty list means all frames.
  const frames = mark.frames.length === 0 ? Array.from({ length: count }, (_, frame) => frame) : mark.frames;
  const [ymin, xmin, ymax, xmax] = mark.box;
  const places = frames.map((frame) => index.place({ fileIndex, frame }));
  const [start] = places;
  if (start === undefined) return undefined;
  const edges: (Edges | undefined)[] = [];
  const boxes: Rectangle[] = [];
  let first = start.tile;
  for (const place of places) {
    if (place === undefined || !isSamePicture(place.picture, start.picture)) return undefined;
    const { tile } = place;
    const [x, y] = [tile.x - tile.fromX, tile.y - tile.fromY];
    const box = { x: x + xmin, y: y + ymin, width: xmax - xmin, height: ymax - ymin };
    boxes.push(box);
    edges.push(edgesOf(box, tile));
    if (isBefore(tile, first)) first = tile;
  }
  const canonical = { box: mark.box, frames: frames.length === count ? [] : frames };
  return { mark, picture: start.picture, first, box: boundingOf(boxes), edges: joinEdges(edges), frames, canonical };
}

/** A ROI on all of more frames than this cannot be a box drawn by a user. */
const MOST_FRAMES = 65_536;

function edgesOf({ x, y, width, height }: Rectangle, tile: Tile): Edges {
  return {
    left: x > tile.x ? x : undefined,
    top: y > tile.y ? y : undefined,
    right: x + width < tile.x + tile.width ? x + width : undefined,
    bottom: y + height < tile.y + tile.height ? y + height : undefined,
  };
}

const SIDES = ['left', 'top', 'right', 'bottom'] as const;

/** Undefined where they contradict each other. */
function joinEdges(all: readonly (Edges | undefined)[]): Edges | undefined {
  const joined: Record<(typeof SIDES)[number], number | undefined> = {
    left: undefined,
    top: undefined,
    right: undefined,
    bottom: undefined,
  };
  for (const edges of all) {
    if (edges === undefined) return undefined;
    for (const side of SIDES) {
      if (edges[side] === undefined) continue;
      if (joined[side] !== undefined && joined[side] !== edges[side]) return undefined;
      joined[side] = edges[side];
    }
  }
  return joined;
}

/** A quick check that rejects most ROIs, because most do not continue the one before. */
function canFollow<M extends RoiMark>(run: readonly PlacedMark<M>[], next: PlacedMark<M>): boolean {
  const last = run.at(-1);
  if (last === undefined) return true;
  return (
    isSamePicture(last.picture, next.picture) &&
    isBefore(last.first, next.first) &&
    joinEdges([...run.map(({ edges }) => edges), next.edges]) !== undefined &&
    // Equal ones would have been stored as one ROI.
    run.every(({ mark }) => String(mark.box) !== String(next.mark.box))
  );
}

function isStoredAs<M extends RoiMark>(
  fileIndex: number,
  run: readonly PlacedMark<M>[],
  box: Rectangle,
  index: TileIndex,
): boolean {
  const [start] = run;
  if (start === undefined || start.edges === undefined) return false;
  const own = cutBox(box, start.picture, index).find((part) => part.fileIndex === fileIndex)?.marks ?? [];
  return own.length === run.length && own.every((mark, at) => isSameMark(mark, run[at]!.canonical));
}

function isSameMark(mark: RoiMark, { box, frames }: RoiMark): boolean {
  return (
    String(mark.box) === String(box) &&
    mark.frames.length === frames.length &&
    mark.frames.every((frame, at) => frame === frames[at])
  );
}

/** Joins the boxes whose parts are in several files. */
function joinFiles<M extends RoiMark>(runs: readonly Run<M>[], index: TileIndex): readonly SlideUnit<M>[] {
  const open = runs.filter(({ box, picture }) => box && picture && isShared(picture, index));
  if (new Set(open.map(({ fileIndex }) => fileIndex)).size < 2) return runs;
  const joined = new Map<Run<M>, SlideUnit<M> | undefined>();
  for (const run of open) {
    if (joined.has(run)) continue;
    const rest = open.filter((other) => other === run || (!joined.has(other) && other.fileIndex !== run.fileIndex));
    const group = findGroup(run, rest, index);
    if (group === undefined) continue;
    for (const member of group) joined.set(member, undefined);
    const box = boundingOf(group.flatMap((member) => member.box ?? []));
    joined.set(run, { box, picture: run.picture, parts: group.flatMap((member) => member.parts) });
  }
  return runs.flatMap((run) => (joined.has(run) ? (joined.get(run) ?? []) : [run]));
}

/** The largest box that spans this run and another one and has all of its parts. */
function findGroup<M extends RoiMark>(run: Run<M>, rest: readonly Run<M>[], index: TileIndex) {
  const boxes = rest
    .filter(
      ({ picture, edges, repeats }) =>
        repeats === run.repeats && isSamePicture(run.picture, picture) && joinEdges([run.edges, edges]) !== undefined,
    )
    .map((other) => boundingOf([run, other].flatMap((member) => member.box ?? [])))
    .toSorted((a, b) => b.width * b.height - a.width * a.height);
  for (const box of boxes) {
    const parts = run.picture === undefined ? [] : cutBox(box, run.picture, index);
    if (parts.length < 2) continue;
    const group = parts.map(({ fileIndex, marks }) =>
      rest.find(
        (other) => other.fileIndex === fileIndex && other.repeats === run.repeats && isSameRun(other.canonical, marks),
      ),
    );
    const found = group.filter((member) => member !== undefined);
    if (found.length === parts.length && found.includes(run)) return found;
  }
  return undefined;
}

function isSameRun(own: readonly RoiMark[], marks: readonly RoiMark[]): boolean {
  return own.length === marks.length && own.every(isSameAs(marks));
}

export type UnitChange<M extends RoiMark> = {
  readonly index: TileIndex;
  /** The unit that is removed or replaced. */
  readonly before: SlideUnit<M> | undefined;
  /** The unit that replaces it. */
  readonly after: SlideUnit<M> | undefined;
};

/** Returns the ROIs of the files after a change, in an order in which reading them gives exactly the changed units. */
export function changeUnits<M extends RoiMark>(marks: LevelMarks<M>, change: UnitChange<M>): LevelMarks<M> {
  const { index, after } = change;
  const units = readUnits(marks, index);
  const before = change.before && findUnit(units, change.before);
  const kept = units.filter((unit) => unit !== before);
  const wanted = listKeys(after === undefined ? kept : [...kept, after]);
  const isRight = (lists: LevelMarks<M>) => haveSameItems(listKeys(readUnits(lists, index)), wanted);
  let first: LevelMarks<M> | undefined;
  for (const lists of listOrders(marks, units, { ...change, before })) {
    first ??= lists;
    if (isRight(lists)) return lists;
  }
  return first ?? marks;
}

/** Candidate orders, those with the fewest changes first. */
function* listOrders<M extends RoiMark>(
  marks: LevelMarks<M>,
  units: readonly SlideUnit<M>[],
  { index, before, after }: UnitChange<M>,
): Generator<LevelMarks<M>> {
  const files = new Map([...marks.keys()].map((file) => [file, listSegments(file, units)]));
  const build = (added: SlideUnit<M> | undefined, placeIn: (file: number, count: number) => number) =>
    new Map(
      [...files].map(([file, segments]) => {
        const others = segments.filter(({ unit }) => unit !== before);
        const own = added?.parts.find(({ fileIndex }) => fileIndex === file)?.marks ?? [];
        const place = placeIn(file, others.length);
        const lists = others.map((segment) => segment.marks);
        return [file, [...lists.slice(0, place), own, ...lists.slice(place)].flat()];
      }),
    );
  const placeBefore = (file: number, count: number) => {
    const place = files.get(file)?.findIndex(({ unit }) => unit === before) ?? -1;
    return place < 0 ? count : place;
  };
  yield build(after, placeBefore);
  const home = after?.parts[0]?.fileIndex;
  for (let back = 0; back < MOST_PLACES; back++) {
    yield build(after, (file, count) => (file === home ? Math.max(0, count - back) : count));
  }
  for (const repeats of REPEATS.toReversed()) {
    const repeated = after && repeatUnit(after, index, repeats);
    yield build(repeated, placeBefore);
    yield build(repeated, (_, count) => count);
  }
  const all = [...units.filter((unit) => unit !== before), ...(after === undefined ? [] : [after])];
  for (const repeats of REPEATS.toReversed()) {
    const own = all.map((unit) => (isShort(unit) ? repeatUnit(unit, index, repeats) : unit));
    yield inDescendingOrder([...files.keys()], own, index);
  }
  // Each unit is listed as often as it takes to be told apart from those before it.
  const chosen: SlideUnit<M>[] = [];
  for (const unit of all) {
    const wanted = listKeys([...chosen, unit]);
    const isRight = (candidate: SlideUnit<M>) => {
      const lists = inDescendingOrder([...files.keys()], [...chosen, candidate], index);
      return haveSameItems(listKeys(readUnits(lists, index)), wanted);
    };
    const candidates = REPEATS.toReversed().map((repeats) => repeatUnit(unit, index, repeats));
    chosen.push(candidates.find(isRight) ?? unit);
  }
  yield inDescendingOrder([...files.keys()], chosen, index);
}

/**
 * In descending order, nothing that comes later in a file can continue what comes before it. The order is that of the
 * parts in each file: a box that begins before another one can have its part in the next file after it.
 */
function inDescendingOrder<M extends RoiMark>(
  files: readonly number[],
  units: readonly SlideUnit<M>[],
  index: TileIndex,
): LevelMarks<M> {
  return new Map(
    files.map((file) => {
      const placed = listSegments(file, units).map(({ marks }) => ({ marks, tile: firstTile(file, marks, index) }));
      // The longest first: one that begins like it would otherwise be taken for a repetition.
      const sorted = placed.toSorted((a, b) => compareTiles(b.tile, a.tile) || b.marks.length - a.marks.length);
      return [file, sorted.flatMap(({ marks }) => marks)];
    }),
  );
}

/** Whether the unit lies in one file. */
function isShort({ parts }: SlideUnit): boolean {
  return parts.length === 1;
}

const MOST_PLACES = 64;

function listSegments<M extends RoiMark>(file: number, units: readonly SlideUnit<M>[]) {
  return units.flatMap((unit) =>
    unit.parts.filter(({ fileIndex }) => fileIndex === file).map(({ marks }) => ({ unit, marks })),
  );
}

/** Lists the unit `repeats` times if its level is split into several files. */
function repeatUnit<M extends RoiMark>(unit: SlideUnit<M>, index: TileIndex, repeats: number): SlideUnit<M> {
  if (unit.picture === undefined || !isShared(unit.picture, index)) return unit;
  const repeat = (marks: readonly M[]) => Array.from({ length: repeats }, () => onceOf(marks)).flat();
  return { ...unit, parts: unit.parts.map((part) => ({ ...part, marks: repeat(part.marks) })) };
}

function onceOf<M extends RoiMark>(marks: readonly M[]): readonly M[] {
  const times = REPEATS.find(
    (count) => marks.length % count === 0 && countRepeats(marks, 0, marks.length / count) === count,
  );
  return marks.slice(0, marks.length / (times ?? 1));
}

function firstTile(file: number, [mark]: readonly RoiMark[], index: TileIndex): Tile | undefined {
  return mark && placeMark(file, mark, index)?.first;
}

function compareTiles(a: Tile | undefined, b: Tile | undefined): number {
  if (a === undefined || b === undefined) return Number(a === undefined) - Number(b === undefined);
  return a.y - b.y || a.x - b.x || a.fileIndex - b.fileIndex || a.frame - b.frame;
}

function isBefore(a: Tile, b: Tile): boolean {
  return compareTiles(a, b) < 0;
}

function findUnit<M extends RoiMark>(units: readonly SlideUnit<M>[], wanted: SlideUnit<M>) {
  // Units that are listed several times can share ROIs with others.
  const isStored = (unit: SlideUnit<M>) => unit.parts[0]?.marks[0] === wanted.parts[0]?.marks[0];
  const isEqual = (unit: SlideUnit<M>) => keyOfUnit(unit) === keyOfUnit(wanted);
  return units.find((unit) => isStored(unit) && isEqual(unit)) ?? units.find(isStored) ?? units.find(isEqual);
}

function listKeys(units: readonly SlideUnit[]): readonly string[] {
  return units.map(keyOfUnit).toSorted();
}

/** Identifies the content of a unit regardless of where it is stored. */
export function keyOfUnit({ box, picture, parts }: SlideUnit): string {
  if (box === undefined) {
    return parts.map(({ fileIndex, marks }) => `${fileIndex}: ${marks.map(keyOfMark).join()}`).join('; ');
  }
  return `${box.x} ${box.y} ${box.width} ${box.height} of ${JSON.stringify(picture)}`;
}

function keyOfMark({ box, frames }: RoiMark): string {
  return `${box.join(' ')} on ${frames.join(' ')}`;
}

export function isSamePicture(a: PictureChoice | undefined, b: PictureChoice | undefined): boolean {
  return a?.path === b?.path && isSamePlane(a, b);
}

/** Compares heights where both are known, otherwise the order of the planes. */
export function isSamePlane(a: PictureChoice | undefined, b: PictureChoice | undefined): boolean {
  if (a?.planeUm === undefined || b?.planeUm === undefined) return a?.planeIndex === b?.planeIndex;
  return a.planeUm === b.planeUm;
}

function cutAtTile(box: Rectangle, tile: Tile): RoiBox | undefined {
  const piece = intersect(box, tile);
  if (piece === undefined) return undefined;
  const [x, y] = [piece.x - tile.x + tile.fromX, piece.y - tile.y + tile.fromY];
  return [y, x, y + piece.height, x + piece.width];
}

function intersect(a: Rectangle, b: Rectangle): Rectangle | undefined {
  const [left, top] = [Math.max(a.x, b.x), Math.max(a.y, b.y)];
  const [right, bottom] = [Math.min(a.x + a.width, b.x + b.width), Math.min(a.y + a.height, b.y + b.height)];
  return right > left && bottom > top ? { x: left, y: top, width: right - left, height: bottom - top } : undefined;
}

function boundingOf(boxes: readonly Rectangle[]): Rectangle {
  let [left, top, right, bottom] = [Infinity, Infinity, -Infinity, -Infinity];
  for (const { x, y, width, height } of boxes) {
    left = Math.min(left, x);
    top = Math.min(top, y);
    right = Math.max(right, x + width);
    bottom = Math.max(bottom, y + height);
  }
  return { x: left, y: top, width: right - left, height: bottom - top };
}
