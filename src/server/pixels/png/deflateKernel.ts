import { webAssembly, type WebAssemblyMemory } from '../codecs/webAssembly.ts';
import {
  assembleModule,
  type Code,
  defineFunction,
  get,
  i32,
  i32Op,
  i64,
  i64Op,
  load16,
  load32,
  load64,
  load8,
  loadVector,
  set,
  simdOp,
  store32,
  store64,
  store8,
  storeVector,
  type Variable,
  when,
  whileTrue,
} from './assembleWasm.ts';

const { add, sub, mul, and, or, shl, shrU, remU, eqz, ltU, leU, geU, wrap } = i32Op;

/** Where things lie in the kernel's memory, in bytes. */
export const KERNEL_LAYOUT = {
  /** 286 entries of 4 bytes: the length of a symbol's code, and 6 bits further up the code. */
  codes: 0,
  /** Four tables of 286 counters of 4 bytes: what was counted of a symbol is the sum of all four. */
  counts: 2048,
  countTables: 4,
  countTableBytes: 2048,
  /** 259 entries of 4 bytes, by the length of a run: its symbol, and 16 bits up what follows that, as in `codes`. */
  runs: 10_240,
  /** What `emit` leaves over of a byte: the bits, and how many. */
  state: 12_288,
  /** 256 entries of 4 bytes: what a code is multiplied by to stand behind that of a byte. */
  steps: 13_312,
  /** 65,536 gray levels, for `lookUp`. */
  levels: 16_384,
  /** 65,536 entries of 4 bytes: the codes of two bytes together, as in `codes`, for `emit`. */
  pairs: 81_920,
  free: 344_064,
} as const;

/** Symbols of lengths begin here; 256 is the end of a block. */
export const END_OF_BLOCK = 256;
export const LONGEST_RUN = 258;
const SHORTEST_RUN = 3;

/** The loops over all bytes of a picture that make up most of the work of a PNG. RFC 1951 has the words. */
export type DeflateKernel = {
  readonly memory: WebAssemblyMemory;
  /** The gray level of each sample of two bytes. Up to seven more samples are read, and levels written. */
  lookUp(samples: number, count: number, to: number): void;
  /** Each row minus the one above it, with the number of that filter in front. The row above the first is read too. */
  filterUp(pixels: number, rows: number, bytesPerRow: number, to: number): void;
  /** The checksum of RFC 1950, going on from `state`. */
  adler32(at: number, length: number, state: number): number;
  /** Adds to the counts of the symbols that `emit` will write. */
  count(at: number, length: number): void;
  /** Two codes in one for each two bytes that have one. `emit` reads them. */
  pairUp(): void;
  /** Writes the symbols and the end of the block behind `bits`, and answers where the next byte goes. */
  emit(at: number, length: number, to: number, bits: number, bitCount: number): number;
};

const PAGE_BYTES = 65_536;

export function createDeflateKernel(bytes: number): DeflateKernel {
  const memory = new webAssembly.Memory({ initial: Math.ceil((KERNEL_LAYOUT.free + bytes) / PAGE_BYTES) });
  const module = new webAssembly.Module(assembleModule({ lookUp, filterUp, adler32, count, pairUp, emit }));
  const { exports } = new webAssembly.Instance(module, { env: { memory } });
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the functions of this file
  return { ...(exports as Omit<DeflateKernel, 'memory'>), memory };
}

const increment = (variable: Variable, by: Code): Code => set(variable, add(get(variable), by));

const EIGHT = [0, 1, 2, 3, 4, 5, 6, 7] as const;

const lookUp = defineFunction({
  parameters: { samples: 'i32', count: 'i32', to: 'i32' },
  locals: { end: 'i32' },
  body: ({ samples, count, to, end }) => [
    set(end, add(get(to), get(count))),
    whileTrue(ltU(get(to), get(end)), [
      ...EIGHT.map((i) => store8(get(to), load8(load16(get(samples), 2 * i), KERNEL_LAYOUT.levels), i)),
      increment(samples, i32(16)),
      increment(to, i32(8)),
    ]),
  ],
});

