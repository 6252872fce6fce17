import { compileWildcards } from './wildcards.ts';

/** A condition on the rows of a table, such as `Modality = 'MR' and EchoTime < 0.03`. */
export type WherePart = {
  /** As it was written. */
  readonly text: string;
  /** The columns that it reads, as the table spells them. */
  readonly columns: readonly string[];
  /** Null, as in SQL, if a value that decides is absent; such a row is not chosen. */
  readonly test: (row: Readonly<Record<string, unknown>>) => boolean | null;
};

export type WhereClause = Omit<WherePart, 'text'> & {
  /** The conditions of which all must hold. */
  readonly parts: readonly WherePart[];
  /** The same condition, for those who test many rows at once. */
  readonly node: WhereNode;
};

/** A comparison, or what joins several of them. */
export type WhereNode =
  | { readonly kind: 'and' | 'or'; readonly nodes: readonly WhereNode[] }
  | { readonly kind: 'not'; readonly node: WhereNode }
  | ({ readonly kind: 'comparison'; readonly range?: WhereRange | undefined } & Omit<WherePart, 'text'>);

/** What a comparison asks of one column, if it compares it with values only: a range of values can be held against it. */
export type WhereRange = { readonly column: string; readonly isNot: boolean } & (
  | { readonly kind: 'compare'; readonly sign: string; readonly value: Value }
  | { readonly kind: 'between'; readonly low: Value; readonly high: Value }
  | { readonly kind: 'in'; readonly values: readonly Value[] }
  | { readonly kind: 'null' }
);

export type ParsedWhere =
  | { readonly ok: true; readonly where: WhereClause }
  /** `at` is the place in the text, from 0. `unknown` is the name of a column that does not exist. */
  | { readonly ok: false; readonly message: string; readonly at: number; readonly unknown?: string | undefined };

/** The columns of a table, or the function that finds a column by a name that is written in a condition. */
export type KnownColumns = readonly string[] | ((name: string) => string | undefined);

/** Longer conditions, with more columns and values, or more parentheses, are refused. */
const MOST_CHARACTERS = 10_000;
const MOST_VALUES = 1_000;
const MOST_DEPTH = 64;

/**
 * Parses a condition in the SQL that all databases share: comparisons, LIKE, IN, BETWEEN, IS NULL, AND, OR, NOT and
 * parentheses. Columns and words are found without regard to case.
 */
export function parseWhere(text: string, columns: KnownColumns): ParsedWhere {
  try {
    if (text.length > MOST_CHARACTERS) throw new WhereError(`longer than ${MOST_CHARACTERS} characters`, 0);
    return { ok: true, where: new WhereParser(text, columns).parse() };
  } catch (error) {
    if (!(error instanceof WhereError)) throw error;
    return { ok: false, message: error.message, at: error.at, unknown: error.unknown };
  }
}

class WhereError extends Error {
  readonly at: number;
  readonly unknown: string | undefined;

  constructor(message: string, at: number, unknown?: string) {
    super(message);
    this.at = at;
    this.unknown = unknown;
  }
}

/** `from` and `to` are where it is in the text. */
type Token = { readonly text: string; readonly from: number; readonly to: number } & (
  | { readonly kind: 'name' | 'sign' }
  | { readonly kind: 'value'; readonly value: string | number }
);

const TOKEN =
  /\s*(?:'((?:[^']|'')*)'|"((?:[^"]|"")*)"|((?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)|([A-Za-z_]\w*)|(<>|!=|<=|>=|==|[=<>(),-]))/y;

function splitTokens(text: string): Token[] {
  const tokens: Token[] = [];
  TOKEN.lastIndex = 0;
  const end = text.trimEnd().length;
  while (TOKEN.lastIndex < end) {
    const at = TOKEN.lastIndex;
    const found = TOKEN.exec(text);
    if (found === null) throw new WhereError(`not understood from ${JSON.stringify(text.slice(at, at + 20))}`, at);
    const [, quoted, column, number, name, sign] = found;
    const place = { from: at, to: TOKEN.lastIndex };
    if (quoted !== undefined)
      tokens.push({ ...place, kind: 'value', text: quoted, value: quoted.replaceAll("''", "'") });
    else if (number !== undefined) tokens.push({ ...place, kind: 'value', text: number, value: Number(number) });
    else if (sign !== undefined) tokens.push({ ...place, kind: 'sign', text: sign });
    else tokens.push({ ...place, kind: 'name', text: name ?? (column ?? '').replaceAll('""', '"') });
  }
  return tokens;
}

type Row = Readonly<Record<string, unknown>>;
type Test = (row: Row) => boolean | null;
type Value = string | number | boolean | null;
/** A column, or a value that is the same for every row. */
type Operand = { readonly read: (row: Row) => Value } & (
  | { readonly column: string }
  | { readonly column?: undefined; readonly value: Value }
);
type Comparison = { readonly test: Test; readonly range?: WhereRange | undefined };

