import type { WhereNode, WhereRange } from '../../../shared/whereClause.ts';

/** What a table says of the values of a column in a group of rows. */
export type StoredRange = {
  readonly rows: number;
  /** Undefined if it is not said. */
  readonly absent: number | undefined;
  /** No value is smaller, and none larger; undefined if it is not said. */
  readonly smallest: unknown;
  readonly largest: unknown;
};

/** Whether a condition can be true, and whether it can be false, for any row of the group. */
type Outcome = { readonly mayBeTrue: boolean; readonly mayBeFalse: boolean };

const ANY: Outcome = { mayBeTrue: true, mayBeFalse: true };
const NONE: Outcome = { mayBeTrue: false, mayBeFalse: false };

/** False if no row of a group can meet a condition, by the ranges of its columns. */
export function mayHold(node: WhereNode, rangeOf: (column: string) => StoredRange | undefined): boolean {
  return outcomeOf(node, rangeOf).mayBeTrue;
}

function outcomeOf(node: WhereNode, rangeOf: (column: string) => StoredRange | undefined): Outcome {
  if (node.kind === 'not') return negate(outcomeOf(node.node, rangeOf));
  if (node.kind === 'comparison') {
    const range = node.range === undefined ? undefined : rangeOf(node.range.column);
    return node.range === undefined || range === undefined ? ANY : compareRange(node.range, range);
  }
  const outcomes = node.nodes.map((one) => outcomeOf(one, rangeOf));
  return node.kind === 'and' ? both(outcomes) : negate(both(outcomes.map(negate)));
}

function both(outcomes: readonly Outcome[]): Outcome {
  return {
    mayBeTrue: outcomes.every(({ mayBeTrue }) => mayBeTrue),
    mayBeFalse: outcomes.some(({ mayBeFalse }) => mayBeFalse),
  };
}

function negate({ mayBeTrue, mayBeFalse }: Outcome): Outcome {
  return { mayBeTrue: mayBeFalse, mayBeFalse: mayBeTrue };
}

function compareRange(asked: WhereRange, range: StoredRange): Outcome {
  const outcome = outcomeOfRange(asked, range);
  return asked.isNot ? negate(outcome) : outcome;
}

function outcomeOfRange(asked: WhereRange, range: StoredRange): Outcome {
  const { rows, absent } = range;
  if (asked.kind === 'null') {
    return absent === undefined ? ANY : { mayBeTrue: absent > 0, mayBeFalse: absent < rows };
  }
  // A comparison with an absent value is neither true nor false.
  if (absent === rows) return NONE;
  if (asked.kind === 'in') {
    return { mayBeTrue: asked.values.some((value) => compareValue(range, '=', value).mayBeTrue), mayBeFalse: true };
  }
  if (asked.kind === 'between') {
    return both([compareValue(range, '>=', asked.low), compareValue(range, '<=', asked.high)]);
  }
  return compareValue(range, asked.sign, asked.value);
}

function compareValue(range: StoredRange, sign: string, value: unknown): Outcome {
  const [smallest, largest, wanted] = [range.smallest, range.largest, value].map(toComparable);
  if (typeof smallest === 'number' && typeof largest === 'number' && typeof wanted === 'number') {
    return compareBounds(smallest - wanted, largest - wanted, sign);
  }
  if (typeof smallest === 'string' && typeof largest === 'string' && typeof wanted === 'string') {
    return compareBounds(orderOf(smallest, wanted), orderOf(largest, wanted), sign);
  }
  return ANY;
}

/**
 * Tables compare texts by their bytes, and conditions by UTF-16 units. Both orders are the same beside a text without
 * surrogates and what follows them, among which is the character that stands for bytes that are none, such as those of a
 * bound that was cut off.
 */
const FIRST_SURROGATE = 0xd800;

function toComparable(value: unknown): string | number | undefined {
  if (typeof value === 'bigint') return Number(value);
  if (typeof value === 'number') return Number.isFinite(value) ? value : undefined;
  if (typeof value !== 'string') return undefined;
  for (let at = 0; at < value.length; at += 1) if (value.charCodeAt(at) >= FIRST_SURROGATE) return undefined;
  return value;
}

function orderOf(a: string, b: string): number {
  return a === b ? 0 : a < b ? -1 : 1;
}

/** `low` and `high` say on which side of the wanted value the smallest and the largest one are. */
function compareBounds(low: number, high: number, sign: string): Outcome {
  switch (sign) {
    case '<':
      return { mayBeTrue: low < 0, mayBeFalse: high >= 0 };
    case '<=':
      return { mayBeTrue: low <= 0, mayBeFalse: high > 0 };
    case '>':
      return { mayBeTrue: high > 0, mayBeFalse: low <= 0 };
    case '>=':
      return { mayBeTrue: high >= 0, mayBeFalse: low < 0 };
    case '<>':
    case '!=':
      return negate(compareBounds(low, high, '='));
    default:
      return { mayBeTrue: low <= 0 && high >= 0, mayBeFalse: low !== 0 || high !== 0 };
  }
}
