import { expect, test } from 'vitest';
import type { GraphicsPacket } from './contract/graphics.ts';
import { decodeGraphics, encodeGraphics } from './graphicsPacket.ts';

test('a packet of graphics is the same after it was sent, with texts of any language', () => {
  const packet: GraphicsPacket = {
    rows: 24,
    columns: 32,
    items: [
      {
        part: 3,
        shape: 'polyline',
        units: 'pixel',
        points: [-0.5, 1.25, 3, 4],
        isFilled: false,
        style: { color: [1, 2, 3], widthPx: 2, isDashed: true, opacity: 0.5, arrows: 'end', mark: 'circle' },
        text: {
          value: 'Länge 12 µm\n長さ 🙂',
          box: { corners: [0, 0, 0.5, 0.25], units: 'display', align: 'center' },
          anchor: { point: [3, 4], units: 'pixel', isMarked: true },
        },
        how: 'nearest',
        distanceMm: -1.5,
        uncertaintyPx: 2.5,
      },
      { part: 1, shape: 'text', units: 'display', points: [], isFilled: true, style: {}, how: 'stored', distanceMm: 0 },
    ],
    area: { corners: [-0.5, -0.5, 31.5, 23.5], rotation: 90, isFlipped: true },
  };
  expect(decodeGraphics(encodeGraphics(7, packet).buffer)).toEqual(packet);
});
