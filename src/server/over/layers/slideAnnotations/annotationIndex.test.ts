import { array, assert, double, property, record } from 'fast-check';
import { expect, test } from 'vitest';
import { createGroupFinder, findAnnotations, orderAnnotations } from './annotationIndex.ts';

const place = double({ min: -1000, max: 1000, noNaN: true });
const size = double({ min: 0, max: 300, noNaN: true });
const annotation = record({ x: place, y: place, width: size, height: size });

test('the annotations in a box are those that comparing every one of them finds', () => {
  assert(
    property(array(annotation, { maxLength: 300 }), annotation, (all, wanted) => {
      const boxes = Float32Array.from(all.flatMap(({ x, y, width, height }) => [x, y, x + width, y + height]));
      const columns = orderAnnotations({
        length: all.length,
        boxes,
        places: Uint32Array.from(all, (_, at) => at),
        firsts: Uint32Array.from(all, (_, at) => at),
        counts: new Uint32Array(all.length).fill(1),
      });
      const box = {
        left: wanted.x,
        top: wanted.y,
        right: wanted.x + wanted.width,
        bottom: wanted.y + wanted.height,
      };
      const found: number[] = [];
      findAnnotations(columns, box, (at) => found.push(columns.firsts[at]!));
      const expected = all.flatMap((_, at) => {
        const [left, top, right, bottom] = boxes.subarray(4 * at, 4 * at + 4);
        return left! <= box.right && right! >= box.left && top! <= box.bottom && bottom! >= box.top ? [at] : [];
      });
      expect(found.toSorted((a, b) => a - b)).toEqual(expected);
      expect(columns.places).toEqual(columns.firsts);
    }),
  );
});

test('few annotations are looked at for a small box among many', () => {
  // A million points on a grid of 1000 x 1000, 10 apart.
  const length = 1_000_000;
  const boxes = new Float32Array(4 * length);
  for (let at = 0; at < length; at += 1) {
    const [x, y] = [(at % 1000) * 10, Math.floor(at / 1000) * 10];
    boxes.set([x, y, x + 4, y + 4], 4 * at);
  }
  const { grid, ...columns } = orderAnnotations({
    length,
    boxes,
    places: new Uint32Array(length),
    firsts: new Uint32Array(length),
    counts: new Uint32Array(length),
  });
  let looked = 0;
  const counted = new Proxy(columns.boxes, {
    get: (target, key) => {
      if (typeof key === 'string' && /^\d+$/.test(key) && Number(key) % 4 === 0) looked += 1;
      return Reflect.get(target, key);
    },
  });
  let found = 0;
  findAnnotations({ ...columns, boxes: counted, grid }, { left: 5000, top: 5000, right: 5099, bottom: 5099 }, () => {
    found += 1;
  });
  expect(found).toBe(100);
  expect(looked).toBeLessThan(1000);
});

test('the group of an annotation is found by its place, also beside empty groups', () => {
  const groupAt = createGroupFinder([0, 3, 3, 5, 5].map((start) => ({ start })));
  expect([0, 1, 2, 3, 4, 5, 99].map(groupAt)).toEqual([0, 0, 0, 2, 2, 4, 4]);
});
