import { expect, test } from 'vitest';
import { findText } from './findText.ts';
import { layOutPages, pageAt } from './pageLayout.ts';

const line = (str: string, hasEOL = true) => ({ str, hasEOL });

test.each([
  ['in one piece, in any case', [line('No Focal lesion')], 'focal', [[{ piece: 0, from: 3, to: 8 }]]],
  [
    'over a line end',
    [line('no focal'), line('lesion')],
    'focal  lesion',
    [
      [
        { piece: 0, from: 3, to: 8 },
        { piece: 1, from: 0, to: 6 },
      ],
    ],
  ],
  [
    'over pieces of one line',
    [line('le', false), line('sion', false)],
    'lesion',
    [
      [
        { piece: 0, from: 0, to: 2 },
        { piece: 1, from: 0, to: 4 },
      ],
    ],
  ],
  [
    'twice',
    [line('aa a')],
    'a',
    [[{ piece: 0, from: 0, to: 1 }], [{ piece: 0, from: 1, to: 2 }], [{ piece: 0, from: 3, to: 4 }]],
  ],
  ['of spaces only, which is none', [line('a b')], '  ', []],
  ['beside a letter whose lower case is longer', [line('İ focal')], 'focal', [[{ piece: 0, from: 2, to: 7 }]]],
])('a text is found %s', (_, pieces, wanted, found) => {
  expect(findText(pieces, wanted)).toEqual(found);
});

test('pages lie below each other with a gap of 10 pixels', () => {
  const { tops, height } = layOutPages([100, 50, 70]);
  expect({ tops, height }).toEqual({ tops: [10, 120, 180], height: 260 });
  expect([0, 10, 119, 120, 200, 999].map((y) => pageAt(tops, y))).toEqual([0, 0, 0, 1, 2, 2]);
});
