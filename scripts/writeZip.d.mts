export function writeZip(files: readonly { readonly name: string; readonly bytes: Uint8Array }[]): Buffer;
