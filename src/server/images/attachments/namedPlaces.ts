import { sep } from 'node:path';
import { type KnownSource, placeOf, placeOfInput } from '../../bytes/origins/origins.ts';

/** What the user has named with `--overlay`. */
export type NamedPlaces = {
  /** Number of paths. */
  readonly count: number;
  /** Resolves to a function for the number of the path that is this source or that it is in; undefined for all others. */
  locate(): Promise<(source: KnownSource) => number | undefined>;
};

/** Places, because paths in the catalog are labels, which a masked run replaces. */
export function createNamedPlaces(paths: readonly string[]): NamedPlaces {
  let places: Promise<ReadonlyMap<string, number>> | undefined;
  return {
    count: paths.length,
    async locate() {
      places ??= findPlaces(paths);
      const known = await places;
      return (source) => (known.size === 0 ? undefined : findNamed(placeOf(source), known));
    },
  };
}

async function findPlaces(paths: readonly string[]): Promise<ReadonlyMap<string, number>> {
  const places = new Map<string, number>();
  for (const [at, path] of paths.entries()) {
    const folder = withoutEnd(await placeOfInput(path));
    if (!places.has(folder)) places.set(folder, at);
  }
  return places;
}

function withoutEnd(path: string): string {
  return path.endsWith('/') || path.endsWith(sep) ? path.slice(0, -1) : path;
}

/** The place itself, then what it is in: folders, and archives, behind whose path there is a `!`. */
function findNamed(place: string, known: ReadonlyMap<string, number>): number | undefined {
  const own = known.get(place);
  if (own !== undefined) return own;
  for (let at = place.length - 1; at >= 0; at -= 1) {
    const letter = place[at];
    if (letter !== '/' && letter !== sep && letter !== '!') continue;
    const found = known.get(place.slice(0, at));
    if (found !== undefined) return found;
  }
  return undefined;
}
