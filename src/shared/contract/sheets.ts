import { type Static, Type } from './schema.ts';
import { PLANE_NAMES } from '../planeNames.ts';

/** `native`: the images as they are. */
export const SHEET_PLANES = ['native', ...PLANE_NAMES] as const;
export type SheetPlane = (typeof SHEET_PLANES)[number];

export const MOST_SHEET_SLICES = 64;
const MOST_COLUMNS = 32;
const MOST_WIDTH = 2048;
export const SHEET_WIDTH = 480;

const NUMBER = String.raw`-?(\d+\.?\d*|\.\d+)([eE][+-]?\d{1,3})?`;

export const SheetQuery = Type.Object({
  /** Pictures on the sheet; fewer if the series has no more. For one: the middle, or with layers the one with most. */
  slices: Type.Optional(Type.Integer({ minimum: 1, maximum: MOST_SHEET_SLICES, default: 9 })),
  /** Pictures in a row; default: as many as make the sheet square. */
  columns: Type.Optional(Type.Integer({ minimum: 1, maximum: MOST_COLUMNS })),
  /** Planes of the volume that the images fill, in place of the images. */
  plane: Type.Optional(Type.Enum([...SHEET_PLANES], { default: 'native' })),
  /** `auto`: as the page shows the series. `file`: what each image declares. Or center and width in modality units. */
  window: Type.Optional(
    Type.String({ pattern: `^(auto|file|${NUMBER},${NUMBER})$`, examples: ['auto', 'file', '40,400'] }),
  ),
  /** Width of the sheet in pixels. */
  w: Type.Optional(Type.Integer({ minimum: 16, maximum: MOST_WIDTH, default: SHEET_WIDTH })),
  /** 1: with the masks and contours that lie over the images, and the marks on them. */
  layers: Type.Optional(Type.Enum(['0', '1'], { default: '0' })),
  /**
   * Two masks or structures by their numbers in /layers, the truth first: where they agree and differ is drawn, and the worst
   * image is shown. `named`: the same of those that were named with --truth and --test.
   */
  errors: Type.Optional(Type.String({ pattern: '^(named|\\d{1,7}:\\d{1,7})$', examples: ['named', '4:5'] })),
});
export type SheetQuery = Static<typeof SheetQuery>;
