import { compileWildcards } from '../../../shared/wildcards.ts';

/** A condition on the rows of an index, such as `Modality = 'MR' and EchoTime < 0.03`. */
export type WhereClause = {
  /** The columns that it reads, as the index spells them. */
  readonly columns: readonly string[];
  /** Null, as in SQL, if a value that decides is absent; such a row is not chosen. */
  readonly test: (row: Readonly<Record<string, unknown>>) => boolean | null;
};

export type ParsedWhere =
  | { readonly ok: true; readonly where: WhereClause }
  | { readonly ok: false; readonly message: string };

/** Longer conditions, with more columns and values, or more parentheses, are refused. */
const MOST_CHARACTERS = 10_000;
const MOST_VALUES = 1_000;
const MOST_DEPTH = 64;

/**
 * Parses a condition in the SQL that all databases share: comparisons, LIKE, IN, BETWEEN, IS NULL, AND, OR, NOT and
 * parentheses. Columns and words are found without regard to case.
 */
export function parseWhere(text: string, columns: readonly string[]): ParsedWhere {
  try {
    if (text.length > MOST_CHARACTERS) throw new WhereError(`longer than ${MOST_CHARACTERS} characters`);
    const parser = new WhereParser(splitTokens(text), columns);
    const test = parser.parse();
    return { ok: true, where: { columns: [...parser.used], test } };
  } catch (error) {
    if (!(error instanceof WhereError)) throw error;
    return { ok: false, message: error.message };
  }
}

class WhereError extends Error {}

type Token =
  | { readonly kind: 'name' | 'sign'; readonly text: string }
  | { readonly kind: 'value'; readonly text: string; readonly value: string | number };

const TOKEN =
  /\s*(?:'((?:[^']|'')*)'|"((?:[^"]|"")*)"|((?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)|([A-Za-z_]\w*)|(<>|!=|<=|>=|==|[=<>(),-]))/y;

function splitTokens(text: string): Token[] {
  const tokens: Token[] = [];
  TOKEN.lastIndex = 0;
  const end = text.trimEnd().length;
  while (TOKEN.lastIndex < end) {
    const at = TOKEN.lastIndex;
    const found = TOKEN.exec(text);
    if (found === null) throw new WhereError(`not understood from ${JSON.stringify(text.slice(at, at + 20))}`);
    const [, quoted, column, number, name, sign] = found;
    if (quoted !== undefined) tokens.push({ kind: 'value', text: quoted, value: quoted.replaceAll("''", "'") });
    else if (number !== undefined) tokens.push({ kind: 'value', text: number, value: Number(number) });
    else if (sign !== undefined) tokens.push({ kind: 'sign', text: sign });
    else tokens.push({ kind: 'name', text: name ?? (column ?? '').replaceAll('""', '"') });
  }
  return tokens;
}

type Row = Readonly<Record<string, unknown>>;
type Test = (row: Row) => boolean | null;
type Value = string | number | boolean | null;
type Read = (row: Row) => Value;

class WhereParser {
  readonly used = new Set<string>();
  readonly #tokens: readonly Token[];
  readonly #columns: ReadonlyMap<string, string>;
  #at = 0;
  #depth = 0;
  #values = 0;

  constructor(tokens: readonly Token[], columns: readonly string[]) {
    this.#tokens = tokens;
    this.#columns = new Map(columns.map((name) => [name.toLowerCase(), name]));
  }

  parse(): Test {
    const test = this.#any();
    const rest = this.#tokens[this.#at];
    if (rest !== undefined) throw new WhereError(`${JSON.stringify(rest.text)} is not expected`);
    return test;
  }

  #any(): Test {
    let left = this.#all();
    while (this.#takesWord('or')) {
      const [a, b] = [left, this.#all()];
      left = (row) => {
        const x = a(row);
        if (x === true) return true;
        const y = b(row);
        return y === true ? true : x === null || y === null ? null : false;
      };
    }
    return left;
  }

