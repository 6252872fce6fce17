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
};

export type ParsedWhere =
  | { readonly ok: true; readonly where: WhereClause }
  /** `unknown` is the name of a column that does not exist. */
  | { readonly ok: false; readonly message: string; readonly unknown?: string | undefined };

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
    return { ok: true, where: new WhereParser(text, columns).parse() };
  } catch (error) {
    if (!(error instanceof WhereError)) throw error;
    return { ok: false, message: error.message, unknown: error.unknown };
  }
}

class WhereError extends Error {
  readonly unknown: string | undefined;

  constructor(message: string, unknown?: string) {
    super(message);
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
    if (found === null) throw new WhereError(`not understood from ${JSON.stringify(text.slice(at, at + 20))}`);
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
type Read = (row: Row) => Value;

class WhereParser {
  readonly #text: string;
  readonly #tokens: readonly Token[];
  readonly #columns: ReadonlyMap<string, string>;
  /** Columns in the order in which they are named. */
  readonly #named: string[] = [];
  #at = 0;
  #depth = 0;
  #values = 0;

  constructor(text: string, columns: readonly string[]) {
    this.#text = text;
    this.#tokens = splitTokens(text);
    this.#columns = new Map(columns.map((name) => [name.toLowerCase(), name]));
  }

  parse(): WhereClause {
    const parts: WherePart[] = [];
    const whole = this.#part(() => this.#any(parts));
    const rest = this.#tokens[this.#at];
    if (rest !== undefined) throw new WhereError(`${JSON.stringify(rest.text)} is not expected`);
    return { columns: whole.columns, test: whole.test, parts: parts.length > 0 ? parts : [whole] };
  }

  #part(read: () => Test): WherePart {
    const [at, named] = [this.#at, this.#named.length];
    const test = read();
    const text = this.#text.slice(this.#tokens[at]?.from, this.#tokens[this.#at - 1]?.to).trim();
    return { text, columns: [...new Set(this.#named.slice(named))], test };
  }

  /** `parts` gets the conditions that AND joins, if that is all. */
  #any(parts: WherePart[] = []): Test {
    let left = this.#all(parts);
    while (this.#takesWord('or')) {
      parts.length = 0;
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

  #all(parts: WherePart[] = []): Test {
    const next = () => {
      const part = this.#part(() => this.#one());
      parts.push(part);
      return part.test;
    };
    let left = next();
    while (this.#takesWord('and')) {
      const [a, b] = [left, next()];
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
      const isLike = compileWildcards(this.#pattern(), WILDCARDS);
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
    if (isNot || sign === undefined || !['=', '==', '<>', '!=', '<', '<=', '>', '>='].includes(sign.text)) {
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
    if (column === undefined) throw new WhereError(`there is no column ${token.text}`, token.text);
    this.#named.push(column);
    return (row) => toValue(row[column]);
  }

  #pattern(): string {
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
