import { useStore } from 'zustand';
import { createStore } from 'zustand/vanilla';
import { SHEET_PLANES, type SheetPlane } from '../../../shared/contract/sheets.ts';
import { definePart, type Page, usePage } from '../../kit/state/page.ts';

/** How the gallery shows its rows; which rows they are is the query's. */
export type GalleryLook = {
  /** About how wide a picture is, in CSS pixels. */
  readonly sizePx: number;
  /** Pictures of each series. */
  readonly slices: SliceCount;
  readonly plane: SheetPlane;
  readonly hasLayers: boolean;
  /** Where the layers of `--truth` and `--test` differ, if there are any. */
  readonly hasErrors: boolean;
};

export const SLICE_COUNTS = [1, 4, 9, 16] as const;
export type SliceCount = (typeof SLICE_COUNTS)[number];

export const SMALLEST_PX = 96;
export const LARGEST_PX = 480;
const STORAGE_KEY = 'negato-gallery';

const AT_FIRST: GalleryLook = { sizePx: 176, slices: 1, plane: 'native', hasLayers: false, hasErrors: true };

/** Kept in this browser. */
export const galleryLookOf = definePart(() => {
  const store = createStore<GalleryLook>(() => ({ ...AT_FIRST, ...readKept() }));
  store.subscribe((look) => {
    try {
      localStorage.setItem(STORAGE_KEY, JSON.stringify(look));
    } catch {
      // A browser that stores nothing shows the gallery as at first.
    }
  });
  return store;
});

export function useGalleryLook(): GalleryLook {
  return useStore(galleryLookOf(usePage()));
}

export function changeGalleryLook(page: Page, change: Partial<GalleryLook>): void {
  galleryLookOf(page).setState(change);
}

function readKept(): Partial<GalleryLook> {
  try {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- each value is checked
    const kept = JSON.parse(localStorage.getItem(STORAGE_KEY) ?? '{}') as Record<keyof GalleryLook, unknown>;
    const sizePx = Number(kept.sizePx);
    const slices = SLICE_COUNTS.find((count) => count === kept.slices);
    const plane = SHEET_PLANES.find((one) => one === kept.plane);
    return {
      ...(sizePx >= SMALLEST_PX && sizePx <= LARGEST_PX && { sizePx }),
      ...(slices !== undefined && { slices }),
      ...(plane !== undefined && { plane }),
      hasLayers: kept.hasLayers === true,
      hasErrors: kept.hasErrors !== false,
    };
  } catch {
    return {};
  }
}
