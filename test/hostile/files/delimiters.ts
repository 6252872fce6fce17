import { explicit, item, itemEnd, join, sequenceEnd, UNDEFINED } from '../../support/rawElements.ts';
import { type HostileFile, imageAround, refused, shown } from '../hostileFile.ts';

const CONTENT_SEQUENCE = 0x0040a730;
const TEXT = explicit(0x0040a160, 'UT', 'text');

const opened = (...content: readonly Uint8Array[]) => join(explicit(CONTENT_SEQUENCE, 'SQ', '', UNDEFINED), ...content);

/** Misplaced delimiters, delimiters with a wrong length, and missing delimiters. */
export const delimiters: readonly HostileFile[] = [
  shown('an item delimiter that closes nothing', () => imageAround(itemEnd())),
  shown('a sequence delimiter that closes nothing', () => imageAround(sequenceEnd())),
  shown('an item outside of any sequence', () => imageAround(item())),
  shown('a hundred thousand delimiters that close nothing', () => imageAround(Buffer.alloc(800_000, itemEnd()))),
  shown('an item delimiter of 8 bytes', () => imageAround(opened(item(TEXT, UNDEFINED), itemEnd(8), sequenceEnd()))),
  shown('a sequence delimiter of 2^31 bytes', () => imageAround(opened(item(TEXT), sequenceEnd(2 ** 31)))),
  shown('delimiters of undefined length', () =>
    imageAround(opened(item(TEXT, UNDEFINED), itemEnd(UNDEFINED), sequenceEnd(UNDEFINED))),
  ),
  shown('a delimiter inside an item that has a length', () =>
    imageAround(opened(item(join(itemEnd(), TEXT)), sequenceEnd())),
  ),
  shown('an item without its delimiter', () => imageAround(opened(item(TEXT, UNDEFINED), sequenceEnd()))),
  // Everything that follows then belongs to the item, including the pixels.
  refused('a sequence without its delimiters', 'no_pixel_data', () => imageAround(opened(item(TEXT, UNDEFINED)))),
  refused('an item longer than the file', 'no_pixel_data', () => imageAround(opened(item(TEXT, 0xfffffffe)))),
];
