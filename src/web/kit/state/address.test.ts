import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { type CellAddress, EMPTY_ADDRESS, parseAddress, type ViewAddress } from './address.ts';
import { formatAddress } from './formatAddress.ts';
import { type CellWindow, NO_LINKS } from './cells.ts';
import { COLOR_MAPS } from './colorMaps.ts';
import { FLIP_AXES } from '../../../shared/flipAxes.ts';
import { WHOLE_IMAGE } from './viewState.ts';

const side = fc.integer({ min: 1, max: 4 });
const finite = fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => value + 0);
const window: fc.Arbitrary<CellWindow> = fc.oneof(
  fc.integer({ min: 0, max: 99 }).map((index) => ({ kind: 'file' as const, index })),
  fc.constant({ kind: 'full' as const }),
  fc.constant({ kind: 'preset' as const, name: 'Lung', center: -600, width: 1500 }),
  fc
    .tuple(finite, finite)
    .map(([center, width]) => ({ kind: 'custom' as const, center, width: Math.abs(width) + 0.5 })),
);
const byte = fc.integer({ min: 0, max: 255 });
/** Hundredths of a pixel; may lie outside the image. */
const coordinate = fc.integer({ min: -4e9, max: 4e9 }).map((value) => value / 100 + 0);
const millimetres = fc.integer({ min: -1e6, max: 1e6 }).map((value) => value / 1000 + 0);
const cellAddress = fc.record({
  instance: fc.string({ minLength: 1 }),
  frameNumber: fc.integer({ min: 1, max: 1e6 }),
  window,
  view: fc.record({
    zoom: fc.oneof(
      fc.constant('fit' as const),
      fc.integer({ min: 1000, max: 9999 }).map((zoom) => zoom / 1000),
    ),
    center: fc.option(fc.record({ x: coordinate, y: coordinate }), { nil: undefined }),
    quarterTurns: fc.constantFrom(0 as const, 1 as const, 2 as const, 3 as const),
    flipHorizontal: fc.boolean(),
    flipVertical: fc.boolean(),
  }),
  invert: fc.boolean(),
  colorMap: fc.constantFrom(...COLOR_MAPS.map(({ name }) => name)),
  mix: fc.option(
    fc.array(
      fc.record({
        path: fc.string(),
        color: fc.tuple(byte, byte, byte),
        isVisible: fc.boolean(),
        range: fc.option(
          fc
            .tuple(fc.integer({ min: -1e6, max: 1e6 }), fc.integer({ min: 1, max: 1e6 }))
            .map(([low, more]) => ({ low: low / 4, high: (low + more) / 4 })),
          { nil: undefined },
        ),
      }),
      { minLength: 1, maxLength: 3 },
    ),
    { nil: undefined },
  ),
  plane: fc.option(fc.string({ minLength: 1 }), { nil: undefined }),
  presentation: fc.option(
    fc.record({
      name: fc.string({ minLength: 1 }),
      mode: fc.constantFrom('all' as const, 'marks' as const),
      isShown: fc.boolean(),
      otherwise: fc.constant(undefined),
    }),
    { nil: undefined },
  ),
  keyObjects: fc.option(fc.string({ minLength: 1 }), { nil: undefined }),
  item: fc.option(fc.string({ minLength: 1 }), { nil: undefined }),
});

/** Addresses as the page writes them: at most as many cells as the layout has, and the last cell is not blank. */
const address: fc.Arbitrary<ViewAddress> = fc.record({ rows: side, columns: side }).chain((layout) => {
  const count = layout.rows * layout.columns;
  return fc.record({
    layout: fc.constant(layout),
    activeCell: fc.integer({ min: 0, max: count - 1 }),
    cells: fc
      .tuple(fc.array(fc.option(cellAddress, { nil: undefined }), { maxLength: count - 1 }), cellAddress)
      .map(([a, b]) => [...a, b]),
    links: fc.record({
      scroll: fc.boolean(),
      window: fc.boolean(),
      zoom: fc.boolean(),
      layers: fc.boolean(),
    }),
    tab: fc.option(fc.string(), { nil: undefined }),
    layers: fc.array(
      fc.record({
        name: fc.string({ minLength: 1 }),
        cells: fc.option(fc.uniqueArray(fc.integer({ min: 0, max: count - 1 }), { minLength: 1 }), { nil: undefined }),
      }),
      { maxLength: 3 },
    ),
    choices: fc.array(
      fc.record({
        name: fc.string({ minLength: 1 }),
        instance: fc.string({ minLength: 1 }),
        frameNumber: fc.integer({ min: 1, max: 1e6 }),
        order: fc.integer({ min: 0, max: 5 }),
        flips: fc.subarray([...FLIP_AXES]),
      }),
      { maxLength: 2 },
    ),
    registrations: fc.array(fc.string({ minLength: 1 }), { maxLength: 2 }),
    crosshairs: fc.array(
      fc.record({ space: fc.string({ minLength: 1 }), point: fc.tuple(millimetres, millimetres, millimetres) }),
      { maxLength: 2 },
    ),
    cohort: fc.oneof(
      fc.constant({ cohortAt: 'closed' as const }),
      fc.record({
        cohortAt: fc.constantFrom('front' as const, 'behind' as const),
        cohortText: fc.constantFrom('', 'table.series;where=A%3D1', 'gallery.study'),
      }),
    ),
    compareText: fc.constantFrom(undefined, '', '1.2,marks;pairs=1:2_3:4;only=fp'),
  });
});