const FILTER_UP = 2;

/** Sixteen bytes at once; what is written beyond the end of a row is overwritten by the next. */
const filterUp = defineFunction({
  parameters: { pixels: 'i32', rows: 'i32', bytesPerRow: 'i32', to: 'i32' },
  locals: { column: 'i32', above: 'i32' },
  body: ({ pixels, rows, bytesPerRow, to, column, above }) => [
    whileTrue(get(rows), [
      store8(get(to), i32(FILTER_UP)),
      increment(to, i32(1)),
      set(above, sub(get(pixels), get(bytesPerRow))),
      set(column, i32(0)),
      whileTrue(ltU(get(column), get(bytesPerRow)), [
        storeVector(
          add(get(to), get(column)),
          simdOp.sub8(loadVector(add(get(pixels), get(column))), loadVector(add(get(above), get(column)))),
        ),
        increment(column, i32(16)),
      ]),
      increment(pixels, get(bytesPerRow)),
      increment(to, get(bytesPerRow)),
      set(rows, sub(get(rows), i32(1))),
    ]),
  ],
});

const ADLER_PRIME = 65_521;
/** In a block of so many bytes the sum of every sixteenth is a signed number of 16 bits. */
const ADLER_BLOCK = 2048;
const NO_LANES = simdOp.constant(Array.from({ length: 16 }, () => 0));
const descendingFrom = (first: number): Code =>
  simdOp.constant(Array.from({ length: 16 }, (_, i) => (i % 2 === 0 ? first - i / 2 : 0)));

const sumOfLanes = (vector: Variable): Code =>
  [0, 1, 2, 3].map((lane) => simdOp.lane32(get(vector), lane)).reduce((sum, lane) => add(sum, lane));

/**
 * Of sixteen bytes x0 to x15, the second sum grows by sixteen times the first, and by 16 x0 + 15 x1 + ... + x15.
 * `firsts` collects the bytes, `before` what that was before each sixteen, `low` and `high` all x0, all x1, and so on.
 */
const adler32 = defineFunction({
  parameters: { at: 'i32', length: 'i32', state: 'i32' },
  locals: {
    end: 'i32',
    stop: 'i32',
    a: 'i32',
    b: 'i32',
    bytes: 'v128',
    firsts: 'v128',
    before: 'v128',
    low: 'v128',
    high: 'v128',
  },
  result: 'i32',
  body: ({ at, length, state, end, stop, a, b, bytes, firsts, before, low, high }) => [
    set(a, and(get(state), i32(0xffff))),
    set(b, shrU(get(state), i32(16))),
    set(end, add(get(at), get(length))),
    whileTrue(leU(add(get(at), i32(16)), get(end)), [
      set(stop, sub(get(end), i32(15))),
      when(ltU(add(get(at), i32(ADLER_BLOCK)), get(stop)), [set(stop, add(get(at), i32(ADLER_BLOCK)))]),
      ...[firsts, before, low, high].map((each) => set(each, NO_LANES)),
      // Where this block began.
      set(length, get(at)),
      whileTrue(ltU(get(at), get(stop)), [
        set(bytes, loadVector(get(at))),
        set(before, simdOp.add32(get(before), get(firsts))),
        set(firsts, simdOp.add32(get(firsts), simdOp.pairs16(simdOp.pairs8(get(bytes))))),
        set(low, simdOp.add16(get(low), simdOp.low8(get(bytes)))),
        set(high, simdOp.add16(get(high), simdOp.high8(get(bytes)))),
        increment(at, i32(16)),
      ]),
      increment(b, mul(sub(get(at), get(length)), get(a))),
      set(low, simdOp.add32(simdOp.dot16(get(low), descendingFrom(16)), simdOp.dot16(get(high), descendingFrom(8)))),
      increment(b, add(shl(sumOfLanes(before), i32(4)), sumOfLanes(low))),
      increment(a, sumOfLanes(firsts)),
      set(a, remU(get(a), i32(ADLER_PRIME))),
      set(b, remU(get(b), i32(ADLER_PRIME))),
    ]),
    whileTrue(ltU(get(at), get(end)), [
      set(a, remU(add(get(a), load8(get(at))), i32(ADLER_PRIME))),
      set(b, remU(add(get(b), get(a)), i32(ADLER_PRIME))),
      increment(at, i32(1)),
    ]),
    or(shl(get(b), i32(16)), get(a)),
  ],
});

