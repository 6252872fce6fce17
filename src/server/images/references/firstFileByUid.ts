import { randomBytes } from 'node:crypto';

/** A power of two. Each part grows by itself, so that no file waits until a million others have found a new place. */
const PARTS = 256;
const FIRST_SLOTS = 8;

/** Open addressing. */
type Part = {
  count: number;
  /** The index of a file plus one, or 0. */
  slots: Uint32Array;
  /** Of the UIDs in the slots, so that a part can grow without them. */
  hashes: Uint32Array;
};

/**
 * The first file with each UID, for lists of millions: it keeps some ten bytes a file and no UID, which the file has. A map of
 * UIDs takes twenty times as much.
 */
export class FirstFileByUid {
  readonly #parts = Array.from({ length: PARTS }, () => createPart(FIRST_SLOTS));
  readonly #uidOf: (file: number) => string | undefined;
  // UIDs that a folder was made with must not all fall into the same slot.
  readonly #seed = randomBytes(4).readUInt32LE();

  constructor(uidOf: (file: number) => string | undefined) {
    this.#uidOf = uidOf;
  }

  find(uid: string): number | undefined {
    const hash = this.#hash(uid);
    const { slots, hashes } = this.#parts[hash % PARTS]!;
    const found = slots[this.#slotOf(slots, hashes, hash, uid)]!;
    return found === 0 ? undefined : found - 1;
  }

  /** Adds a file unless another one with its UID is there, whose index is returned. */
  add(uid: string, file: number): number | undefined {
    const hash = this.#hash(uid);
    const part = this.#parts[hash % PARTS]!;
    const slot = this.#slotOf(part.slots, part.hashes, hash, uid);
    if (part.slots[slot] !== 0) return part.slots[slot]! - 1;
    part.slots[slot] = file + 1;
    part.hashes[slot] = hash;
    part.count += 1;
    if (2 * part.count > part.slots.length) grow(part);
    return undefined;
  }

  /** The slot that has the UID, or an empty one. */
  #slotOf(slots: Uint32Array, hashes: Uint32Array, hash: number, uid: string): number {
    const mask = slots.length - 1;
    let at = Math.floor(hash / PARTS) & mask;
    while (slots[at] !== 0 && (hashes[at] !== hash || this.#uidOf(slots[at]! - 1) !== uid)) at = (at + 1) & mask;
    return at;
  }

  /** The finalizer of MurmurHash3 over FNV-1a. */
  #hash(uid: string): number {
    let hash = this.#seed;
    for (let at = 0; at < uid.length; at += 1) hash = Math.imul(hash ^ uid.charCodeAt(at), 0x01000193);
    hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
    hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
    return (hash ^ (hash >>> 16)) >>> 0;
  }
}

function createPart(slots: number): Part {
  return { count: 0, slots: new Uint32Array(slots), hashes: new Uint32Array(slots) };
}

function grow(part: Part): void {
  const { slots, hashes } = createPart(part.slots.length * 2);
  const mask = slots.length - 1;
  for (const [from, file] of part.slots.entries()) {
    if (file === 0) continue;
    const hash = part.hashes[from]!;
    let at = Math.floor(hash / PARTS) & mask;
    while (slots[at] !== 0) at = (at + 1) & mask;
    slots[at] = file;
    hashes[at] = hash;
  }
  part.slots = slots;
  part.hashes = hashes;
}
