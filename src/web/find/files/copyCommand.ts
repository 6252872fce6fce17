/** Folders that are named one by one; of more, the folder that all of them are in is named. */
const MOST_FOLDERS = 4;

/**
 * The command line that writes copies of files without identifiers. A page cannot make the server write files, so the user
 * runs it where the files are. `paths` are those of the files, or more; the condition says which of them are copied.
 */
export function writeCopyCommand(paths: Iterable<string>, where: string | undefined): string {
  const folders = new Set<string>();
  let isWindows = false;
  for (const path of paths) {
    const at = Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\'));
    isWindows ||= /^[A-Za-z]:\\/.test(path);
    folders.add(path.slice(0, at) || '/');
  }
  const named = folders.size <= MOST_FOLDERS ? [...folders] : [commonFolder(folders)];
  const quote = isWindows ? quoteForWindows : quoteForShell;
  const condition = where === undefined || where === '' ? [] : ['--where', quote(where)];
  return ['negato', 'deidentify', ...named.map(quote), '--out', 'COPIES', ...condition].join(' ');
}

/** Files of an archive have its name in their paths, and those on other machines have an address. */
function commonFolder(folders: ReadonlySet<string>): string {
  let common: readonly string[] | undefined;
  for (const folder of folders) {
    const parts = folder.split(/(?<=[/\\])/);
    const known: readonly string[] = common ?? parts;
    const same = known.findIndex((part, at) => strip(part) !== strip(parts[at] ?? ''));
    common = same < 0 ? known : known.slice(0, same);
  }
  const text = (common ?? []).join('').replace(/(?<=.)[/\\]$/, '');
  return text === '' ? '/' : text;
}

function strip(part: string): string {
  return part.replace(/[/\\]$/, '');
}

function quoteForShell(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

function quoteForWindows(text: string): string {
  return /^[\w@+=:,./\\-]+$/.test(text) ? text : `"${text.replaceAll('"', String.raw`\"`)}"`;
}
