/** Links to files, and what they lead to. */
export function createLinkTargets<Folder>() {
  const targets = new Map<string, string>();
  const links = new Map<string, Map<string, Folder>>();
  return {
    /** The target of a link; undefined if it is not known as one. */
    find: (path: string) => targets.get(path),
    add(path: string, target: string, folder: Folder) {
      targets.set(path, target);
      links.set(target, (links.get(target) ?? new Map<string, Folder>()).set(path, folder));
    },
    remove(path: string) {
      const target = targets.get(path);
      if (target === undefined) return;
      targets.delete(path);
      const paths = links.get(target);
      paths?.delete(path);
      if (paths?.size === 0) links.delete(target);
    },
    /** The links that lead to a file, by their paths, with their folders. */
    linksTo: (target: string): ReadonlyMap<string, Folder> => links.get(target) ?? new Map<string, Folder>(),
  };
}
