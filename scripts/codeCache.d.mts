export const LOADER_IMPORT: string;
export function withLoader(bundle: { readonly path: string; readonly contents: Uint8Array }): {
  path: string;
  contents: Uint8Array;
}[];
export function removeOldCode(written: readonly string[]): void;
export function writeCodeCache(dist: string, file: string): Promise<void>;
