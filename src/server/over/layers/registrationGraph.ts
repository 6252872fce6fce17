import type { DicomFile } from '../../images/catalog/dicomFile.ts';
import type { WorkInTurns } from '../../machine/workers/doInTurns.ts';
import type { BridgeStep, RegistrationItem, RegistrationRecord } from './registrationTasks.ts';
import { differenceMm, invert, multiply } from './rigidMotion.ts';

/** Frames of reference, connected by registrations in both directions. */
export interface RegistrationGraph {
  /**
   * Why nothing is connected with a frame of reference, or the two are not connected with each other, although
   * registrations are open.
   */
  findProblem(from: string, to?: string): string | undefined;
  /** All other frames of reference that can be reached, the nearest first. */
  listReachable(from: string): readonly string[];
  /**
   * The shortest ways between two frames of reference that lead to different places; none if nothing connects them, and
   * one if the user prefers it.
   */
  findBridges(from: string, to: string): Bridges;
  /** The same without the user's decisions. */
  listBridges(from: string, to: string): Bridges;
}

/** A way over registrations. Rigid ones that follow each other are one step. */
export type Bridge = { readonly steps: readonly BridgeStep[]; readonly via: readonly DicomFile[] };

export type Bridges = {
  readonly bridges: readonly Bridge[];
  /** Whether others lead to yet other places. */
  readonly hasMore: boolean;
};

export type GraphOptions = {
  /** By file, those that decide between ways which lead to different places. */
  readonly preferred?: ReadonlySet<number>;
  /** Called for each step that a search takes. */
  readonly onStep?: () => void;
};

/** Each registration adds its own error. */
const MOST_STEPS = 3;
/** More ways than a message can name. */
const MOST_BRIDGES = 4;
/** Ways that differ less are the same: writers round matrices. */
const SAME_MM = 0.01;
/**
 * Bounds each search, because files decide how many there are: a search takes each connection in one direction, and at
 * most once for each of the ways to its beginning that are kept. With so many, it takes up to five milliseconds. Those
 * that are not connected with each other, as those of different patients, do not count together.
 */
const MOST_CONNECTIONS = 1_024;
const TOO_MANY_CONNECTIONS = `more than ${MOST_CONNECTIONS} registrations connect this frame of reference with others, directly and indirectly`;
/** Ways of earlier searches that are kept; each has a matrix. */
const MOST_KEPT_WAYS = 16_384;
/** Connections of groups that were searched and are kept for the next search. */
const MOST_KEPT_CONNECTIONS = 4_096;

type Registration = { readonly file: DicomFile; readonly record: RegistrationRecord };
/** A registration in one direction; `rank` is the same in both. */
type Edge = { readonly rank: number; readonly step: BridgeStep; readonly file: DicomFile; readonly back: BridgeStep };
type Edges = { readonly edges: Edge[]; hasMore: boolean };
type Way = {
  readonly edges: readonly Edge[];
  readonly steps: readonly BridgeStep[];
  /** By which ways of the same length are ordered. */
  readonly order: number;
};
type Ways = { readonly ways: readonly Way[]; readonly hasMore: boolean };
type Search = { readonly found: ReadonlyMap<string, Ways>; readonly reachable: readonly string[] };

/** Frames of reference that are connected with each other, directly and indirectly. */
type Group = { readonly connections: Connection[] };
type Connection = { readonly file: DicomFile; readonly registered: string; readonly item: RegistrationItem };

