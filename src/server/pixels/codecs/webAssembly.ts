/** The part of WebAssembly that we use: the type libraries know it only as a part of the browser's. */
type WebAssemblyGlobal = {
  readonly RuntimeError: new (message?: string) => Error;
  instantiate(binary: Uint8Array, imports: object): Promise<{ readonly instance: { readonly exports: object } }>;
};

export type WebAssemblyMemory = { readonly buffer: ArrayBuffer };

// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- every Node has it
export const { WebAssembly: webAssembly } = globalThis as unknown as { readonly WebAssembly: WebAssemblyGlobal };
