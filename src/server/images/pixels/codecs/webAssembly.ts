/** The part of the WebAssembly API that is used here: the type libraries declare it only for browsers. */
type WebAssemblyGlobal = {
  readonly CompileError: new (message?: string) => Error;
  readonly RuntimeError: new (message?: string) => Error;
  readonly Memory: new (size: { readonly initial: number }) => WebAssemblyMemory;
  readonly Module: new (binary: Uint8Array) => object;
  readonly Instance: new (module: object, imports: object) => { readonly exports: object };
  instantiate(binary: Uint8Array, imports: object): Promise<{ readonly instance: { readonly exports: object } }>;
};

export type WebAssemblyMemory = {
  /** Replaced when the memory grows. */
  readonly buffer: ArrayBuffer;
  grow(pages: number): number;
};

// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- every Node has it
export const { WebAssembly: webAssembly } = globalThis as unknown as { readonly WebAssembly: WebAssemblyGlobal };
