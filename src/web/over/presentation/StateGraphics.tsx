import { useEffect, useRef } from 'react';
import type { GraphicsPacket } from '../../../shared/contract/graphics.ts';
import { createGraphicsSvg } from '../layers/graphics/drawGraphics.ts';
import type { LayerLook } from '../../../shared/partStyle.ts';
import { reportOf, viewportsOf } from '../../show/pictures/viewports.ts';
import { cellsOf } from '../../kit/state/cells.ts';
import { libraryOf } from '../../kit/state/library.ts';
import { type Page, usePage } from '../../kit/state/page.ts';
import { findShownState, type KnownPresentation, presentationsOf } from '../../kit/state/presentations.ts';
import { followStores } from '../../kit/ui/followStores.ts';
import styles from './StateGraphics.module.css';
import { findStateGround } from './stateGround.ts';

/** Draws the graphics and texts of the presentation state that is applied to a cell. */
export function StateGraphics({ cell }: { readonly cell: number }) {
  const page = usePage();
  const ref = useRef<SVGSVGElement>(null);
  useEffect(() => {
    const svg = ref.current;
    return svg === null ? undefined : follow(page, cell, svg);
  }, [page, cell]);
  return <svg ref={ref} className={styles.graphics} data-layer="presentation" aria-hidden="true" />;
}

type Drawn = {
  readonly known: KnownPresentation;
  readonly key: string;
  readonly packet: GraphicsPacket;
  readonly look: LayerLook;
};

function follow(page: Page, cell: number, svg: SVGSVGElement): () => void {
  const drawer = createGraphicsSvg(svg);
  let last: Drawn | undefined;
  const find = (): Drawn | undefined => {
    const known = findShownState(page, cell);
    const ground = known && findStateGround(page, cell, known);
    if (known === undefined || ground === undefined || 'reason' in ground) return undefined;
    if (last?.known === known && last.key === ground.key) return last;
    return { known, key: ground.key, packet: ground.build(), look: lookOf(known) };
  };
  const draw = () => {
    const { screen } = reportOf(page, cell);
    last = find();
    const isSeen = last !== undefined && screen !== undefined;
    drawer.draw(isSeen && last !== undefined ? [last] : [], screen?.imageToScreen ?? IDENTITY);
  };
  // At once, so that graphics never appear over another image than their own.
  return followStores([cellsOf(page), presentationsOf(page), libraryOf(page)], draw, viewportsOf(page));
}

const IDENTITY = [1, 0, 0, 1, 0, 0] as const;
/** Of a layer for which the state recommends no color; it is seen on dark and on bright images. */
const NO_COLOR = [255, 214, 64] as const;

function lookOf({ state }: KnownPresentation): LayerLook {
  const colors = (state?.layers ?? []).map(({ color }) => color);
  return {
    colorOf: (part) => {
      const [red, green, blue] = colors[part] ?? NO_COLOR;
      return [red ?? 0, green ?? 0, blue ?? 0];
    },
    styleOf: () => STYLE,
  };
}

/** Only what the state fills is filled. */
const STYLE = { isVisible: true, opacity: 1, isOutline: true } as const;
