/** A value of the root of a JSON file, as far as its first character tells. */
export type MemberKind = 'list' | 'object' | 'text' | 'other';

/** Read at a time. */
const PIECE_BYTES = 1024 * 1024;
const LONGEST_NAME = 256;
const MOST_MEMBERS = 1_000;
const [QUOTE, BACKSLASH, COLON, OPEN_OBJECT, OPEN_LIST] = [0x22, 0x5c, 0x3a, 0x7b, 0x5b];
const CLOSING: ReadonlySet<number> = new Set([0x7d, 0x5d]);
const SPACES: ReadonlySet<number> = new Set([0x20, 0x09, 0x0a, 0x0d]);

/**
 * Lists the members of the object that a JSON file has, piece by piece and without parsing it: a file may be larger than
 * the memory of the page. It need not be well-formed.
 */
export async function listMembers(file: Blob): Promise<ReadonlyMap<string, MemberKind>> {
  const members = new Map<string, MemberKind>();
  let level = 0;
  let isText = false;
  let isEscaped = false;
  let isRootObject = false;
  /** The text that was read last in the root, which is a name if a colon follows. */
  let text: number[] = [];
  let name: string | undefined;
  for (let start = 0; start < file.size && members.size < MOST_MEMBERS; start += PIECE_BYTES) {
    const bytes = new Uint8Array(await file.slice(start, start + PIECE_BYTES).arrayBuffer());
    for (const byte of bytes) {
      if (isText) {
        if (isEscaped) isEscaped = false;
        else if (byte === BACKSLASH) isEscaped = true;
        else if (byte === QUOTE) isText = false;
        if (isText && level === 1 && text.length < LONGEST_NAME) text.push(byte);
        continue;
      }
      if (SPACES.has(byte)) continue;
      if (name !== undefined) {
        members.set(name, kindOf(byte));
        name = undefined;
      }
      if (byte === QUOTE) {
        isText = true;
        text = [];
      } else if (byte === COLON && level === 1 && isRootObject) {
        name = new TextDecoder().decode(Uint8Array.from(text));
      } else if (byte === OPEN_OBJECT || byte === OPEN_LIST) {
        if (level === 0) isRootObject = byte === OPEN_OBJECT;
        level += 1;
      } else if (CLOSING.has(byte)) level -= 1;
    }
  }
  return members;
}

function kindOf(byte: number): MemberKind {
  if (byte === OPEN_LIST) return 'list';
  if (byte === OPEN_OBJECT) return 'object';
  return byte === QUOTE ? 'text' : 'other';
}
