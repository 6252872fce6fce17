export function withLoader(bundle: { readonly path: string; readonly contents: Uint8Array }): {
  path: string;
  contents: Uint8Array;
}[];
export function writeCodeCache(dist: string, file: string): Promise<void>;
