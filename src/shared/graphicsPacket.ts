import type { GraphicArea, GraphicsPacket } from './contract/graphics.ts';
import { fromWireGraphic, toWireGraphic, type WireGraphic } from './wireGraphics.ts';

type WireGraphics = {
  readonly layer: number;
  readonly kind: 'graphics';
  readonly rows: number;
  readonly columns: number;
  readonly items: readonly WireGraphic[];
  readonly area?: {
    readonly corners: GraphicArea['corners'];
    readonly rotation: GraphicArea['rotation'];
    readonly flipped: boolean;
  };
};

const LENGTH_BYTES = 4;

/** Wire format: the length of the header (32 bits, little endian), and the header as JSON in ASCII. */
export function encodeGraphics(layer: number, { rows, columns, items, area }: GraphicsPacket): Uint8Array<ArrayBuffer> {
  const header: WireGraphics = {
    layer,
    kind: 'graphics',
    rows,
    columns,
    items: items.map(toWireGraphic),
    ...(area !== undefined && {
      area: { corners: area.corners, rotation: area.rotation, flipped: area.isFlipped },
    }),
  };
  const json = JSON.stringify(header).replaceAll(
    /[\u007f-\uffff]/g,
    (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
  const bytes = new Uint8Array(LENGTH_BYTES + json.length);
  new DataView(bytes.buffer).setUint32(0, json.length, true);
  for (let at = 0; at < json.length; at += 1) bytes[LENGTH_BYTES + at] = json.charCodeAt(at);
  return bytes;
}

export function decodeGraphics(buffer: ArrayBuffer): GraphicsPacket {
  const length = new DataView(buffer).getUint32(0, true);
  const texts: string[] = [];
  for (const byte of new Uint8Array(buffer, LENGTH_BYTES, length)) texts.push(String.fromCharCode(byte));
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- written by encodeGraphics
  const { rows, columns, items, area } = JSON.parse(texts.join('')) as WireGraphics;
  return {
    rows,
    columns,
    items: items.map(fromWireGraphic),
    ...(area !== undefined && {
      area: { corners: area.corners, rotation: area.rotation, isFlipped: area.flipped },
    }),
  };
}
