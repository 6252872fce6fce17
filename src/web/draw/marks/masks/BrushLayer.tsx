import { useCallback, useRef } from 'react';
import { hiddenMarksOf } from '../shapes/hiddenMarks.ts';
import { labelsOf } from '../shapes/labels.ts';
import { marksOf } from '../sync/marks.ts';
import type { ShownFrame } from '../../../show/pictures/shownFrame.ts';
import { reportOf } from '../../../show/pictures/viewports.ts';
import { applyMatrix } from '../../../show/pictures/viewTransform.ts';
import type { Page } from '../../../kit/state/page.ts';
import { panelsOf } from '../../../kit/state/panels.ts';
import { isBrushTool, isPaintTool, isRegionTool, toolsOf } from '../../../kit/state/tools.ts';
import type { Point } from '../../../kit/state/viewState.ts';
import type { MarkGesture, Marks } from '../../../show/tools/followMarks.ts';
import { MarkLayer } from '../../../show/tools/MarkLayer.tsx';
import { createSvgElement, setNumbers } from '../../../kit/ui/svgElements.ts';
import { ProposalBar } from '../tools/ProposalBar.tsx';
import { proposalsOf } from '../tools/proposals.ts';
import { beginRegion } from '../tools/regionGesture.ts';
import { beginAssist } from '../assistants/assistGesture.ts';
import { assistantsOf } from '../assistants/assistants.ts';
import { drawPrompts } from '../assistants/drawPrompts.ts';
import { brushesOf } from './brushes.ts';
import { beginTileStroke } from './tileStroke.ts';
import { createTileDrawing } from './drawTiles.ts';
import { beginStroke } from './brushGesture.ts';
import styles from './BrushLayer.module.css';
import { createBrushDrawing } from './drawBrushes.ts';
import { findPaintedFrame } from './paintGround.ts';

/** The masks on the image of one cell, the outline of the brush under the pointer, and what a tool would change. */
export function BrushLayer({ cell }: { readonly cell: number }) {
  const ref = useRef<HTMLCanvasElement>(null);
  const create = useCallback(
    (owner: Page, own: number, svg: SVGSVGElement) => createBrushMarks(owner, own, { svg, canvas: ref.current }),
    [],
  );
  return (
    <>
      <canvas ref={ref} className={styles.canvas} data-layer="brush" aria-hidden="true" />
      <MarkLayer cell={cell} name="brush-outline" className={styles.outline} create={create} />
      <ProposalBar cell={cell} />
    </>
  );
}

type Surfaces = { readonly svg: SVGSVGElement; readonly canvas: HTMLCanvasElement | null };

function createBrushMarks(page: Page, cell: number, { svg, canvas }: Surfaces): Marks<MarkGesture> {
  const draw = canvas === null ? () => undefined : createBrushDrawing(page, cell, canvas);
  const drawTiles = canvas === null ? () => undefined : createTileDrawing(page, canvas);
  const circle = createSvgElement('ellipse', undefined);
  const prompts = createSvgElement('g', undefined);
  svg.replaceChildren(prompts, circle);
  let pointer: Point | undefined;

  const drawOutline = (shown: ShownFrame | undefined) => {
    const isOn = shown !== undefined && pointer !== undefined && isPaintTool(toolsOf(page).getState().tool);
    circle.style.display = isOn ? '' : 'none';
    if (shown === undefined || pointer === undefined) return;
    const [a, b] = shown.screen.imageToScreen;
    // Pixels of the image are drawn with their aspect, so that the brush is a circle on the screen.
    const radius = brushesOf(page).getState().radius * (isOnSlide(page, cell) ? 1 : Math.hypot(a, b));
    setNumbers(circle, { cx: pointer.x, cy: pointer.y, rx: radius, ry: radius });
  };

  return {
    stores: [
      brushesOf(page),
      proposalsOf(page),
      assistantsOf(page),
      marksOf(page),
      labelsOf(page),
      hiddenMarksOf(page),
      toolsOf(page),
      panelsOf(page),
    ],
    isOwnTool: isBrushTool,
    findShown: findPaintedFrame,
    begin(press) {
      pointer = press.at;
      const { tool } = toolsOf(page).getState();
      if (tool === 'assistant') return beginAssist(page, cell, press);
      if (isRegionTool(tool)) return beginRegion(page, cell, press);
      return isOnSlide(page, cell) ? beginTileStroke(page, press) : beginStroke(page, cell, press);
    },
    hover({ at, shown, isOwnTool }) {
      pointer = isOwnTool ? at : undefined;
      drawOutline(shown);
    },
    cursorAt: ({ isOwnTool }) => (isOwnTool ? 'crosshair' : ''),
    draw(shown, held) {
      if (held !== undefined && shown !== undefined) pointer = applyMatrix(shown.screen.imageToScreen, held.point);
      (isOnSlide(page, cell) ? drawTiles : draw)(shown);
      drawOutline(shown);
      drawPrompts(page, prompts, shown);
    },
  };
}

/** A slide is painted in tiles, with a brush of a size on the screen. */
function isOnSlide(page: Page, cell: number): boolean {
  return reportOf(page, cell).tiles !== undefined;
}
