/** Links to files, and what they lead to. */
export interface LinkTargets<Folder> {
  /** The target of a link; undefined if it is not known as one. */
  find(path: string): string | undefined;
  add(path: string, target: string, folder: Folder): void;
  remove(path: string): void;
  /** The links that lead to a file, by their paths, with their folders. */
  linksTo(target: string): ReadonlyMap<string, Folder>;
}

export function createLinkTargets<Folder>(): LinkTargets<Folder> {
  const targets = new Map<string, string>();
  const links = new Map<string, Map<string, Folder>>();
  return {
    find: (path) => targets.get(path),
    add(path, target, folder) {
      targets.set(path, target);
      links.set(target, (links.get(target) ?? new Map<string, Folder>()).set(path, folder));
    },
    remove(path) {
      const target = targets.get(path);
      if (target === undefined) return;
      targets.delete(path);
      const paths = links.get(target);
      paths?.delete(path);
      if (paths?.size === 0) links.delete(target);
    },
    linksTo: (target) => links.get(target) ?? new Map<string, Folder>(),
  };
}