test('every view is the same after a way through the address bar', () => {
  fc.assert(
    fc.property(address, (view) => {
      expect(parseAddress(formatAddress(view))).toEqual(view);
    }),
  );
});

const PLAIN = {
  instance: '1.2.3',
  frameNumber: 1,
  window: { kind: 'file', index: 0 },
  view: WHOLE_IMAGE,
  invert: false,
  colorMap: 'gray',
  mix: undefined,
  plane: undefined,
  presentation: undefined,
  keyObjects: undefined,
  item: undefined,
} as const;

test('the address names images by UID, frames from 1, and only what differs from a plain view', () => {
  const plain = { ...PLAIN, frameNumber: 4 };
  const lung = { ...plain, window: { kind: 'preset', name: 'Lung', center: -600, width: 1500 } } as const;
  expect(formatAddress({ ...EMPTY_ADDRESS, cells: [plain] })).toBe('cell=1.2.3,4');
  expect(
    formatAddress({
      ...EMPTY_ADDRESS,
      layout: { rows: 1, columns: 2 },
      activeCell: 1,
      cells: [undefined, lung],
      tab: 'marks',
    }),
  ).toBe('layout=1x2&active=2&cell=&cell=1.2.3,4,-600w1500&tab=marks');
});

test.each(['', 'layout=9x9', 'layout=1', 'active=7', 'cell=', 'nonsense', 'layout=0x1&active=-1', 'active=1.5'])(
  'what makes no sense in the address is a plain view: %s',
  (text) => {
    expect(parseAddress(text)).toEqual({ ...EMPTY_ADDRESS, cells: text === 'cell=' ? [undefined] : [] });
  },
);

test.each(['0w0', 'w', 'abc', '40w-1', 'Infinityw3', 'file'])(
  'a window that is none is the own one of the file: %s',
  (text) => {
    expect(parseAddress(`cell=1.2,1,${text}`).cells[0]?.window).toEqual({ kind: 'file', index: 0 });
  },
);

function format(cell: Partial<CellAddress>): string {
  return formatAddress({ ...EMPTY_ADDRESS, cells: [{ ...PLAIN, ...cell }] }).replace('cell=1.2.3,1', '');
}

test('the address says which place of a document is shown, and in which cell', () => {
  const cells = [
    { ...PLAIN, item: '1.3.2' },
    { ...PLAIN, item: 'page 4' },
  ];
  expect(formatAddress({ ...EMPTY_ADDRESS, layout: { rows: 1, columns: 2 }, cells })).toBe(
    'layout=1x2&cell=1.2.3,1&cell=1.2.3,1&item=1.3.2&item=page%204,2',
  );
});

test('the address says which part of an image is on screen, how it lies there, and which cells are linked', () => {
  const center = { x: 59313.4, y: -34788.456 };
  expect(format({ view: { ...WHOLE_IMAGE, zoom: 0.09753123, center } })).toBe(',,59313_-34788_0.09753');
  expect(format({ view: { ...WHOLE_IMAGE, zoom: 1.5, center } })).toBe(',,59313.4_-34788.46_1.5');
  expect(format({ view: { ...WHOLE_IMAGE, zoom: 1 } })).toBe(',,1');
  expect(format({ view: { ...WHOLE_IMAGE, center: { x: 1, y: 2 } } })).toBe(',,1_2_fit');
  expect(format({ view: { ...WHOLE_IMAGE, quarterTurns: 1, flipVertical: true } })).toBe(',,,90v');
  expect(format({ invert: true })).toBe(',,,0i');
  expect(format({ colorMap: 'hot-iron' })).toBe(',,,,hot-iron');
  expect(parseAddress('cell=1.2,1,,,,purple').cells[0]?.colorMap).toBe('gray');
  expect(formatAddress({ ...EMPTY_ADDRESS, links: { ...NO_LINKS, scroll: true, zoom: true } })).toBe(
    'link=scroll_zoom',
  );
});

