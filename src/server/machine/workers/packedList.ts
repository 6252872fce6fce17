import { deserialize, serialize } from 'node:v8';
import type { WorkInTurns } from './doInTurns.ts';

/**
 * A long list of objects, packed for another thread. As part of a message, all of them would be copied at once, and some
 * ten thousand objects block the event loop for longer than a request may wait; packed, they are only bytes.
 */
export type PackedList<Item> = {
  readonly pieces: readonly Uint8Array[];
  /** Never set; it only carries the type. */
  readonly item?: Item;
};

/** Takes well below a millisecond to pack. */
const PIECE_ITEMS = 128;

/** Items must be data that can be sent in a message. */
export function* packList<Item>(items: Iterable<Item>): WorkInTurns<PackedList<Item>> {
  const pieces: Uint8Array[] = [];
  let piece: Item[] = [];
  for (const item of items) {
    piece.push(item);
    if (piece.length < PIECE_ITEMS) continue;
    pieces.push(serialize(piece));
    piece = [];
    yield;
  }
  pieces.push(serialize(piece));
  return { pieces };
}

/** Packs a list in a thread that nobody else waits for. */
export function packAtOnce<Item>(items: Iterable<Item>): PackedList<Item> {
  const packing = packList(items);
  for (;;) {
    const step = packing.next();
    if (step.done === true) return step.value;
  }
}

/** The items of one piece after the other, each unpacked when its first item is asked for. */
export function* unpackInTurn<Item>({ pieces }: PackedList<Item>): Generator<Item, void> {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- packed by `packList`
  for (const piece of pieces) yield* deserialize(piece) as Item[];
}

export function unpackList<Item>({ pieces }: PackedList<Item>): Item[] {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- packed by `packList`
  return pieces.flatMap((piece) => deserialize(piece) as Item[]);
}
