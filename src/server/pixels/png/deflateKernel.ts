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
  /** 286 entries of 4 bytes: the code of a symbol, and 16 bits further up its length. */
  codes: 0,
  /** Four tables of 286 counters of 4 bytes: what was counted of a symbol is the sum of all four. */
  counts: 2048,
  countTables: 4,
  countTableBytes: 2048,
  /** 259 entries of 4 bytes, by the length of a run: symbol, 16 bits up the number of extra bits, 24 up these bits. */
  runs: 10_240,
  /** What `emit` leaves over of a byte: the bits, and how many. */
  state: 12_288,
  /** 65,536 gray levels, for `lookUp`. */
  levels: 16_384,
  free: 81_920,
} as const;

/** Symbols of lengths begin here; 256 is the end of a block. */
export const END_OF_BLOCK = 256;
export const LONGEST_RUN = 258;
const SHORTEST_RUN = 3;

/** The loops over all bytes of a picture that make up most of the work of a PNG. RFC 1951 has the words. */
export type DeflateKernel = {
  readonly memory: WebAssemblyMemory;
  /** The gray level of each sample of two bytes. Up to three more samples are read, and levels written. */
  lookUp(samples: number, count: number, to: number): void;
  /** Each row minus the one above it, with the number of that filter in front. The row above the first is read too. */
  filterUp(pixels: number, rows: number, bytesPerRow: number, to: number): void;
  /** The checksum of RFC 1950, going on from `state`. */
  adler32(at: number, length: number, state: number): number;
  /** Adds to the counts of the symbols that `emit` will write. */
  count(at: number, length: number): void;
  /** Writes the symbols and the end of the block behind `bits`, and answers where the next byte goes. */
  emit(at: number, length: number, to: number, bits: number, bitCount: number): number;
};

const PAGE_BYTES = 65_536;

export function createDeflateKernel(bytes: number): DeflateKernel {
  const memory = new webAssembly.Memory({ initial: Math.ceil((KERNEL_LAYOUT.free + bytes) / PAGE_BYTES) });
  const module = new webAssembly.Module(assembleModule({ lookUp, filterUp, adler32, count, emit }));
  const { exports } = new webAssembly.Instance(module, { env: { memory } });
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the functions of this file
  return { ...(exports as Omit<DeflateKernel, 'memory'>), memory };
}

const increment = (variable: Variable, by: Code): Code => set(variable, add(get(variable), by));

const levelOf = (sample: Code): Code => load8(sample, KERNEL_LAYOUT.levels);
const levelsOfPair = (pair: Variable): Code =>
  or(levelOf(and(get(pair), i32(0xffff))), shl(levelOf(shrU(get(pair), i32(16))), i32(8)));

