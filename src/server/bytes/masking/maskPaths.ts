import { dirname, sep } from 'node:path';

/** Extensions that say what a file is. All others may be part of a name. */
const EXTENSIONS = /(\.(dcm|dicom|ima|img|hdr|nii|nrrd|nhdr|seg|npy|npz|png|gz|raw|zip|json|csv|txt|pdf))+$/i;
const ROOT = `${sep}masked`;

type Folder = {
  readonly masked: string;
  files: number;
  folders: number;
  lastStem: string | undefined;
};

/**
 * Numbers in place of the names of files and folders, which often are those of patients. They count in the order of the
 * walk, so that masked paths are in the same order as the original ones; files of a folder that differ in their
 * extension only, and follow one another, have the same number.
 */
export function createPathMask(): (path: string, input: string) => string {
  const folders = new Map<string, Folder>();
  const top: Folder = { masked: ROOT, files: 0, folders: 0, lastStem: undefined };

  function folderOf(path: string, root: string): Folder {
    const found = folders.get(path);
    if (found !== undefined) return found;
    const isBelow = path.length > root.length && path.startsWith(root);
    const parent = isBelow ? folderOf(dirname(path), root) : top;
    parent.folders += 1;
    const folder = {
      masked: `${parent.masked}${sep}Folder ${parent.folders}`,
      files: 0,
      folders: 0,
      lastStem: undefined,
    };
    folders.set(path, folder);
    return folder;
  }

  return (path, input) => {
    const isInside = path.startsWith(input.endsWith(sep) ? input : input + sep);
    const folder = folderOf(dirname(path), isInside ? input : dirname(input));
    const [extension = ''] = EXTENSIONS.exec(path) ?? [];
    const stem = path.slice(0, path.length - extension.length);
    if (stem !== folder.lastStem) folder.files += 1;
    folder.lastStem = stem;
    return `${folder.masked}${sep}File ${folder.files}${extension.toLowerCase()}`;
  };
}
