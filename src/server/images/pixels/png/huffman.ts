/** Number of bits in the code of each symbol, 0 for symbols that do not occur. */
export type CodeLengths = Uint8Array;

const LONGEST_LENGTH = 15;

/**
 * Lengths of a prefix code for symbols that occur less than 2^24 times: short for frequent ones, none longer than
 * `longest`. At least two symbols get a code, because readers refuse an incomplete code.
 */
export function buildCodeLengths(counts: Uint32Array, longest: number): CodeLengths {
  const symbols = rarestFirst(counts);
  const depths = treeDepths(symbols, counts);
  limitDepths(depths, longest);
  const lengths = new Uint8Array(counts.length);
  for (let i = 0; i < symbols.length; i++) lengths[symbols[i]!] = depths[i]!;
  return lengths;
}

/** The symbols that get a code, rarest first. */
function rarestFirst(counts: Uint32Array): Uint16Array {
  let symbols = new Uint16Array(Math.max(counts.length, 2));
  let length = 0;
  let bits = 0;
  for (let symbol = 0; symbol < counts.length; symbol++) {
    if (counts[symbol]! > 0) symbols[length++] = symbol;
    bits |= counts[symbol]!;
  }
  for (let spare = 0; length < 2; spare++) if (counts[spare] === 0) symbols[length++] = spare;
  symbols = symbols.subarray(0, length);
  for (let shift = 0; bits >>> shift > 0; shift += 8) symbols = sortByByte(symbols, counts, shift);
  return symbols;
}

/** One step of a radix sort. It avoids comparisons, every second of which a processor would mispredict. */
function sortByByte(symbols: Uint16Array, counts: Uint32Array, shift: number): Uint16Array<ArrayBuffer> {
  const starts = new Uint16Array(257);
  for (const symbol of symbols) starts[((counts[symbol]! >>> shift) & 0xff) + 1]! += 1;
  for (let byte = 0; byte < 256; byte++) starts[byte + 1]! += starts[byte]!;
  const sorted = new Uint16Array(symbols.length);
  for (const symbol of symbols) sorted[starts[(counts[symbol]! >>> shift) & 0xff]!++] = symbol;
  return sorted;
}

/** The depth of each leaf after joining the two lightest nodes until one is left. The lightest leaf comes first. */
function treeDepths(symbols: Uint16Array, counts: Uint32Array): Uint8Array {
  const leaves = symbols.length;
  const nodes = new Float64Array(2 * leaves - 1);
  for (let leaf = 0; leaf < leaves; leaf++) nodes[leaf] = counts[symbols[leaf]!]!;
  const parents = new Int32Array(nodes.length);
  // Joined nodes are also created in ascending order, so the lightest node is at the front of one of two queues.
  let leaf = 0;
  let joined = leaves;
  for (let node = leaves; node < nodes.length; node++) {
    for (let child = 0; child < 2; child++) {
      const isLeaf = leaf < leaves && (joined >= node || nodes[leaf]! <= nodes[joined]!);
      const lightest = isLeaf ? leaf++ : joined++;
      parents[lightest] = node;
      nodes[node]! += nodes[lightest]!;
    }
  }
  const depths = new Uint8Array(nodes.length);
  for (let node = nodes.length - 2; node >= 0; node--) depths[node] = depths[parents[node]!]! + 1;
  return depths.subarray(0, leaves);
}

/**
 * Limits depths to `longest`. A code of length n covers 2^-n of all bit sequences, and all codes together must cover
 * them exactly. Shortening the deep codes covers too much, so other rare symbols are made longer; any remainder is then
 * used to shorten frequent ones. The rarest symbol comes first.
 */
function limitDepths(depths: Uint8Array, longest: number): void {
  const whole = 1 << longest;
  let taken = 0;
  for (let i = 0; i < depths.length; i++) {
    depths[i] = Math.min(depths[i]!, longest);
    taken += 1 << (longest - depths[i]!);
  }
  for (let i = 0; taken > whole; i++) {
    for (; taken > whole && depths[i]! < longest; taken -= 1 << (longest - depths[i]!)) depths[i]! += 1;
  }
  for (let i = depths.length - 1; i >= 0 && taken < whole; i--) {
    for (; taken + (1 << (longest - depths[i]!)) <= whole; depths[i]! -= 1) taken += 1 << (longest - depths[i]!);
  }
}

/** The codes for these lengths, with their bits in the order in which they are written. RFC 1951 3.2.2. */
export function assignCodes(lengths: CodeLengths): Uint16Array {
  const counts = new Uint16Array(LONGEST_LENGTH + 1);
  for (const length of lengths) counts[length]! += 1;
  /** For each length, the next code to assign. */
  const next = new Uint16Array(LONGEST_LENGTH + 1);
  for (let length = 2; length <= LONGEST_LENGTH; length++)
    next[length] = (next[length - 1]! + counts[length - 1]!) << 1;
  const codes = new Uint16Array(lengths.length);
  for (let symbol = 0; symbol < lengths.length; symbol++) {
    const length = lengths[symbol]!;
    if (length > 0) codes[symbol] = reverseBits(next[length]!++, length);
  }
  return codes;
}

function reverseBits(code: number, length: number): number {
  let reversed = 0;
  for (let bit = 0; bit < length; bit++) reversed |= ((code >>> bit) & 1) << (length - 1 - bit);
  return reversed;
}
