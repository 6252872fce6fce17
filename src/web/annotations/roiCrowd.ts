import type { Size } from '../state/viewState.ts';
import styles from '../tools/MarkLayer.module.css';
import type { ScreenRect } from './roiScreen.ts';

/** Draws many boxes without labels. */
export interface RoiCrowd {
  /** In CSS pixels. */
  draw(rects: readonly ScreenRect[], screen: Size): void;
}

/**
 * Drawn on a canvas below the SVG element, because hundreds of SVG elements take a tenth of a second for each redraw.
 */
export function createRoiCrowd(svg: SVGSVGElement): RoiCrowd {
  const canvas = document.createElement('canvas');
  canvas.classList.add(styles.layer ?? '');
  const context = canvas.getContext('2d');
  return {
    draw(rects, screen) {
      if (rects.length === 0 || context === null) {
        canvas.remove();
        return;
      }
      if (canvas.parentElement === null) svg.before(canvas);
      const ratio = devicePixelRatio;
      canvas.width = Math.round(screen.width * ratio);
      canvas.height = Math.round(screen.height * ratio);
      context.scale(ratio, ratio);
      const { color } = getComputedStyle(canvas);
      for (const [stroke, width] of [
        ['rgb(0 0 0 / 70%)', 3.5],
        [color, 1.5],
      ] as const) {
        context.strokeStyle = stroke;
        context.lineWidth = width;
        for (const { x, y, width: w, height: h } of rects) context.strokeRect(x, y, w, h);
      }
    },
  };
}
