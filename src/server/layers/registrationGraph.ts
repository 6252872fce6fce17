import type { DicomFile } from '../catalog/dicomFile.ts';
import type { BridgeStep, RegistrationRecord } from './registrationTasks.ts';
import { differenceMm, invert, matrixOfSteps } from './rigidMotion.ts';

/** Frames of reference, connected by registrations in both directions. */
export interface RegistrationGraph {
  /** All other frames of reference that can be reached, the nearest first. */
  listReachable(from: string): readonly string[];
  /**
   * The shortest ways between two frames of reference that lead to different places; none if nothing connects them, and
   * one if the user prefers it.
   */
  findBridges(from: string, to: string): readonly Bridge[];
  /** The same without the user's decisions. */
  listBridges(from: string, to: string): readonly Bridge[];
}

/** A way over registrations. */
export type Bridge = { readonly steps: readonly BridgeStep[]; readonly via: readonly DicomFile[] };

/** Each registration adds its own error. */
const MOST_STEPS = 3;
/** More ways than a message can name. */
const MOST_BRIDGES = 4;
/** Ways that differ less are the same: writers round matrices. */
const SAME_MM = 0.01;

type Edge = { readonly to: string; readonly step: BridgeStep; readonly file: DicomFile };
type Registration = { readonly file: DicomFile; readonly record: RegistrationRecord };

/** Those in `preferred`, by file, decide between ways that lead to different places. */
export function connect(
  registrations: readonly Registration[],
  preferred: ReadonlySet<number> = new Set(),
): RegistrationGraph {
  const edges = new Map<string, Edge[]>();
  const add = (from: string, edge: Edge) => {
    const known = edges.get(from);
    if (known === undefined) edges.set(from, [edge]);
    else known.push(edge);
  };
  for (const { file, record } of registrations) {
    const { frameOfReferenceUid: registered, items } = record;
    for (const { frameOfReferenceUid: uid, matrix, deformableItem: item } of items) {
      // The item of the object's own frame of reference says nothing.
      if (registered === undefined || uid === registered) continue;
      const deformable = { kind: 'deformable', source: file.source, item: item ?? 0 } as const;
      const [to, back]: BridgeStep[] =
        item === undefined
          ? [
              { kind: 'matrix', matrix },
              { kind: 'matrix', matrix: invert(matrix) },
            ]
          : [
              { ...deformable, isForward: false },
              { ...deformable, isForward: true },
            ];
      add(uid, { to: registered, step: to!, file });
      add(registered, { to: uid, step: back!, file });
    }
  }

  const listBridges = (from: string, to: string): readonly Bridge[] => {
    let ways: { readonly at: string; readonly visited: readonly string[]; readonly edges: readonly Edge[] }[] = [
      { at: from, visited: [from], edges: [] },
    ];
    for (let step = 0; step < MOST_STEPS; step += 1) {
      ways = ways
        .flatMap((way) =>
          (edges.get(way.at) ?? [])
            .filter((edge) => !way.visited.includes(edge.to))
            .map((edge) => ({ at: edge.to, visited: [...way.visited, edge.to], edges: [...way.edges, edge] })),
        )
        .slice(0, MOST_WAYS);
      const arrived = ways.filter(({ at }) => at === to);
      if (arrived.length > 0) {
        return keepDifferent(
          arrived.map((way) => ({
            steps: way.edges.map((edge) => edge.step),
            via: way.edges.map(({ file }) => file),
          })),
        );
      }
    }
    return [];
  };

  const countPreferred = ({ via }: Bridge) => via.filter(({ index }) => preferred.has(index)).length;

  return {
    listBridges,
    findBridges(from, to) {
      const bridges = listBridges(from, to);
      const most = bridges.reduce((highest, bridge) => Math.max(highest, countPreferred(bridge)), 0);
      const best = most === 0 ? [] : bridges.filter((bridge) => countPreferred(bridge) === most);
      return best.length === 1 ? best : bridges;
    },
    listReachable(from) {
      const seen = new Set([from]);
      let ends = [from];
      for (let step = 0; step < MOST_STEPS; step += 1) {
        ends = [...new Set(ends.flatMap((uid) => (edges.get(uid) ?? []).map(({ to }) => to)))].filter(
          (uid) => !seen.has(uid),
        );
        for (const uid of ends) seen.add(uid);
      }
      return [...seen].slice(1);
    },
  };
}

/** Bounds the search in a graph that somebody made to be large. */
const MOST_WAYS = 4096;

/** Ways of the same matrix are one. Deformable ones are never compared. */
function keepDifferent(bridges: readonly Bridge[]): Bridge[] {
  const kept: Bridge[] = [];
  for (const bridge of bridges) {
    const matrix = matrixOfSteps(bridge.steps);
    const isKnown = kept.some((other) => {
      const known = matrixOfSteps(other.steps);
      return matrix !== undefined && known !== undefined && differenceMm(matrix, known) < SAME_MM;
    });
    if (!isKnown && kept.length < MOST_BRIDGES) kept.push(bridge);
  }
  return kept;
}