export function* connect(
  registrations: readonly Registration[],
  options: GraphOptions = {},
): WorkInTurns<RegistrationGraph> {
  const { preferred = new Set(), onStep = () => undefined } = options;
  const groups = yield* groupConnections(registrations);
  const ways = createKept<string, Search>(MOST_KEPT_WAYS);
  const neighbours = createKept<Group, Neighbours>(MOST_KEPT_CONNECTIONS);

  const isTooLarge = ({ connections }: Group) => connections.length > MOST_CONNECTIONS;

  /** The ways from one frame of reference to all others of its group. */
  function search(from: string, group: Group): Search {
    return ways.take(from, () => {
      const { connections } = group;
      const ofGroup = neighbours.take(group, () => ({ made: buildNeighbours(connections), size: connections.length }));
      const made = searchAll(from, ofGroup, onStep);
      return { made, size: [...made.found.values()].reduce((sum, { ways: { length } }) => sum + length, 0) };
    });
  }

  const listBridges = (from: string, to: string): Bridges => {
    const group = groups.get(from);
    if (from === to || group === undefined || group !== groups.get(to) || isTooLarge(group)) return NONE;
    // Many layers are placed in the frame of reference of one image, and one layer in those of many images.
    const isKnown = ways.has(from);
    const found = isKnown ? search(from, group).found.get(to) : search(to, group).found.get(from);
    const { ways: all, hasMore } = found ?? NO_WAYS;
    return { bridges: all.map((way) => toBridge(isKnown ? way : turnBack(way))), hasMore };
  };

  const countPreferred = ({ via }: Bridge) => via.filter(({ index }) => preferred.has(index)).length;

  return {
    findProblem(from, to = from) {
      const group = groups.get(from);
      return group !== undefined && group === groups.get(to) && isTooLarge(group) ? TOO_MANY_CONNECTIONS : undefined;
    },
    listBridges,
    findBridges(from, to) {
      const all = listBridges(from, to);
      const most = all.bridges.reduce((highest, bridge) => Math.max(highest, countPreferred(bridge)), 0);
      const best = most === 0 ? [] : all.bridges.filter((bridge) => countPreferred(bridge) === most);
      return best.length === 1 ? { bridges: best, hasMore: false } : all;
    },
    listReachable(from) {
      const group = groups.get(from);
      return group === undefined || isTooLarge(group) ? [] : search(from, group).reachable;
    },
  };
}

/** The graph if the registrations cannot be followed. */
export function connectNothing(problem: string): RegistrationGraph {
  return { findProblem: () => problem, listReachable: () => [], findBridges: () => NONE, listBridges: () => NONE };
}

const NONE: Bridges = { bridges: [], hasMore: false };
const NO_WAYS: Ways = { ways: [], hasMore: false };

type Neighbours = ReadonlyMap<string, ReadonlyMap<string, Edges>>;

/** The group of each frame of reference. */
function* groupConnections(registrations: readonly Registration[]): WorkInTurns<ReadonlyMap<string, Group>> {
  const parents = new Map<string, string>();
  const rootOf = (uid: string): string => {
    let root = uid;
    for (let next = parents.get(root); next !== undefined && next !== root; next = parents.get(root)) {
      // Each points to the one after its next, so that the way is half as long for the next call.
      const after = parents.get(next) ?? next;
      parents.set(root, after);
      root = after;
    }
    if (!parents.has(root)) parents.set(root, root);
    return root;
  };
  for (const { record } of registrations) {
    const { frameOfReferenceUid: registered = '', items } = record;
    for (const { frameOfReferenceUid: uid } of items) {
      yield;
      parents.set(rootOf(uid), rootOf(registered));
    }
  }
  const groups = new Map<string, Group>();
  for (const uid of parents.keys()) {
    yield;
    const root = rootOf(uid);
    const group = groups.get(root) ?? { connections: [] };
    groups.set(root, group);
    groups.set(uid, group);
  }
  for (const { file, record } of registrations) {
    const { frameOfReferenceUid: registered = '', items } = record;
    for (const item of items) {
      yield;
      groups.get(registered)!.connections.push({ file, registered, item });
    }
  }
  return groups;
}

type Made<Value> = { readonly made: Value; readonly size: number };

/** Values that are made when they are first asked for. Beyond the size, the oldest are made again. */
function createKept<Key, Value>(most: number) {
  const kept = new Map<Key, Made<Value>>();
  let size = 0;
  return {
    has: (key: Key) => kept.has(key),
    take(key: Key, make: () => Made<Value>): Value {
      const known = kept.get(key);
      if (known !== undefined) return known.made;
      const next = make();
      kept.set(key, next);
      size += next.size;
      for (const [oldest, { size: freed }] of kept) {
        if (size <= most || oldest === key) break;
        kept.delete(oldest);
        size -= freed;
      }
      return next.made;
    },
  };
}

function buildNeighbours(connections: readonly Connection[]): Neighbours {
  const neighbours = new Map<string, Map<string, Edges>>();
  const edgesOf = (from: string, to: string): Edges => {
    const ofFrom = neighbours.get(from) ?? new Map<string, Edges>();
    neighbours.set(from, ofFrom);
    const edges = ofFrom.get(to) ?? { edges: [], hasMore: false };
    ofFrom.set(to, edges);
    return edges;
  };
  let rank = 0;
  for (const { file, registered, item } of connections) {
    const { frameOfReferenceUid: uid, matrix, deformableItem } = item;
    const deformable = { kind: 'deformable', source: file.source, item: deformableItem ?? 0 } as const;
    const step: BridgeStep =
      deformableItem === undefined ? { kind: 'matrix', matrix } : { ...deformable, isForward: false };
    const there = edgesOf(uid, registered);
    const back = edgesOf(registered, uid);
    if (there.edges.some((known) => isSame([known.step], [step]))) continue;
    if (there.edges.length === MOST_BRIDGES) {
      there.hasMore = true;
      back.hasMore = true;
      continue;
    }
    const edge = { rank, step, file, back: invertStep(step) };
    there.edges.push(edge);
    back.edges.push(turn(edge));
    rank += 1;
  }
  return neighbours;
}