type Walk = {
  readonly at: Variable;
  readonly end: Variable;
  /** Set before `onZero` and `onRun`: the length of the run. */
  readonly run: Variable;
  readonly zeros: Variable;
  /** Eight bytes at `at`. */
  readonly onEight: readonly Code[];
  readonly onByte: readonly Code[];
  readonly onZero: readonly Code[];
  readonly onRun: readonly Code[];
};

/**
 * Both passes must find the same symbols. Eight zeros or more are one zero and runs of the byte before; everything else
 * is taken byte by byte. Medical pictures have hardly any other repetition that would be worth the search.
 */
function walk({ at, end, run, zeros, onEight, onByte, onZero, onRun }: Walk): readonly Code[] {
  const eightFit = leU(add(get(at), i32(8)), get(end));
  const longest = when(geU(get(zeros), i32(LONGEST_RUN)), [set(run, i32(LONGEST_RUN))], [set(run, get(zeros))]);
  const zeroRun: readonly Code[] = [
    set(zeros, get(at)),
    increment(at, i32(8)),
    // This may read a little beyond the end, where the memory goes on.
    whileTrue(and(eightFit, i64Op.eqz(load64(get(at)))), [increment(at, i32(8))]),
    whileTrue(and(ltU(get(at), get(end)), eqz(load8(get(at)))), [increment(at, i32(1))]),
    set(zeros, sub(sub(get(at), get(zeros)), i32(1))),
    ...onZero,
    whileTrue(geU(get(zeros), i32(SHORTEST_RUN)), [longest, ...onRun, set(zeros, sub(get(zeros), get(run)))]),
    whileTrue(get(zeros), [...onZero, set(zeros, sub(get(zeros), i32(1)))]),
  ];
  return [
    whileTrue(eightFit, [when(i64Op.eqz(load64(get(at))), zeroRun, [...onEight, increment(at, i32(8))])]),
    whileTrue(ltU(get(at), get(end)), [...onByte, increment(at, i32(1))]),
  ];
}

const timesFour = (index: Code): Code => shl(index, i32(2));

const count = defineFunction({
  parameters: { at: 'i32', length: 'i32' },
  locals: { end: 'i32', run: 'i32', zeros: 'i32', place: 'i32' },
  body: ({ at, length, end, run, zeros, place }) => {
    const countSymbol = (symbol: Code, table = 0): readonly Code[] => {
      const offset = KERNEL_LAYOUT.counts + table * KERNEL_LAYOUT.countTableBytes;
      return [set(place, timesFour(symbol)), store32(get(place), add(load32(get(place), offset), i32(1)), offset)];
    };
    return [
      set(end, add(get(at), get(length))),
      ...walk({
        at,
        end,
        run,
        zeros,
        // A table each: equal neighbours would have to wait for one another.
        onEight: EIGHT.flatMap((byte) => countSymbol(load8(get(at), byte), byte % KERNEL_LAYOUT.countTables)),
        onByte: countSymbol(load8(get(at))),
        onZero: countSymbol(i32(0)),
        onRun: countSymbol(and(load32(timesFour(get(run)), KERNEL_LAYOUT.runs), i32(0xffff))),
      }),
    ];
  },
});

/** An entry is the length of a code, and above these bits the code. */
export const LENGTH_BITS = 6;
/** Those of two bytes and their length are 32 bits. */
export const LONGEST_CODE = 13;

