import { item, explicit, join } from '../../support/rawElements.ts';
import { type HostileFile, image, imageAround, refused, shown, shownInTime, words } from '../hostileFile.ts';

const PALETTE = { PhotometricInterpretation: 'PALETTE COLOR', PixelRepresentation: 0 };

const descriptors = (...values: readonly number[]) => ({
  RedPaletteColorLookupTableDescriptor: { vr: 'US', value: words(...values) },
  GreenPaletteColorLookupTableDescriptor: { vr: 'US', value: words(...values) },
  BluePaletteColorLookupTableDescriptor: { vr: 'US', value: words(...values) },
});
const tables = (bytes: Uint8Array) => ({
  RedPaletteColorLookupTableData: bytes,
  GreenPaletteColorLookupTableData: bytes,
  BluePaletteColorLookupTableData: bytes,
});
const segments = (bytes: Uint8Array) => ({
  SegmentedRedPaletteColorLookupTableData: bytes,
  SegmentedGreenPaletteColorLookupTableData: bytes,
  SegmentedBluePaletteColorLookupTableData: bytes,
});
const voiTable = (descriptor: Uint8Array, data: Uint8Array) => ({
  WindowCenter: undefined,
  WindowWidth: undefined,
  VOILUTSequence: [{ LUTDescriptor: { vr: 'US', value: descriptor }, LUTData: { vr: 'OW', value: data } }],
});

/** The segment to repeat is given by its byte offset from the start, low word first. */
const INDIRECT = 2;

/** Palettes, tables and overlays that are shorter than declared. */
export const lookupTables: readonly HostileFile[] = [
  shown('a palette of 65536 entries in two bytes', () =>
    image({ ...PALETTE, ...descriptors(0, 0, 16), ...tables(words(1)) }),
  ),
  shown('a palette of entries of 0 bits', () => image({ ...PALETTE, ...descriptors(2, 0, 0), ...tables(words(1, 2)) })),
  shown('a palette of entries of 65535 bits', () =>
    image({ ...PALETTE, ...descriptors(2, 0, 65_535), ...tables(words(1, 2)) }),
  ),
  refused('a palette of no entries', 'unsupported_pixel_layout', () =>
    image({ ...PALETTE, ...descriptors(2, 0, 16), ...tables(new Uint8Array(0)) }),
  ),
  refused('a palette of descriptors only', 'unsupported_pixel_layout', () =>
    image({ ...PALETTE, ...descriptors(2, 0, 16) }),
  ),
  refused('a palette image without a palette', 'unsupported_pixel_layout', () => image(PALETTE)),
  refused('a palette whose descriptor is empty', 'unsupported_pixel_layout', () =>
    image({ ...PALETTE, ...descriptors(), ...tables(words(1, 2)) }),
  ),
  shown('a segmented palette that repeats itself for ever', () =>
    image({ ...PALETTE, ...descriptors(0, 0, 16), ...segments(words(0, 1, 5, INDIRECT, 1, 6, 0)) }),
  ),
  shown('a segmented palette that repeats 65535 segments 10000 times', () =>
    image({
      ...PALETTE,
      ...descriptors(0, 0, 16),
      ...segments(words(0, 1, 5, ...Array.from({ length: 10_000 }, () => [INDIRECT, 65_535, 0, 0]).flat())),
    }),
  ),
  shown('a segmented palette of lines of 65535 steps', () =>
    image({
      ...PALETTE,
      ...descriptors(0, 0, 16),
      ...segments(words(0, 1, 5, ...Array.from({ length: 10_000 }, () => [1, 65_535, 9]).flat())),
    }),
  ),
  shown('a VOI table of 65536 entries in two bytes', () => image(voiTable(words(0, 0, 16), words(1)))),
  shown('a VOI table of no entries', () => image(voiTable(words(0, 0, 16), new Uint8Array(0)))),
  shown('a VOI table without a descriptor', () => image(voiTable(new Uint8Array(0), words(1, 2)))),
  shown('a modality table shorter than its descriptor', () =>
    image({
      ModalityLUTSequence: [
        { LUTDescriptor: { vr: 'US', value: words(0, 0, 16) }, LUTData: { vr: 'OW', value: words(7) } },
      ],
    }),
  ),
  shownInTime('100000 VOI tables', () =>
    imageAround(
      explicit(
        0x00283010,
        'SQ',
        Buffer.alloc(
          3_400_000,
          item(join(explicit(0x00283002, 'US', words(1, 0, 16)), explicit(0x00283006, 'OW', ''))),
        ),
      ),
    ),
  ),
  shown('windows of NaN and infinity', () =>
    image({
      WindowCenter: { vr: 'DS', value: Buffer.from('NaN\\1e999 ') },
      WindowWidth: { vr: 'DS', value: Buffer.from('0\\-1e999 ') },
    }),
  ),
  shown('a window of a million values', () =>
    image({ WindowCenter: { vr: 'UT', value: Buffer.from('1\\'.repeat(1_000_000)) } }),
  ),
  shown('a rescale slope of 1e308', () => image({ RescaleSlope: '1e308', RescaleIntercept: '1e308' })),
  shown('a rescale slope of 0', () => image({ RescaleSlope: '0' })),

  shown('an overlay of 65535 x 65535 in two bytes', () => image(overlay(0x6000, 65_535, 65_535))),
  shown('sixteen overlays of 65535 x 65535', () =>
    image(Object.assign({}, ...Array.from({ length: 16 }, (_, i) => overlay(0x6000 + 2 * i, 65_535, 65_535)))),
  ),
  shown('an overlay of no size', () => image(overlay(0x6000, 0, 0))),
  shown('an overlay far outside of the image', () =>
    image({ ...overlay(0x6000, 4, 4), '60000050': { vr: 'SS', value: words(32_768, 32_767) } }),
  ),
  shown('an overlay of 2^31-1 frames', () =>
    image({
      ...overlay(0x6000, 4, 4),
      '60000015': { vr: 'IS', value: '2147483647' },
      '60000051': { vr: 'US', value: words(65_535) },
    }),
  ),
  shown('an overlay in bit 65535', () =>
    image({ ...overlay(0x6000, 1, 3), '60003000': undefined, '60000102': { vr: 'US', value: words(65_535) } }),
  ),
  shownInTime('a shutter of a million vertices', () =>
    image({
      ShutterShape: 'POLYGONAL',
      VerticesOfThePolygonalShutter: { vr: 'UT', value: Buffer.from('1\\'.repeat(1_000_000)) },
    }),
  ),
  shown('a circular shutter of radius -1', () =>
    image({ ShutterShape: 'CIRCULAR', CenterOfCircularShutter: ['1', '1'], RadiusOfCircularShutter: '-1' }),
  ),
];

function overlay(group: number, rows: number, columns: number) {
  const tag = (element: string) => group.toString(16) + element;
  return {
    [tag('0010')]: { vr: 'US', value: words(rows) },
    [tag('0011')]: { vr: 'US', value: words(columns) },
    [tag('0040')]: { vr: 'CS', value: 'G' },
    [tag('0050')]: { vr: 'SS', value: words(1, 1) },
    [tag('0100')]: { vr: 'US', value: words(1) },
    [tag('0102')]: { vr: 'US', value: words(0) },
    [tag('3000')]: { vr: 'OW', value: words(5) },
  };
}