/**
 * Goes from the start to all neighbours, from these to all of theirs, and so on. Only a few ways that lead to different
 * places are kept to each frame of reference, the first by their ranks. Ranks order ways in the same way in both
 * directions, and with the same continuation as without it: none of the ways that are kept at the end can begin with
 * one that was not kept.
 */
function searchAll(from: string, neighbours: Neighbours, onStep: () => void): Search {
  const found = new Map<string, Ways>([[from, { ways: [{ edges: [], steps: [], order: 0 }], hasMore: false }]]);
  let ends = [from];
  for (let step = 0; step < MOST_STEPS; step += 1) {
    const next = new Map<string, { longer: LongerWay[]; hasMore: boolean }>();
    for (const end of ends) {
      const { ways, hasMore } = found.get(end)!;
      for (const [to, connection] of neighbours.get(end) ?? []) {
        if (found.has(to)) continue;
        const known = next.get(to) ?? { longer: [], hasMore: false };
        next.set(to, known);
        known.hasMore ||= hasMore || connection.hasMore;
        for (const before of ways) {
          for (const edge of connection.edges) {
            onStep();
            known.longer.push({ before, edge, order: orderOf(before.edges, edge) });
          }
        }
      }
    }
    for (const [to, { longer, hasMore }] of next) {
      const ordered = longer.toSorted((a, b) => a.order - b.order);
      const kept: Way[] = [];
      let isMore = hasMore;
      for (const { before, edge, order } of ordered) {
        const steps = append(before.steps, edge.step);
        if (kept.some((way) => isSame(way.steps, steps))) continue;
        if (kept.length < MOST_BRIDGES) kept.push({ edges: [...before.edges, edge], steps, order });
        else isMore = true;
      }
      found.set(to, { ways: kept, hasMore: isMore });
    }
    ends = [...next.keys()];
  }
  return { found, reachable: [...found.keys()].slice(1) };
}

type LongerWay = { readonly before: Way; readonly edge: Edge; readonly order: number };

/** The ranks of all edges as the digits of one number, the highest first. */
function orderOf(edges: readonly Edge[], { rank }: Edge): number {
  const ranks = [...edges.map((edge) => edge.rank), rank].toSorted((a, b) => b - a);
  return ranks.reduce((order, one) => order * MOST_CONNECTIONS + one, 0);
}

function append(steps: readonly BridgeStep[], next: BridgeStep): BridgeStep[] {
  const last = steps.at(-1);
  if (last?.kind !== 'matrix' || next.kind !== 'matrix') return [...steps, next];
  return [...steps.slice(0, -1), { kind: 'matrix', matrix: multiply(next.matrix, last.matrix) }];
}

/** Whether two ways lead to the same place. What different deformable registrations do is never compared. */
function isSame(a: readonly BridgeStep[], b: readonly BridgeStep[]): boolean {
  if (a.length !== b.length) return false;
  return a.every((step, at) => {
    const other = b[at]!;
    if (step.kind === 'matrix') return other.kind === 'matrix' && differenceMm(step.matrix, other.matrix) < SAME_MM;
    if (other.kind === 'matrix' || step.source !== other.source) return false;
    return step.item === other.item && step.isForward === other.isForward;
  });
}

function toBridge({ edges, steps }: Way): Bridge {
  return { steps, via: edges.map(({ file }) => file) };
}

function turnBack({ edges, order }: Way): Way {
  const back = edges.toReversed().map(turn);
  return { edges: back, order, steps: back.reduce<BridgeStep[]>((steps, { step }) => append(steps, step), []) };
}

function turn({ step, back, ...edge }: Edge): Edge {
  return { ...edge, step: back, back: step };
}

/** The same step in the other direction. */
export function invertStep(step: BridgeStep): BridgeStep {
  return step.kind === 'matrix'
    ? { kind: 'matrix', matrix: invert(step.matrix) }
    : { ...step, isForward: !step.isForward };
}