/** The second byte's code behind the first one's. A code is moved up by a multiplication: vectors have no shift by lane. */
const pairUp = defineFunction({
  parameters: {},
  locals: { first: 'i32', second: 'i32', entry: 'i32', to: 'i32', length: 'v128', code: 'v128', moved: 'v128' },
  body: ({ first, second, entry, to, length, code, moved }) => [
    whileTrue(ltU(get(second), i32(4 * 256)), [
      set(entry, load32(get(second), KERNEL_LAYOUT.codes)),
      when(
        get(entry),
        [
          set(length, simdOp.splat32(and(get(entry), i32(2 ** LENGTH_BITS - 1)))),
          set(code, simdOp.splat32(shrU(get(entry), i32(LENGTH_BITS)))),
          set(first, i32(0)),
          whileTrue(ltU(get(first), i32(4 * 256)), [
            set(moved, simdOp.mul32(get(code), loadVector(get(first), KERNEL_LAYOUT.steps))),
            set(moved, simdOp.add32(get(moved), get(length))),
            storeVector(
              get(to),
              simdOp.add32(loadVector(get(first), KERNEL_LAYOUT.codes), get(moved)),
              KERNEL_LAYOUT.pairs,
            ),
            increment(first, i32(16)),
            increment(to, i32(16)),
          ]),
        ],
        [increment(to, i32(4 * 256))],
      ),
      increment(second, i32(4)),
    ]),
  ],
});

/** Four codes and 7 bits of before fit into 64. */
const emit = defineFunction({
  parameters: { at: 'i32', length: 'i32', to: 'i32', firstBits: 'i32', firstCount: 'i32' },
  locals: { end: 'i32', run: 'i32', zeros: 'i32', entry: 'i64', bits: 'i64', bitCount: 'i64' },
  result: 'i32',
  body: ({ at, length, to, firstBits, firstCount, end, run, zeros, entry, bits, bitCount }) => {
    // Of `bitCount` only the lowest 6 bits count, as in a shift. So a whole entry can be added to it for its length.
    const append = (value: Code): readonly Code[] => [
      set(entry, value),
      set(bits, i64Op.or(get(bits), i64Op.shl(i64Op.shrU(get(entry), i64(LENGTH_BITS)), get(bitCount)))),
      set(bitCount, i64Op.add(get(bitCount), get(entry))),
    ];
    const entryOf = (index: Code, table: number): Code => i64Op.extendU(load32(timesFour(index), table));
    const appendSymbol = (symbol: Code): readonly Code[] => append(entryOf(symbol, KERNEL_LAYOUT.codes));
    const appendPair = (place: number): readonly Code[] => append(entryOf(load16(get(at), place), KERNEL_LAYOUT.pairs));
    const flush: readonly Code[] = [
      store64(get(to), get(bits)),
      set(bitCount, i64Op.and(get(bitCount), i64(63))),
      increment(to, wrap(i64Op.shrU(get(bitCount), i64(3)))),
      set(bits, i64Op.shrU(get(bits), i64Op.and(get(bitCount), i64(56)))),
      set(bitCount, i64Op.and(get(bitCount), i64(7))),
    ];
    const runEntry = load32(timesFour(get(run)), KERNEL_LAYOUT.runs);
    return [
      set(end, add(get(at), get(length))),
      set(bits, i64Op.extendU(get(firstBits))),
      set(bitCount, i64Op.extendU(get(firstCount))),
      ...walk({
        at,
        end,
        run,
        zeros,
        onEight: [...appendPair(0), ...appendPair(2), ...flush, ...appendPair(4), ...appendPair(6), ...flush],
        onByte: [...appendSymbol(load8(get(at))), ...flush],
        onZero: [...appendSymbol(i32(0)), ...flush],
        onRun: [
          ...appendSymbol(and(runEntry, i32(0xffff))),
          ...append(i64Op.extendU(shrU(runEntry, i32(16)))),
          ...flush,
        ],
      }),
      ...appendSymbol(i32(END_OF_BLOCK)),
      ...flush,
      store32(i32(KERNEL_LAYOUT.state), wrap(get(bits))),
      store32(i32(KERNEL_LAYOUT.state + 4), wrap(get(bitCount))),
      get(to),
    ];
  },
});
