import { webAssembly } from '../pixels/codecs/webAssembly.ts';
import { readKernel } from '../../machine/workers/readKernel.ts';

/**
 * The functions of slab.kernel.ts: the largest or smallest sample of each column of `rows` rows that follow each other.
 * Addresses and lengths are in bytes of its memory, and `rowBytes` is a multiple of 16.
 */
type SlabFunctions = Readonly<
  Record<
    'maxSigned' | 'minSigned' | 'maxUnsigned' | 'minUnsigned',
    (from: number, rows: number, rowBytes: number, to: number) => void
  >
>;

/** Projects rows of 16-bit samples onto one. */
export interface SlabKernel {
  /** Where the samples of the rows are put before `project`; the rows have `rowSamples` each, of which `columns` count. */
  prepare(rows: number, columns: number): { readonly samples: Uint16Array; readonly rowSamples: number };
  /** The samples of the row; valid until the next call. */
  project(projection: 'max' | 'min', isSigned: boolean): Int16Array | Uint16Array;
}

const PAGE_BYTES = 65_536;
const VECTOR_SAMPLES = 8;

/** Undefined on a processor without vector instructions. */
export function createSlabKernel(): SlabKernel | undefined {
  const module = compile();
  if (module === undefined) return undefined;
  const memory = new webAssembly.Memory({ initial: 1 });
  const { exports } = new webAssembly.Instance(module, { env: { memory } });
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the functions of slab.kernel.ts
  const functions = exports as SlabFunctions;
  let size = { rows: 0, rowSamples: 0, columns: 0 };
  return {
    prepare(rows, columns) {
      const rowSamples = Math.ceil(columns / VECTOR_SAMPLES) * VECTOR_SAMPLES;
      const missing = 2 * (rows + 1) * rowSamples - memory.buffer.byteLength;
      if (missing > 0) memory.grow(Math.ceil(missing / PAGE_BYTES));
      size = { rows, rowSamples, columns };
      return { samples: new Uint16Array(memory.buffer, 0, rows * rowSamples), rowSamples };
    },
    project(projection, isSigned) {
      const { rows, rowSamples, columns } = size;
      const to = 2 * rows * rowSamples;
      const project = functions[`${projection}${isSigned ? 'Signed' : 'Unsigned'}`];
      project(0, rows, 2 * rowSamples, to);
      return new (isSigned ? Int16Array : Uint16Array)(memory.buffer, to, columns);
    },
  };
}

function compile(): object | undefined {
  const binary = readKernel('slab');
  try {
    return new webAssembly.Module(binary);
  } catch (error) {
    if (error instanceof webAssembly.CompileError) return undefined;
    throw error;
  }
}
