/**
 * File IDs are upper case, but a copied medium often has lower case names, and some systems keep the version number of
 * ISO 9660 (`IM1.;1`).
 */
export function looseName(name: string): string {
  return name.toLowerCase().replace(/\.?(;\d+)?$/, '');
}

/** Whether a file may be the DICOMDIR of the medium. */
export function isMediaDirectoryName(name: string): boolean {
  // Most names are told apart by their first letter.
  const first = name.codePointAt(0);
  return (first === 0x44 || first === 0x64) && looseName(name) === 'dicomdir';
}
