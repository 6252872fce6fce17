/**
 * The passes of a code-block need all of its bytes, so another number of bytes means that bytes or passes are wrong. They do
 * not need them exactly: an encoder that ends a code-block early may estimate its length, and may leave out bytes that
 * decoders make up. In the undamaged streams of the tests, none was left over and at most 5 were made up; the limits leave room.
 */
export const MOST_UNREAD_BYTES = 8;
export const MOST_MADE_UP_BYTES = 16;

/** OpenJPEG counts the same if a stream promises predictable termination, and reports what is more than one or two. */
const REPORT = /PTERM check failure: (\d+) (remaining|synthesized)/;

/** Whether a message of OpenJPEG is about a code-block that is as long as an encoder may make it. */
export function isUsualRest(message: string): boolean {
  const [, count, kind] = REPORT.exec(message) ?? [];
  if (count === undefined) return false;
  // Of the remaining bytes, OpenJPEG does not count the first.
  return kind === 'remaining' ? Number(count) + 1 <= MOST_UNREAD_BYTES : Number(count) <= MOST_MADE_UP_BYTES;
}