test.each(['1_2', '1_2_0', 'a_b_c', '1_2_Infinity', '__', '1_2_-3', '1_2_3_4', '0', 'x'])(
  'a place that is none is all of it: %s',
  (text) => {
    expect(parseAddress(`cell=1.2,1,,${text}`).cells[0]?.view).toEqual(WHOLE_IMAGE);
  },
);

test.each(['45', 'h', '90x', 'i', '0vh'])('a turn that is none is that of the stored image: %s', (text) => {
  expect(parseAddress(`cell=1.2,1,,,${text}`).cells[0]).toMatchObject({ view: WHOLE_IMAGE, invert: false });
});

test('a layer over some of the cells names them, and a link without cells means all', () => {
  const name = '1.2,3';
  expect(formatAddress({ ...EMPTY_ADDRESS, layers: [{ name, cells: undefined }] })).toBe('layer=1.2%2C3');
  expect(formatAddress({ ...EMPTY_ADDRESS, layers: [{ name, cells: [0, 2] }] })).toBe('layer=1.2%2C3,1_3');
  expect(parseAddress('layout=1x2&layer=9,2_7_x').layers).toEqual([{ name: '9', cells: [1] }]);
  expect(parseAddress('layer=').layers).toEqual([]);
});

test('a layer names the volume that was chosen of several', () => {
  const all = { name: 'a', cells: undefined, volume: 3 };
  const some = { name: 'a', cells: [1], volume: 0 };
  expect(formatAddress({ ...EMPTY_ADDRESS, layers: [all] })).toBe('layer=a,,4');
  expect(formatAddress({ ...EMPTY_ADDRESS, layers: [some] })).toBe('layer=a,2,1');
  expect(parseAddress('layer=a,,4').layers).toEqual([all]);
  expect(parseAddress('layout=1x2&layer=a,2,1').layers).toEqual([some]);
  for (const wrong of ['0', '-1', '1.5', 'x', '99999999', '']) {
    expect(parseAddress(`layer=a,,${wrong}`).layers).toEqual([{ name: 'a', cells: undefined }]);
  }
});

test('a layer names the range of measured values that it is restricted to', () => {
  const filter = { title: 'Area (µm²), mean', low: -1.5, high: 40 };
  const all = { name: 'a', cells: undefined, filter };
  const some = { name: 'a', cells: [1], volume: 2, filter };
  for (const layer of [all, some]) {
    const text = formatAddress({ ...EMPTY_ADDRESS, layout: { rows: 1, columns: 2 }, layers: [layer] });
    expect(parseAddress(text).layers).toEqual([layer]);
  }
  expect(formatAddress({ ...EMPTY_ADDRESS, layers: [{ ...all, filter: { ...filter, title: 'Area' } }] })).toBe(
    'layer=a,,,-1.5_40,Area',
  );
  for (const wrong of ['1,Area', '_,Area', 'x_2,Area', '1_2', '1_2,']) {
    expect(parseAddress(`layer=a,,,${wrong}`).layers).toEqual([{ name: 'a', cells: undefined }]);
  }
});

test('doses that a dose is combined with are part of its layer', () => {
  const layer = { name: 'a;1', cells: [1], plus: ['b,+', 'c'], minus: ['-d'] };
  const text = formatAddress({ ...EMPTY_ADDRESS, layout: { rows: 1, columns: 2 }, layers: [layer] });
  expect(text).toBe('layout=1x2&layer=a%3B1,2;+b%2C%2B;+c;--d');
  expect(parseAddress(text).layers).toEqual([layer]);
  expect(parseAddress('layer=a;x;+').layers).toEqual([{ name: 'a', cells: undefined }]);
});

test('layers are in the order of the address, in which later ones lie above, and may be linked', () => {
  expect(parseAddress('link=layers').links).toEqual({ ...NO_LINKS, layers: true });
  expect(parseAddress('layer=b&layer=a&layer=c').layers.map(({ name }) => name)).toEqual(['b', 'a', 'c']);
});

test('decisions about model output and registrations are part of the address', () => {
  const choice = { name: '~cube.npy', instance: '1.2,3', frameNumber: 1, order: 0, flips: [] };
  const turned = { ...choice, order: 2, flips: ['rows', 'slices'] as const };
  const text = formatAddress({ ...EMPTY_ADDRESS, choices: [choice, turned], registrations: ['1.2.9'] });
  expect(text).toBe('lay=~cube.npy,1.2%2C3,1&lay=~cube.npy,1.2%2C3,1,2,rs&reg=1.2.9');
  expect(parseAddress(text)).toMatchObject({ choices: [choice, turned], registrations: ['1.2.9'] });
  expect(parseAddress('lay=a&lay=a,b,0&lay=a,b,1,-1&lay=a,b,x&reg=')).toMatchObject({ choices: [], registrations: [] });
});
