import type { WireStateArea } from '../../../shared/contract/presentation.ts';
import { zoomOf } from '../../show/pictures/viewTransform.ts';
import type { Size, ViewedImage, ViewState } from '../../kit/state/viewState.ts';

/** What a presentation state says about the place of an image on the screen. */
export type StateGeometry = {
  readonly area: WireStateArea | undefined;
  /** Degrees clockwise, before the flip. */
  readonly rotation: 0 | 90 | 180 | 270;
  readonly isFlipped: boolean;
};

/** The resolution that browsers assume of every screen. */
const CSS_PIXELS_PER_MM = 96 / 25.4;
/** In the coordinates of areas, (0, 0) is the centre of the first pixel; in those of views, its corner. */
const CORNER = 0.5;

/** How an image is placed on a canvas, in device pixels, by a presentation state. PS3.3 C.10.4 and C.10.6. */
export function viewOfState(
  { area, rotation, isFlipped }: StateGeometry,
  image: ViewedImage,
  canvas: Size & { readonly pixelRatio: number },
): ViewState {
  const quarterTurns = ({ 0: 0, 90: 1, 180: 2, 270: 3 } as const)[rotation];
  const whole: ViewState = {
    zoom: 'fit',
    center: undefined,
    quarterTurns,
    flipHorizontal: isFlipped,
    flipVertical: false,
  };
  if (area === undefined) return whole;
  const [left = 0, top = 0, right = 0, bottom = 0] = area.corners.map((corner) => corner + CORNER);
  const center = { x: (left + right) / 2, y: (top + bottom) / 2 };
  const [row, column] = area.spacing_mm ?? [];
  if (area.mode === 'magnify') return { ...whole, zoom: area.magnification ?? 1, center };
  if (area.mode === 'true_size' && row !== undefined && column !== undefined) {
    return { ...whole, zoom: column * CSS_PIXELS_PER_MM * canvas.pixelRatio, center };
  }
  const isWhole = left === 0 && top === 0 && right === image.width && bottom === image.height;
  if (isWhole) return whole;
  const part = { width: right - left, height: bottom - top, aspect: image.aspect };
  return { ...whole, zoom: zoomOf(whole, part, canvas), center };
}
