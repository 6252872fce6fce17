/**
 * A request target without the prefix under which a proxy serves the viewer, if the proxy does not remove it.
 * Empty: it is the prefix without its slash, by which the relative addresses of the page would lead elsewhere. Undefined: it
 * is not below the prefix.
 */
export function cutBasePath(target: string, basePath: string): string | undefined {
  if (basePath === '') return target;
  if (target === basePath || target.startsWith(`${basePath}?`)) return '';
  return target.startsWith(`${basePath}/`) ? target.slice(basePath.length) : undefined;
}