  #all(): Test {
    let left = this.#one();
    while (this.#takesWord('and')) {
      const [a, b] = [left, this.#one()];
      left = (row) => {
        const x = a(row);
        return x === false ? false : both(x, b(row));
      };
    }
    return left;
  }

  #one(): Test {
    this.#depth += 1;
    if (this.#depth > MOST_DEPTH) throw new WhereError('nested too deeply');
    try {
      if (this.#takesWord('not')) return negate(this.#one());
      if (!this.#takes('(')) return this.#comparison();
      const test = this.#any();
      this.#expect(')');
      return test;
    } finally {
      this.#depth -= 1;
    }
  }

  #comparison(): Test {
    const left = this.#value();
    if (this.#takesWord('is')) {
      const isNot = this.#takesWord('not');
      if (!this.#takesWord('null')) throw new WhereError('IS is followed by NULL or NOT NULL');
      return (row) => (left(row) === null) !== isNot;
    }
    const isNot = this.#takesWord('not');
    const test = this.#predicate(left, isNot);
    return isNot ? negate(test) : test;
  }

  #predicate(left: Read, isNot: boolean): Test {
    if (this.#takesWord('like')) {
      const isLike = compileWildcards(this.#text(), WILDCARDS);
      return (row) => {
        const value = left(row);
        return value === null ? null : isLike(String(value));
      };
    }
    if (this.#takesWord('in')) return this.#list(left);
    if (this.#takesWord('between')) {
      const low = this.#value();
      if (!this.#takesWord('and')) throw new WhereError('BETWEEN needs AND');
      const high = this.#value();
      return (row) => both(compare(left(row), low(row), '>='), compare(left(row), high(row), '<='));
    }
    const sign = this.#tokens[this.#at];
    if (isNot || sign === undefined || !isSign(sign.text)) {
      throw new WhereError(
        `a comparison is missing ${sign === undefined ? 'at the end' : `before ${JSON.stringify(sign.text)}`}`,
      );
    }
    this.#at += 1;
    const right = this.#value();
    return (row) => compare(left(row), right(row), sign.text);
  }

  #list(left: Read): Test {
    this.#expect('(');
    const values = [this.#value()];
    while (this.#takes(',')) values.push(this.#value());
    this.#expect(')');
    return (row) => {
      const wanted = left(row);
      let isUnknown = false;
      for (const value of values) {
        const result = compare(wanted, value(row), '=');
        if (result === true) return true;
        isUnknown ||= result === null;
      }
      return isUnknown ? null : false;
    };
  }

  #value(): Read {
    this.#values += 1;
    if (this.#values > MOST_VALUES) throw new WhereError(`more than ${MOST_VALUES} columns and values`);
    const isNegative = this.#takes('-');
    const token = this.#tokens[this.#at];
    this.#at += 1;
    if (token?.kind === 'value' && (typeof token.value === 'number' || !isNegative)) {
      const value = typeof token.value === 'number' && isNegative ? -token.value : token.value;
      return () => value;
    }
    if (token?.kind !== 'name' || isNegative) throw new WhereError('a column or a value is missing');
    const word = token.text.toLowerCase();
    if (word === 'true' || word === 'false') return () => word === 'true';
    const column = this.#columns.get(word);
    if (column === undefined) throw new WhereError(`the index has no column ${token.text}`);
    this.used.add(column);
    return (row) => toValue(row[column]);
  }

  #text(): string {
    const token = this.#tokens[this.#at];
    this.#at += 1;
    if (token?.kind !== 'value' || typeof token.value !== 'string')
      throw new WhereError("LIKE is followed by a 'text'");
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
    if (!this.#takes(sign)) throw new WhereError(`${JSON.stringify(sign)} is missing`);
  }
}

function isSign(text: string): boolean {
  return ['=', '==', '<>', '!=', '<', '<=', '>', '>='].includes(text);
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
