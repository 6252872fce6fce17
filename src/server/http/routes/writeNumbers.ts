import type { FrameIndices } from '../../references/references.ts';

/** Characters written before the event loop gets a turn. */
const PIECE = 64 * 1024;
/** The digits of a number below 2^32, and a comma. */
const LONGEST = 11;
const ZERO = '0'.charCodeAt(0);
const COMMA = ','.charCodeAt(0);

/**
 * Whole numbers from 0 to below 2^32, separated by commas, in pieces. They are written as bytes, because a string that
 * grows with each number leaves many times its size as garbage.
 */
export function* writeNumbers(numbers: FrameIndices): Generator<string> {
  const bytes = Buffer.allocUnsafe(Math.min(PIECE, numbers.length * LONGEST));
  let end = 0;
  for (let place = 0; place < numbers.length; place += 1) {
    if (end + LONGEST > bytes.length) {
      yield bytes.toString('latin1', 0, end);
      end = 0;
    }
    if (place > 0) bytes[end++] = COMMA;
    end = writeNumber(bytes, end, numbers.at(place) ?? 0);
  }
  if (end > 0) yield bytes.toString('latin1', 0, end);
}

/** Returns the offset after the number. */
function writeNumber(bytes: Uint8Array, start: number, number: number): number {
  let end = start + 1;
  for (let rest = number; rest >= 10; rest = Math.floor(rest / 10)) end += 1;
  let rest = number;
  for (let at = end - 1; at >= start; at -= 1) {
    bytes[at] = ZERO + (rest % 10);
    rest = Math.floor(rest / 10);
  }
  return end;
}
