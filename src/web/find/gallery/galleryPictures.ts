import type { SheetPlane } from '../../../shared/contract/sheets.ts';
import { fetchPreview, type FrameAddress } from '../../kit/api/frames.ts';
import { fetchSheet, type SheetAnswer } from '../../kit/api/sheets.ts';
import { createLoader, type Loader } from '../../kit/loading/createLoader.ts';
import { definePart } from '../../kit/state/page.ts';

/** A picture of the gallery: key slices of a series, or a frame. */
export type GalleryWish =
  | {
      readonly kind: 'sheet';
      readonly fileIndex: number;
      readonly slices: number;
      readonly plane: SheetPlane;
      readonly hasLayers: boolean;
      readonly hasErrors: boolean;
      /** In device pixels. */
      readonly width: number;
      /** Changes with the marks, if these are drawn. */
      readonly version: number;
    }
  | ({
      readonly kind: 'frame';
      readonly size: number;
      /** Undefined for that of the frame. */
      readonly window?: GalleryPicture['window'];
    } & FrameAddress);

export type GalleryPicture = {
  /** Keeps the picture in memory until it is revoked. */
  readonly url: string;
  readonly bytes: number;
  /** The window of all pictures of a sheet, if that is not the one of each. */
  readonly window: { readonly center: number; readonly width: number } | undefined;
  /** What is damaged, missing or not drawn. */
  readonly problems: readonly string[];
};

/** A browser opens six connections to a server, of which the images that someone looks at need some. */
const AT_ONCE = 3;
const BUDGET_BYTES = 64 * 2 ** 20;
/** An image in the page takes more than its file. */
const PICTURE_BYTES = 4_096;
/** Widths that are requested: a slider that moves a little needs no other pictures. */
const WIDTHS = [96, 128, 160, 192, 224, 256, 320, 384, 448, 512, 640, 768, 960];

const DEFAULT = { kind: 'default' } as const;

export type GalleryPictures = Loader<GalleryWish, GalleryPicture>;

/** The pictures of the gallery: those in view first, and after the images of the cells. */
export const galleryPicturesOf = definePart((page): GalleryPictures => {
  const loader = createLoader<GalleryWish, GalleryPicture>({
    keyOf: (wish) => JSON.stringify(wish),
    async load(wish, { signal }) {
      const options = { signal, isPrefetch: true };
      if (wish.kind === 'frame') {
        const choice = wish.window === undefined ? DEFAULT : { kind: 'explicit' as const, ...wish.window };
        const { picture } = await fetchPreview(wish, { size: wish.size, choice }, options);
        return toPicture({ picture, problems: [], window: wish.window });
      }
      return toPicture(await fetchSheet(wish, options));
    },
    bytesOf: ({ bytes }) => bytes + PICTURE_BYTES,
    dispose: ({ url }) => URL.revokeObjectURL(url),
    budgetBytes: BUDGET_BYTES,
    pace: {
      admits: (_, { flights }) => flights.length < AT_ONCE,
      admitsPrefetch: ({ flights }) => flights.length < AT_ONCE,
      keepsUnwanted: () => false,
    },
  });
  page.onRestartFirst(() => loader.clear());
  return loader;
});

/** The width to request for pictures of this width on the screen. */
export function widthToAsk(cssPx: number): number {
  const wanted = cssPx * devicePixelRatio;
  return WIDTHS.find((width) => width >= wanted) ?? WIDTHS.at(-1)!;
}

function toPicture({ picture, ...more }: SheetAnswer): GalleryPicture {
  return { url: URL.createObjectURL(picture), bytes: picture.size, ...more };
}
