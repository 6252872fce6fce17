/** How many bits each symbol's code has, 0 for symbols that do not occur. */
export type CodeLengths = Uint8Array;

/**
 * Lengths of a prefix code, short for frequent symbols, none longer than `longest`. At least two symbols get a code:
 * readers refuse a code with a gap in it.
 */
export function buildCodeLengths(counts: ArrayLike<number>, longest: number): CodeLengths {
  const lengths = new Uint8Array(counts.length);
  const symbols = Array.from(counts, (_, symbol) => symbol).filter((symbol) => counts[symbol]! > 0);
  for (let spare = 0; symbols.length < 2; spare++) if (!symbols.includes(spare)) symbols.push(spare);
  symbols.sort((a, b) => counts[a]! - counts[b]!);
  let weights = symbols.map((symbol) => Math.max(1, counts[symbol]!));
  let depths = treeDepths(weights);
  // Rare symbols are deepest. Halving brings the counts closer together, and in the end all are equal.
  while (Math.max(...depths) > longest) {
    weights = weights.map((weight) => Math.ceil(weight / 2));
    depths = treeDepths(weights);
  }
  for (const [i, symbol] of symbols.entries()) lengths[symbol] = depths[i]!;
  return lengths;
}

/** The depth of each leaf when the two lightest nodes are joined until one is left. `weights` ascend. */
function treeDepths(weights: readonly number[]): number[] {
  const leaves = weights.length;
  const nodes = Float64Array.from({ length: 2 * leaves - 1 }, (_, i) => weights[i] ?? 0);
  const parents = new Int32Array(nodes.length);
  // Joined nodes come in ascending order too, so the lightest is the first of one of two queues.
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
  return [...depths.subarray(0, leaves)];
}

/** The codes that belong to the lengths, with their bits in the order in which they are written. RFC 1951 3.2.2. */
export function assignCodes(lengths: CodeLengths): Uint16Array {
  const codes = new Uint16Array(lengths.length);
  let code = 0;
  for (let length = 1; length <= 15; length++, code <<= 1) {
    for (let symbol = 0; symbol < lengths.length; symbol++) {
      if (lengths[symbol] === length) codes[symbol] = reverseBits(code++, length);
    }
  }
  return codes;
}

function reverseBits(code: number, length: number): number {
  let reversed = 0;
  for (let bit = 0; bit < length; bit++) reversed |= ((code >>> bit) & 1) << (length - 1 - bit);
  return reversed;
}