/** Two samples a load and four levels a store. */
const lookUp = defineFunction({
  parameters: { samples: 'i32', count: 'i32', to: 'i32' },
  locals: { end: 'i32', first: 'i32', second: 'i32' },
  body: ({ samples, count, to, end, first, second }) => [
    set(end, add(get(to), get(count))),
    whileTrue(ltU(get(to), get(end)), [
      set(first, load32(get(samples))),
      set(second, load32(get(samples), 4)),
      store32(get(to), or(levelsOfPair(first), shl(levelsOfPair(second), i32(16)))),
      increment(samples, i32(8)),
      increment(to, i32(4)),
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
/** No sum of a block of so many bytes exceeds 32 bits. */
const ADLER_BLOCK = 2048;
const NO_LANES = simdOp.constant(Array.from({ length: 16 }, () => 0));
const DESCENDING = simdOp.constant(Array.from({ length: 16 }, (_, i) => 16 - i));

const sumOfLanes = (vector: Variable): Code =>
  [0, 1, 2, 3].map((lane) => simdOp.lane32(get(vector), lane)).reduce((sum, lane) => add(sum, lane));

/**
 * Of sixteen bytes x0 to x15, the second sum grows by sixteen times the first, and by 16 x0 + 15 x1 + ... + x15.
 * `firsts` collects the bytes, `before` what that was before each sixteen, `weighted` the products.
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
    weighted: 'v128',
  },
  result: 'i32',
  body: ({ at, length, state, end, stop, a, b, bytes, firsts, before, weighted }) => [
    set(a, and(get(state), i32(0xffff))),
    set(b, shrU(get(state), i32(16))),
    set(end, add(get(at), get(length))),
    whileTrue(leU(add(get(at), i32(16)), get(end)), [
      set(stop, sub(get(end), i32(15))),
      when(ltU(add(get(at), i32(ADLER_BLOCK)), get(stop)), [set(stop, add(get(at), i32(ADLER_BLOCK)))]),
      ...[firsts, before, weighted].map((each) => set(each, NO_LANES)),
      // Where this block began.
      set(length, get(at)),
      whileTrue(ltU(get(at), get(stop)), [
        set(bytes, loadVector(get(at))),
        set(before, simdOp.add32(get(before), get(firsts))),
        set(firsts, simdOp.add32(get(firsts), simdOp.pairs16(simdOp.pairs8(get(bytes))))),
        set(weighted, simdOp.add32(get(weighted), simdOp.pairs16(simdOp.mulLow8(get(bytes), DESCENDING)))),
        set(weighted, simdOp.add32(get(weighted), simdOp.pairs16(simdOp.mulHigh8(get(bytes), DESCENDING)))),
        increment(at, i32(16)),
      ]),
      increment(b, mul(sub(get(at), get(length)), get(a))),
      increment(b, add(shl(sumOfLanes(before), i32(4)), sumOfLanes(weighted))),
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
  /** Four bytes, each with its place: they are at `at` + place. */
  readonly onFour: readonly Code[];
  readonly onByte: readonly Code[];
  readonly onZero: readonly Code[];
  readonly onRun: readonly Code[];
};

/**
 * Both passes must find the same symbols. Eight zeros or more are one zero and runs of the byte before; everything else
 * is taken byte by byte. Medical pictures have hardly any other repetition that would be worth the search.
 */
function walk({ at, end, run, zeros, onFour, onByte, onZero, onRun }: Walk): Code {
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
  return whileTrue(ltU(get(at), get(end)), [
    when(
      eightFit,
      [when(i64Op.eqz(load64(get(at))), zeroRun, [...onFour, increment(at, i32(4))])],
      [...onByte, increment(at, i32(1))],
    ),
  ]);
}

const timesFour = (index: Code): Code => shl(index, i32(2));
const FOUR = [0, 1, 2, 3] as const;

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
      walk({
        at,
        end,
        run,
        zeros,
        // A table each: equal neighbours would have to wait for one another.
        onFour: FOUR.flatMap((byte) => countSymbol(load8(get(at), byte), byte)),
        onByte: countSymbol(load8(get(at))),
        onZero: countSymbol(i32(0)),
        onRun: countSymbol(and(load32(timesFour(get(run)), KERNEL_LAYOUT.runs), i32(0xffff))),
      }),
    ];
  },
});

/** Codes have at most 14 bits, so four of them and 7 bits of before fit into 64. */
const emit = defineFunction({
  parameters: { at: 'i32', length: 'i32', to: 'i32', firstBits: 'i32', firstCount: 'i32' },
  locals: { end: 'i32', run: 'i32', zeros: 'i32', entry: 'i32', bits: 'i64', bitCount: 'i64' },
  result: 'i32',
  body: ({ at, length, to, firstBits, firstCount, end, run, zeros, entry, bits, bitCount }) => {
    const append = (value: Code, size: Code): readonly Code[] => [
      set(bits, i64Op.or(get(bits), i64Op.shl(i64Op.extendU(value), get(bitCount)))),
      set(bitCount, i64Op.add(get(bitCount), i64Op.extendU(size))),
    ];
    const appendSymbol = (symbol: Code): readonly Code[] => [
      set(entry, load32(timesFour(symbol), KERNEL_LAYOUT.codes)),
      ...append(and(get(entry), i32(0xffff)), shrU(get(entry), i32(16))),
    ];
    const flush: readonly Code[] = [
      store64(get(to), get(bits)),
      increment(to, wrap(i64Op.shrU(get(bitCount), i64(3)))),
      set(bits, i64Op.shrU(get(bits), i64Op.and(get(bitCount), i64(56)))),
      set(bitCount, i64Op.and(get(bitCount), i64(7))),
    ];
    const runEntry = load32(timesFour(get(run)), KERNEL_LAYOUT.runs);
    return [
      set(end, add(get(at), get(length))),
      set(bits, i64Op.extendU(get(firstBits))),
      set(bitCount, i64Op.extendU(get(firstCount))),
      walk({
        at,
        end,
        run,
        zeros,
        onFour: [...FOUR.flatMap((byte) => appendSymbol(load8(get(at), byte))), ...flush],
        onByte: [...appendSymbol(load8(get(at))), ...flush],
        onZero: [...appendSymbol(i32(0)), ...flush],
        onRun: [
          ...appendSymbol(and(runEntry, i32(0xffff))),
          set(entry, runEntry),
          // The one distance, 1, has a code of one bit, which is 0.
          ...append(shrU(get(entry), i32(24)), add(and(shrU(get(entry), i32(16)), i32(0xff)), i32(1))),
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
