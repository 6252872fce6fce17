/** A strong HTTP validator, including its quotes (RFC 9110, 8.8.3). */
export type EntityTag = `"${string}"`;

export function entityTag(instance: string, revision: number): EntityTag {
  return `"${instance}-${revision}"`;
}

/** If-Match (RFC 9110, 13.1.1): `*`, or a list of tags. The comparison is strong, so a weak tag never matches. */
export function matchesEntityTag(ifMatch: string, current: EntityTag): boolean {
  const text = ifMatch.trim();
  return text === '*' || text.split(',').some((tag) => tag.trim() === current);
}
