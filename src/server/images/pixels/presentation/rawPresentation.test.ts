import { expect, test } from 'vitest';
import { findRawPresentation } from './rawPresentation.ts';
import type { FramePresentation } from './readPresentation.ts';

const PLAIN: FramePresentation = {
  modality: { kind: 'rescale', slope: 1, intercept: -1024 },
  voi: { windows: [], shape: undefined, tables: [] },
  padding: { low: -2000, high: -2000 },
  palette: undefined,
  supplementalPalette: undefined,
  shutters: undefined,
  overlays: [],
  embeddedOverlayBits: [],
  embeddedOverlayGroups: [],
  iccProfile: undefined,
};
const TABLE = { firstValue: 0, bits: 8, entries: Uint16Array.of(0, 255) };
const WINDOW = { center: 40, width: 400 };

test.each<[string, string, Partial<FramePresentation>, string]>([
  ['rescale, padding and percentiles', 'MONOCHROME2', {}, 'raw'],
  ['low values in white', 'MONOCHROME1', {}, 'raw'],
  ['a VOI LUT', 'MONOCHROME2', { voi: { ...PLAIN.voi, tables: [TABLE] } }, 'server_default'],
  ['a VOI LUT beside a window', 'MONOCHROME2', { voi: { ...PLAIN.voi, tables: [TABLE], windows: [WINDOW] } }, 'raw'],
  ['a modality LUT', 'MONOCHROME2', { modality: { kind: 'lut', table: TABLE } }, 'server'],
  ['an overlay in the stored words', 'MONOCHROME2', { embeddedOverlayBits: [12] }, 'server'],
  ['color', 'RGB', {}, 'server'],
  ['a palette', 'PALETTE COLOR', {}, 'server'],
])('%s: %s samples are presented as the header declares', (_, photometricInterpretation, presentation, expected) => {
  expect(findRawPresentation(photometricInterpretation, { ...PLAIN, ...presentation })).toBe(expected);
});
