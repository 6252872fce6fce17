export type FilesPage = { readonly since: number; readonly limit: number };

/** The first request of the page. */
export const FIRST_FILES_PAGE: FilesPage = { since: 0, limit: 1_000 };

/** Relative, because a path from the root breaks behind a proxy that adds a prefix. */
export function filesPath({ since, limit }: FilesPage): `api/${string}` {
  return `api/files?since=${since}&limit=${limit}`;
}
