import { ViewerError } from '../../../shared/contract/errors.ts';
import { JUDGED_BY_ROUTE, REFUSED_PARAMETERS } from '../../../shared/contract/frames.ts';
import type { Static, TObject } from '../../../shared/contract/schema.ts';
import type { ByteRange } from '../../bytes/origins/origins.ts';
import type { TaskPriority } from '../../machine/workers/task.ts';
import type { Exchange } from './exchange.ts';

/** The subset of JSON Schema that query parameters use. */
type ParameterSchema = {
  readonly type?: 'integer' | 'number' | 'boolean' | 'string' | 'array';
  /** Of the values of a list, which are separated by commas. */
  readonly items?: ParameterSchema;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly enum?: readonly string[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly exclusiveMinimum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly pattern?: string;
  readonly examples?: readonly string[];
  readonly [JUDGED_BY_ROUTE]?: boolean;
};

/**
 * Parses the query strictly by its schema: `1e3` is not an integer. Parameters that the schema does not name are
 * ignored.
 */
export function parseQuery<Schema extends TObject>(schema: Schema, { query }: Pick<Exchange, 'query'>): Static<Schema> {
  const searchParams = new URLSearchParams(query);
  const refused: Readonly<Record<string, string>> = Object(Reflect.get(schema, REFUSED_PARAMETERS) ?? {});
  for (const [name, reason] of Object.entries(refused)) {
    if (searchParams.has(name)) throw new ViewerError('invalid_query', `${name}: ${reason}`);
  }
  const values: Record<string, unknown> = {};
  for (const [name, property] of Object.entries(schema.properties)) {
    const [text, ...more] = searchParams.getAll(name);
    if (more.length > 0) throw new ViewerError('invalid_query', `${name} is given more than once`);
    if (text === undefined) {
      if (schema.required?.includes(name)) throw new ViewerError('invalid_query', `${name} is missing`);
      continue;
    }
    const parameter: ParameterSchema = property;
    const value = parseText(text, parameter);
    if (value === undefined) {
      const isEmptyText = text === '' && parameter.type === 'string';
      throw new ViewerError(
        'invalid_query',
        isEmptyText ? `${name} is empty` : `${name} must be ${describe(parameter)}`,
      );
    }
    values[name] = value;
  }
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- every value was parsed by its own schema
  return values as Static<Schema>;
}

function parseText(text: string, schema: ParameterSchema): unknown {
  if (schema.type === 'array') return parseList(text, schema);
  if (schema.enum !== undefined) return schema.enum.includes(text) ? text : undefined;
  if (schema.type === 'integer') return parseInteger(text, schema);
  if (schema.type === 'number') return parseNumber(text, schema);
  if (schema.type === 'boolean') return text === 'true' ? true : text === 'false' ? false : undefined;
  const { minLength = 0, maxLength = Infinity, pattern } = schema;
  const isAsLong = text.length >= minLength && text.length <= maxLength;
  return isAsLong && (pattern === undefined || new RegExp(pattern).test(text)) ? text : undefined;
}

/** A list is as long as its schema says, and none of its values is wrong. */
function parseList(text: string, { items = {}, minItems = 0, maxItems = Infinity }: ParameterSchema) {
  const values = text.split(',', maxItems + 1).map((item) => parseText(item, items));
  const isRight = values.length >= minItems && values.length <= maxItems && !values.includes(undefined);
  return isRight ? values : undefined;
}

function parseInteger(text: string, schema: ParameterSchema): number | undefined {
  const value = /^[+-]?\d+$/.test(text) ? Number(text) : undefined;
  return Number.isSafeInteger(value) && value !== undefined ? inBounds(value, schema) : undefined;
}

const DECIMAL = /^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d{1,3})?$/;
/** Non-finite numbers as other languages write them. */
const NON_FINITE = /^([+-]?)(nan|inf|infinity)$/i;

