import { KNOWN_OPTIONS } from './options.ts';

/**
 * The option that a mistyped one most likely meant, if any is close enough: two letters, or a third of them, may
 * differ.
 */
export function suggestFlag(typed: string): string | undefined {
  return nearestFlag(
    typed,
    KNOWN_OPTIONS.map(({ flag }) => flag),
  );
}

export function nearestFlag(typed: string, flags: readonly string[]): string | undefined {
  const ranked = flags.map((flag) => ({ flag, distance: editDistance(typed.slice(0, 40), flag) }));
  const nearest = ranked.toSorted((a, b) => a.distance - b.distance)[0];
  if (!nearest || nearest.distance > Math.max(2, nearest.flag.length / 3)) return undefined;
  return nearest.flag;
}

/** Levenshtein distance: letters inserted, removed or replaced. */
function editDistance(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, column) => column);
  for (const [line, letter] of Array.from(from).entries()) {
    const next = [line + 1];
    for (let column = 1; column <= to.length; column++) {
      const replaced = row[column - 1]! + (letter === to[column - 1] ? 0 : 1);
      next.push(Math.min(replaced, row[column]! + 1, next[column - 1]! + 1));
    }
    row = next;
  }
  return row[to.length]!;
}
