import { explicit, implicit, item, itemEnd, join, sequenceEnd, UNDEFINED } from '../../support/rawElements.ts';
import { type HostileFile, imageAround, refused, shown, shownInTime } from '../hostileFile.ts';

const CONTENT_SEQUENCE = 0x0040a730;
const DEPTHS = [65, 1_000, 100_000];

/** Deeply nested sequences, and millions of items. */
export const nesting: readonly HostileFile[] = [
  // A sequence with a declared length is skipped in one step, whatever it contains.
  ...DEPTHS.map((depth) => shown(`nested ${depth} deep, with lengths`, () => imageAround(nestedByLength(depth)))),
  shown('nested 65 deep, with delimiters', () => imageAround(nestedByDelimiter(65))),
  shown('nested 1000 deep, with delimiters', () => imageAround(nestedByDelimiter(1_000))),
  // Nothing declares where the outermost sequence ends, and finding its end would take a stack of 100,000 levels.
  refused('nested 100000 deep, with delimiters', 'no_pixel_data', () => imageAround(nestedByDelimiter(100_000))),
  shown('nested 1000 deep, as UN', () => imageAround(nestedUnknown(1_000))),
  refused('nested 100000 deep, as UN', 'no_pixel_data', () => imageAround(nestedUnknown(100_000))),
  shown('nested 1000 deep and never closed', () => join(imageAround(), openedLevels(1_000))),

  shownInTime('a million empty items, with a length', () =>
    imageAround(explicit(CONTENT_SEQUENCE, 'SQ', repeated(item(), 1_000_000))),
  ),
  shownInTime('a million empty items, with a delimiter', () =>
    imageAround(explicit(CONTENT_SEQUENCE, 'SQ', repeated(item(), 1_000_000), UNDEFINED), sequenceEnd()),
  ),
  shownInTime('a million empty items, each with a delimiter', () =>
    imageAround(
      explicit(CONTENT_SEQUENCE, 'SQ', repeated(join(item(undefined, UNDEFINED), itemEnd()), 1_000_000), UNDEFINED),
      sequenceEnd(),
    ),
  ),
  shownInTime('a hundred thousand empty sequences', () =>
    imageAround(repeated(explicit(CONTENT_SEQUENCE, 'SQ'), 100_000)),
  ),
  shownInTime('a hundred thousand elements of one tag', () =>
    imageAround(repeated(explicit(0x00400280, 'ST', 'no'), 100_000)),
  ),
];

function repeated(bytes: Uint8Array, count: number): Uint8Array {
  return Buffer.alloc(bytes.length * count, bytes);
}

/** Each level has 20 bytes: the header of a sequence and the header of its only item. */
function nestedByLength(depth: number): Uint8Array {
  const levels = Array.from({ length: depth }, (_, level) => {
    const inside = (depth - 1 - level) * 20;
    return join(explicit(CONTENT_SEQUENCE, 'SQ', '', inside + 8), item(undefined, inside));
  });
  return join(...levels);
}

function nestedByDelimiter(depth: number): Uint8Array {
  return join(openedLevels(depth), repeated(join(itemEnd(), sequenceEnd()), depth));
}

function openedLevels(depth: number): Uint8Array {
  return repeated(join(explicit(CONTENT_SEQUENCE, 'SQ', '', UNDEFINED), item(undefined, UNDEFINED)), depth);
}

/** A sequence with VR UN is encoded as implicit VR, whatever surrounds it. */
function nestedUnknown(depth: number): Uint8Array {
  const inner = join(implicit(CONTENT_SEQUENCE, '', UNDEFINED), item(undefined, UNDEFINED));
  return join(
    explicit(CONTENT_SEQUENCE, 'UN', '', UNDEFINED),
    item(undefined, UNDEFINED),
    repeated(inner, depth - 1),
    repeated(join(itemEnd(), sequenceEnd()), depth),
  );
}
