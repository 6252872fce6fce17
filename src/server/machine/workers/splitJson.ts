import { ViewerError } from '../../../shared/contract/errors.ts';

/** A file of JSON whose long lists are parsed item by item. */
export type SplitJson = {
  /** The file, with all lists of `items` empty. */
  readonly root: unknown;
  /** The list of this name in the root, or the root itself without a name; undefined if there is no such list. */
  readonly items: (name?: string) => Iterable<unknown> | undefined;
};

export type SplitOptions = {
  /** Parses one item, and what is around the lists. */
  readonly parse: (part: Uint8Array) => unknown;
  /** Items of all lists together. */
  readonly mostItems: number;
};

/** Of the lists and objects around the lists and in an item. `parse` has the bound for an item. */
const MOST_DEPTH = 32;
const LONGEST_NAME = 256;
/** Members of the root. */
const MOST_NAMES = 10_000;

/**
 * Finds the items of the lists in the root, in one pass over the bytes. Only one of them is in memory as values at a time,
 * so that a file may be larger than the heap of a task. Throws `invalid_json`, and `payload_too_large` for too many items.
 */
export function splitJson(bytes: Uint8Array, { parse, mostItems }: SplitOptions): SplitJson {
  const lists = new Map<string | undefined, { from: number; to: number }>();
  /** Start and end of each item. */
  const places: number[] = [];
  /** What is not inside of a list. */
  const around: Uint8Array[] = [];
  let [level, copied, textStart, textEnd] = [0, 0, 0, 0];
  let name: string | undefined;
  let names = 0;
  let list: { from: number; to: number; level: number } | undefined;
  let itemStart = 0;

  const endItem = (at: number) => {
    if (places.length >= 2 * mostItems) {
      throw new ViewerError('payload_too_large', `the file has lists of more than ${mostItems} items; divide it`);
    }
    places.push(itemStart, at);
    itemStart = at + 1;
  };

  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at]!;
    if (byte === QUOTE) {
      textStart = at;
      at = findEndOfText(bytes, at + 1);
      textEnd = at + 1;
    } else if (byte === COLON && level === 1 && list === undefined) {
      names += 1;
      if (names > MOST_NAMES) throw new ViewerError('payload_too_large', `it has more than ${MOST_NAMES} members`);
      name = parseName(bytes.subarray(textStart, textEnd), parse);
    } else if (byte === COMMA && level === list?.level) endItem(at);
    else if (byte === BRACKET || byte === BRACE) {
      level += 1;
      if (level > MOST_DEPTH) throw malformed(`it is nested more than ${MOST_DEPTH} levels deep`);
      const isOfRoot = level === 1 || (level === 2 && name !== undefined);
      if (byte !== BRACKET || !isOfRoot || list !== undefined) continue;
      list = { from: places.length, to: places.length, level };
      around.push(bytes.subarray(copied, at + 1));
      itemStart = at + 1;
    } else if (byte === END_BRACKET || byte === END_BRACE) {
      if (level === list?.level) {
        if (byte !== END_BRACKET) throw malformed('a list does not end');
        const isEmpty = places.length === list.from && bytes.subarray(itemStart, at).every((one) => BLANKS.has(one));
        if (!isEmpty) endItem(at);
        lists.set(name, { from: list.from, to: places.length });
        list = undefined;
        copied = at;
      }
      level -= 1;
    }
  }
  if (list !== undefined || level !== 0) throw malformed('it is cut off');
  around.push(bytes.subarray(copied));

  function* parseItems({ from, to }: { readonly from: number; readonly to: number }): Generator<unknown, void> {
    for (let at = from; at < to; at += 2) yield parse(bytes.subarray(places[at], places[at + 1]));
  }

  return {
    root: parse(Buffer.concat(around)),
    items(wanted) {
      const found = lists.get(wanted);
      return found && parseItems(found);
    },
  };
}

const [QUOTE, BACKSLASH, COMMA, COLON] = [0x22, 0x5c, 0x2c, 0x3a];
const [BRACKET, END_BRACKET, BRACE, END_BRACE] = [0x5b, 0x5d, 0x7b, 0x7d];
const BLANKS: ReadonlySet<number> = new Set([0x20, 0x09, 0x0a, 0x0d]);

/** The position of the quote that ends a text, or of the last byte. */
function findEndOfText(bytes: Uint8Array, start: number): number {
  for (let at = start; at < bytes.length; at += 1) {
    const byte = bytes[at];
    if (byte === BACKSLASH) at += 1;
    else if (byte === QUOTE) return at;
  }
  return bytes.length;
}

function parseName(text: Uint8Array, parse: SplitOptions['parse']): string | undefined {
  const name = text.length > LONGEST_NAME ? undefined : parse(text);
  return typeof name === 'string' ? name : undefined;
}

function malformed(why: string): ViewerError {
  return new ViewerError('invalid_json', `it is not well-formed JSON: ${why}`);
}
