export type PackedFile = { readonly name: string; readonly bytes: Uint8Array };
export function listFiles(folder: string): PackedFile[];
export function checkManifest(manifest: Readonly<Record<string, unknown>>, files: readonly PackedFile[]): string[];
