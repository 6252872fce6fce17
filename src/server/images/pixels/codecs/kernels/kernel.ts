import { readKernel } from '../../../../machine/workers/readKernel.ts';
import { webAssembly, type WebAssemblyMemory } from '../webAssembly.ts';

/** A compiled kernel. */
export type Kernel<Functions> = {
  /** Runs `work` with at least `bytes` of memory, whose content is undefined. What it returns must not be in there. */
  use<Result>(bytes: number, work: (functions: Functions, memory: Uint8Array<ArrayBuffer>) => Result): Result;
};

/** Memory up to this size is kept for the next frame. Memory of a kernel never shrinks. */
const MOST_KEPT_BYTES = 8 * 2 ** 20;
const PAGE_BYTES = 65_536;

type Running<Functions> = { readonly functions: Functions; readonly memory: WebAssemblyMemory };

/** Compiles `name.kernel.ts` when it is first asked for; undefined on a processor without vector instructions. */
// oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- only the caller knows the functions
export function createKernel<Functions>(name: string): () => Kernel<Functions> | undefined {
  let kernel: Kernel<Functions> | undefined | 'none';
  return () => {
    kernel ??= compile<Functions>(name) ?? 'none';
    return kernel === 'none' ? undefined : kernel;
  };
}

function compile<Functions>(name: string): Kernel<Functions> | undefined {
  let module: object;
  try {
    module = new webAssembly.Module(readKernel(name));
  } catch (error) {
    if (error instanceof webAssembly.CompileError) return undefined;
    throw error;
  }
  const start = (pages: number): Running<Functions> => {
    const memory = new webAssembly.Memory({ initial: pages });
    const { exports } = new webAssembly.Instance(module, { env: { memory } });
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the functions of this very kernel
    return { functions: exports as Functions, memory };
  };
  let kept: Running<Functions> | undefined;
  return {
    use(bytes, work) {
      const pages = Math.ceil(bytes / PAGE_BYTES);
      const { functions, memory } = bytes > MOST_KEPT_BYTES ? start(pages) : (kept ??= start(pages));
      const missing = pages - memory.buffer.byteLength / PAGE_BYTES;
      if (missing > 0) memory.grow(missing);
      return work(functions, new Uint8Array(memory.buffer));
    },
  };
}