function parseNumber(text: string, schema: ParameterSchema): number | undefined {
  const value = DECIMAL.test(text) ? Number(text) : parseNonFinite(text);
  if (value === undefined) return undefined;
  return schema[JUDGED_BY_ROUTE] ? value : inBounds(value, schema);
}

function parseNonFinite(text: string): number | undefined {
  const [, sign, name] = NON_FINITE.exec(text) ?? [];
  if (name === undefined) return undefined;
  if (name.toLowerCase() === 'nan') return Number.NaN;
  return sign === '-' ? -Infinity : Infinity;
}

function inBounds(value: number, { minimum, maximum, exclusiveMinimum }: ParameterSchema): number | undefined {
  const isAbove = value >= (minimum ?? -Infinity) && value > (exclusiveMinimum ?? -Infinity);
  return Number.isFinite(value) && isAbove && value <= (maximum ?? Infinity) ? value : undefined;
}

function describe(schema: ParameterSchema): string {
  if (schema.enum !== undefined) return `one of ${schema.enum.join(', ')}`;
  if (schema.type === 'integer') return `a whole number${describeBounds(schema)}`;
  if (schema.type === 'number') return `a number${describeBounds(schema)}`;
  if (schema.type === 'boolean') return 'true or false';
  if (schema.type === 'array') {
    const { minItems = 0, maxItems } = schema;
    const count = minItems === maxItems ? `${maxItems}` : `${minItems} to ${maxItems}`;
    return `${count} values separated by commas, each of them ${describe(schema.items ?? {})}`;
  }
  const { minLength = 0, maxLength, examples } = schema;
  if (examples !== undefined) return `written as ${examples.join(', ')}`;
  return maxLength === undefined
    ? `text of at least ${minLength} characters`
    : `text of ${minLength} to ${maxLength} characters`;
}

function describeBounds({ minimum, maximum, exclusiveMinimum }: ParameterSchema): string {
  const bounds: string[] = [];
  if (exclusiveMinimum !== undefined) bounds.push(`above ${exclusiveMinimum}`);
  if (minimum !== undefined) bounds.push(maximum === undefined ? `of at least ${minimum}` : `from ${minimum}`);
  if (maximum !== undefined) bounds.push(minimum === undefined ? `of at most ${maximum}` : `to ${maximum}`);
  return bounds.length === 0 ? '' : ` ${bounds.join(' ')}`;
}

/** Reads a path parameter such as `:index` or `:frame`, a number that counts from 0. */
export function parsePathNumber({ parameters }: Exchange, name: string): number {
  const text = parameters[name] ?? '';
  if (!/^\d+$/.test(text)) throw new ViewerError('invalid_path', `${name} must be a whole number`);
  // The cap exceeds any index, so such a number is reported as not found; further digits would only be rounded.
  return Math.min(Number(text), Number.MAX_SAFE_INTEGER);
}

const LEAST_URGENT_INTERACTIVE = 5;

/**
 * The urgency of RFC 9218, from 0 to 7 with default 3. Browsers use values up to 5 for what the user is waiting for,
 * such as images, so only 6 and 7 (`Priority: u=6`) mean that the user is not waiting yet.
 */
export function parsePriority(header: string | undefined): TaskPriority {
  const urgency = /(?:^|,)\s*u=([0-7])\s*(?:$|[,;])/.exec(header ?? '')?.[1];
  return urgency !== undefined && Number(urgency) > LEAST_URGENT_INTERACTIVE ? 'prefetch' : 'interactive';
}

/**
 * The single byte range that the client requests (RFC 9110). Undefined for several ranges, and for a range outside the
 * file: a server may ignore such a header and send the whole file.
 */
export function parseRange(header: string | undefined, size: number): ByteRange | undefined {
  const [, first = '', last = ''] = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(header?.trim() ?? '') ?? [];
  if (first === '' && last === '') return undefined;
  // Without a first byte, `last` is the number of bytes from the end.
  const start = first === '' ? Math.max(0, size - Number(last)) : Number(first);
  const end = first === '' || last === '' ? size : Math.min(size, Number(last) + 1);
  return start < end ? { start, end } : undefined;
}
