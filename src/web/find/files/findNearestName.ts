/** The name that the fewest changed letters lead to, regardless of case; undefined if none is near. */
export function findNearestName(wanted: string, names: readonly string[]): string | undefined {
  const most = Math.max(1, Math.floor(wanted.length / 3));
  let nearest: { readonly name: string; readonly changes: number } | undefined;
  for (const name of names) {
    const changes = countChanges(wanted.toLowerCase(), name.toLowerCase());
    if (changes <= most && changes < (nearest?.changes ?? Infinity)) nearest = { name, changes };
  }
  return nearest?.name;
}

/** The Levenshtein distance. */
function countChanges(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, n) => n);
  for (let i = 1; i <= a.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const replaced = row[j - 1]! + Number(a[i - 1] !== b[j - 1]);
      next.push(Math.min(replaced, row[j]! + 1, next[j - 1]! + 1));
    }
    row = next;
  }
  return row[b.length]!;
}
