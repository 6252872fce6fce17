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

export function unpackList<Item>({ pieces }: PackedList<Item>): Item[] {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- packed by `packList`
  return pieces.flatMap((piece) => deserialize(piece) as Item[]);
}