class WhereParser {
  readonly #text: string;
  readonly #tokens: readonly Token[];
  readonly #findColumn: (name: string) => string | undefined;
  /** Columns in the order in which they are named. */
  readonly #named: string[] = [];
  #at = 0;
  #depth = 0;
  #values = 0;

  constructor(text: string, columns: KnownColumns) {
    this.#text = text;
    this.#tokens = splitTokens(text);
    this.#findColumn = typeof columns === 'function' ? columns : findAmong(columns);
  }

  parse(): WhereClause {
    const parts: Part[] = [];
    const { node, columns, test } = this.#part(() => this.#any(parts));
    const rest = this.#tokens[this.#at];
    if (rest !== undefined) throw this.#error(`${JSON.stringify(rest.text)} is not expected`);
    const whole = { text: this.#text.trim(), columns, test };
    return { columns, test, node, parts: parts.length > 0 ? parts : [whole] };
  }

  #part(read: () => WhereNode): Part {
    const [at, named] = [this.#at, this.#named.length];
    const node = read();
    const text = this.#text.slice(this.#tokens[at]?.from, this.#tokens[this.#at - 1]?.to).trim();
    return { text, columns: [...new Set(this.#named.slice(named))], node, test: toTest(node) };
  }

  /** `parts` gets the conditions that AND joins, if that is all. */
  #any(parts: Part[] = []): WhereNode {
    const nodes = [this.#all(parts)];
    while (this.#takesWord('or')) {
      parts.length = 0;
      nodes.push(this.#all());
    }
    return join('or', nodes);
  }

  #all(parts: Part[] = []): WhereNode {
    const nodes: WhereNode[] = [];
    do {
      const part = this.#part(() => this.#one());
      parts.push(part);
      nodes.push(part.node);
    } while (this.#takesWord('and'));
    return join('and', nodes);
  }

  #one(): WhereNode {
    this.#depth += 1;
    if (this.#depth > MOST_DEPTH) throw this.#error('nested too deeply');
    try {
      if (this.#takesWord('not')) return { kind: 'not', node: this.#one() };
      if (!this.#takes('(')) {
        const named = this.#named.length;
        const comparison = this.#comparison();
        return { kind: 'comparison', columns: [...new Set(this.#named.slice(named))], ...comparison };
      }
      const node = this.#any();
      this.#expect(')');
      return node;
    } finally {
      this.#depth -= 1;
    }
  }

  #comparison(): Comparison {
    const left = this.#operand();
    if (this.#takesWord('is')) {
      const isNot = this.#takesWord('not');
      if (!this.#takesWord('null')) throw this.#error('IS is followed by NULL or NOT NULL');
      return { test: (row) => (left.read(row) === null) !== isNot, range: rangeOf(left, isNot, { kind: 'null' }) };
    }
    const isNot = this.#takesWord('not');
    const { test, range } = this.#predicate(left, isNot);
    return { test: isNot ? negate(test) : test, range };
  }

  #predicate(left: Operand, isNot: boolean): Comparison {
    if (this.#takesWord('like')) {
      const isLike = compileWildcards(this.#pattern(), WILDCARDS);
      const test = (row: Row) => {
        const value = left.read(row);
        return value === null ? null : isLike(String(value));
      };
      return { test };
    }
    if (this.#takesWord('in')) return this.#list(left, isNot);
    if (this.#takesWord('between')) {
      const low = this.#operand();
      if (!this.#takesWord('and')) throw this.#error('BETWEEN needs AND');
      const high = this.#operand();
      const isFixed = low.column === undefined && high.column === undefined;
      return {
        test: (row) =>
          both(compare(left.read(row), low.read(row), '>='), compare(left.read(row), high.read(row), '<=')),
        range: isFixed ? rangeOf(left, isNot, { kind: 'between', low: low.value, high: high.value }) : undefined,
      };
    }
    const sign = this.#tokens[this.#at];
    if (isNot || sign === undefined || !['=', '==', '<>', '!=', '<', '<=', '>', '>='].includes(sign.text)) {
      throw this.#error(
        `a comparison is missing ${sign === undefined ? 'at the end' : `before ${JSON.stringify(sign.text)}`}`,
      );
    }
    this.#at += 1;
    const right = this.#operand();
    return {
      test: (row) => compare(left.read(row), right.read(row), sign.text),
      range:
        right.column === undefined
          ? rangeOf(left, isNot, { kind: 'compare', sign: sign.text, value: right.value })
          : undefined,
    };
  }

  #list(left: Operand, isNot: boolean): Comparison {
    this.#expect('(');
    const operands = [this.#operand()];
    while (this.#takes(',')) operands.push(this.#operand());
    this.#expect(')');
    const values = operands.flatMap((one) => (one.column === undefined ? [one.value] : []));
    return {
      test: (row) => {
        const wanted = left.read(row);
        let isUnknown = false;
        for (const one of operands) {
          const result = compare(wanted, one.read(row), '=');
          if (result === true) return true;
          isUnknown ||= result === null;
        }
        return isUnknown ? null : false;
      },
      range: values.length === operands.length ? rangeOf(left, isNot, { kind: 'in', values }) : undefined,
    };
  }

  #operand(): Operand {
    this.#values += 1;
    if (this.#values > MOST_VALUES) throw this.#error(`more than ${MOST_VALUES} columns and values`);
    const isNegative = this.#takes('-');
    const token = this.#tokens[this.#at];
    this.#at += 1;
    if (token?.kind === 'value' && (typeof token.value === 'number' || !isNegative)) {
      return toOperand(typeof token.value === 'number' && isNegative ? -token.value : token.value);
    }
    if (token?.kind !== 'name' || isNegative) throw this.#error('a column or a value is missing', this.#at - 1);
    const word = token.text.toLowerCase();
    if (word === 'true' || word === 'false') return toOperand(word === 'true');
    const column = this.#findColumn(token.text);
    if (column === undefined) throw this.#error(`there is no column ${token.text}`, this.#at - 1, token.text);
    this.#named.push(column);
    return { column, read: (row) => toValue(row[column]) };
  }

  #pattern(): string {
    const token = this.#tokens[this.#at];
    this.#at += 1;
    if (token?.kind !== 'value' || typeof token.value !== 'string')
      throw this.#error("LIKE is followed by a 'text'", this.#at - 1);
    return token.value;
  }

  #takes(sign: string): boolean {
    const token = this.#tokens[this.#at];
    if (token?.kind !== 'sign' || token.text !== sign) return false;
    this.#at += 1;
    return true;
  }

  #takesWord(word: string): boolean {
    const token = this.#tokens[this.#at];
    if (token?.kind !== 'name' || token.text.toLowerCase() !== word) return false;
    this.#at += 1;
    return true;
  }

  #expect(sign: string): void {
    if (!this.#takes(sign)) throw this.#error(`${JSON.stringify(sign)} is missing`);
  }

  /** At a token, by default the next one; at the end of the text behind the last. */
  #error(message: string, token = this.#at, unknown?: string): WhereError {
    const end = this.#text.trimEnd();
    const from = this.#tokens[token]?.from ?? end.length;
    return new WhereError(message, end.length - end.slice(from).trimStart().length, unknown);
  }
}

type Part = WherePart & { readonly node: WhereNode };

type Asked = WhereRange extends infer Range
  ? Range extends WhereRange
    ? Omit<Range, 'column' | 'isNot'>
    : never
  : never;

function rangeOf({ column }: Operand, isNot: boolean, asked: Asked): WhereRange | undefined {
  return column === undefined ? undefined : { column, isNot, ...asked };
}

function toOperand(value: Value): Operand {
  return { value, read: () => value };
}

function findAmong(columns: readonly string[]): (name: string) => string | undefined {
  const names = new Map(columns.map((name) => [name.toLowerCase(), name]));
  return (name) => names.get(name.toLowerCase());
}

function join(kind: 'and' | 'or', nodes: readonly WhereNode[]): WhereNode {
  const [only] = nodes;
  return nodes.length === 1 && only !== undefined ? only : { kind, nodes };
}

function toTest(node: WhereNode): Test {
  if (node.kind === 'comparison') return node.test;
  if (node.kind === 'not') return negate(toTest(node.node));
  const tests = node.nodes.map(toTest);
  const decides = node.kind === 'or';
  return (row) => {
    let isUnknown = false;
    for (const test of tests) {
      const result = test(row);
      if (result === decides) return decides;
      isUnknown ||= result === null;
    }
    return isUnknown ? null : !decides;
  };
}

function negate(test: Test): Test {
  return (row) => {
    const result = test(row);
    return result === null ? null : !result;
  };
}

function both(a: boolean | null, b: boolean | null): boolean | null {
  return a === false || b === false ? false : a === null || b === null ? null : true;
}

function toValue(value: unknown): Value {
  if (typeof value === 'bigint') return Number(value);
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? value : null;
}

/** Numbers are compared as numbers if one side is a number, so that `SeriesNumber = 3` works on a column of texts. */
function compare(a: Value, b: Value, sign: string): boolean | null {
  if (a === null || b === null) return null;
  const isNumeric = typeof a === 'number' || typeof b === 'number';
  const [x, y] = isNumeric ? [Number(a), Number(b)] : [String(a), String(b)];
  if (isNumeric && (Number.isNaN(x) || Number.isNaN(y))) return null;
  switch (sign) {
    case '<':
      return x < y;
    case '<=':
      return x <= y;
    case '>':
      return x > y;
    case '>=':
      return x >= y;
    case '<>':
    case '!=':
      return x !== y;
    default:
      return x === y;
  }
}

const WILDCARDS = { text: '%', character: '_' };
