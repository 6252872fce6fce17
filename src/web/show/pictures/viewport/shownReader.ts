import type { ViewState } from '../../../kit/state/viewState.ts';
import { probeFrame } from '../probeFrame.ts';
import { alignToPixels, applyMatrix, imageToCanvas, invertMatrix, scaleMatrix } from '../viewTransform.ts';
import type { GrayFrame } from '../loadedFrame.ts';
import type { CellPicture } from '../pictureSource.ts';
import type { FrameDrawer } from './drawFrame.ts';
import type { createPictureFinder, ShownPicture, ViewportState } from './pictureFinder.ts';
import type { Scene } from './scene.ts';

type Reading = Pick<ReturnType<typeof createPictureFinder>, 'findRaw'> & {
  readonly canvas: HTMLCanvasElement;
  readonly drawer: FrameDrawer;
  /** Pixels of the canvas in a CSS pixel. */
  readonly ratio: () => number;
};

/** Reads the picture on the screen: a value, the samples, a part of it enlarged. */
export function createShownReader(
  state: ViewportState,
  { canvas, drawer, findRaw, ratio }: Reading,
): Pick<Required<CellPicture>, 'probe' | 'magnify'> & { readonly samples: () => GrayFrame | undefined } {
  return {
    probe(at) {
      const { shown, scene } = state;
      if (shown === undefined || scene === undefined) return undefined;
      const matrix = alignToPixels(imageToCanvas(viewOf(shown, scene), shown.image, canvas));
      const point = applyMatrix(invertMatrix(matrix), { x: at.x * ratio(), y: at.y * ratio() });
      const raw = findRaw(shown);
      const frame = raw?.status === 'ready' ? raw.value : shown.frame;
      return probeFrame(frame, point);
    },
    samples() {
      const raw = state.shown && findRaw(state.shown);
      if (raw?.status !== 'ready' || raw.value.kind !== 'gray') return undefined;
      return raw.value.presentation === 'server' ? undefined : raw.value;
    },
    magnify(lens, at, zoom) {
      const { shown, scene } = state;
      if (shown === undefined || scene === undefined) return false;
      const matrix = alignToPixels(imageToCanvas(viewOf(shown, scene), shown.image, canvas));
      const point = applyMatrix(invertMatrix(matrix), { x: at.x * ratio(), y: at.y * ratio() });
      // The pixel under the pointer is centered as a whole, so that the user sees which one it is.
      const middle = { x: Math.floor(point.x) + 0.5, y: Math.floor(point.y) + 0.5 };
      const factor = zoom / Math.hypot(matrix[0], matrix[1]);
      const [a, b, c, d] = scaleMatrix(matrix, factor);
      const { width, height } = lens.canvas;
      const [e, f] = [width / 2 - a * middle.x - c * middle.y, height / 2 - b * middle.x - d * middle.y];
      drawer.draw(lens, {
        ...scene,
        frame: shown.frame,
        image: shown.covered,
        imageToCanvas: [a, b, c, d, e, f],
        canvas: { width, height },
        interpolation: 'nearest',
        isMoving: false,
      });
      return true;
    },
  };
}

export function viewOf(shown: ShownPicture, scene: Scene): ViewState {
  return shown.source === scene.source ? scene.view : shown.view;
}
