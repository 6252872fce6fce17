import { getHeapStatistics } from 'node:v8';
import { ViewerError } from '../../../shared/contract/errors.ts';

/** What JSON from outside may have. */
export type JsonBounds = {
  /** Lists and objects inside of each other. */
  readonly depth?: number;
  /** Bytes of memory that its values take, as `measureJson` estimates them. */
  readonly bytes?: number;
};

/** More than any body or file that this program reads has. */
const MOST_DEPTH = 16;
/** Beside its values, a task holds what it makes of them. */
const MOST_BYTES = getHeapStatistics().heap_size_limit / 2;

/**
 * Parses JSON that comes from outside: a body, a cell, what a server answers. Depth and memory are known before anything is
 * parsed, because `JSON.parse` takes 50 bytes for each bracket and seconds for each megabyte of them. Throws
 * `invalid_json`, and `payload_too_large` for values that take more memory than a task has.
 */
export function parseJson(given: Uint8Array | string, bounds: JsonBounds = {}): unknown {
  const { depth = MOST_DEPTH, bytes = MOST_BYTES } = bounds;
  const measured = measureJson(given, { depth, bytes });
  if (measured.depth > depth)
    throw new ViewerError('invalid_json', `the JSON is nested more than ${depth} levels deep`);
  if (measured.bytes > bytes) {
    throw new ViewerError('payload_too_large', 'the JSON has more values than fit into the memory of one task');
  }
  try {
    return JSON.parse(typeof given === 'string' ? given : new TextDecoder('utf-8', { fatal: true }).decode(given));
  } catch (error) {
    throw new ViewerError('invalid_json', 'it is not well-formed JSON in UTF-8', { cause: error });
  }
}

export type JsonMeasure = {
  /** Of the deepest list or object. */
  readonly depth: number;
  /** Memory of the text and its values, at most. */
  readonly bytes: number;
  /** How far the text was read: to its end, or to where it exceeds a bound. */
  readonly end: number;
};

/** Memory that V8 takes for one of them, at worst: an empty object, a key that no other object has, a number, a text. */
const [CONTAINER_BYTES, KEY_BYTES, VALUE_BYTES, TEXT_BYTES] = [64, 64, 24, 32];

/** One pass over the text, without making anything of it. It need not be well-formed. */
export function measureJson(given: Uint8Array | string, most: Required<JsonBounds>): JsonMeasure {
  const codeAt = typeof given === 'string' ? (at: number) => given.charCodeAt(at) : (at: number) => given[at]!;
  let [level, depth, at] = [0, 0, 0];
  let bytes = given.length;
  let isText = false;
  for (; at < given.length && depth <= most.depth && bytes <= most.bytes; at += 1) {
    const code = codeAt(at);
    if (isText) {
      if (code === BACKSLASH) at += 1;
      else if (code === QUOTE) isText = false;
    } else if (code === QUOTE) {
      isText = true;
      bytes += TEXT_BYTES;
    } else if (code === COMMA) bytes += VALUE_BYTES;
    else if (code === COLON) bytes += KEY_BYTES;
    else if (code === BRACKET || code === BRACE) {
      bytes += CONTAINER_BYTES;
      level += 1;
      if (level > depth) depth = level;
    } else if (code === END_BRACKET || code === END_BRACE) level -= 1;
  }
  return { depth, bytes, end: Math.min(at, given.length) };
}

const [QUOTE, BACKSLASH, COMMA, COLON] = [0x22, 0x5c, 0x2c, 0x3a];
const [BRACKET, END_BRACKET, BRACE, END_BRACE] = [0x5b, 0x5d, 0x7b, 0x7d];
