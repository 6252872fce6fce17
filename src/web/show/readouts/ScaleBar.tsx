import { useEffect, useRef } from 'react';
import type { SpacingSource } from '../../../shared/contract/fileTerms.ts';
import { usePage } from '../../kit/state/page.ts';
import { useTools } from '../../kit/state/tools.ts';
import { reportOf, type ViewportReport, watchReport } from '../pictures/viewports.ts';
import { followStores } from '../../kit/ui/followStores.ts';
import { chooseBarLength } from './scale.ts';
import grid from './readoutGrid.module.css';
import styles from './ScaleBar.module.css';

const LONGEST = 0.25;
const MOST_PIXELS = 200;

/** A scale in the patient, if the file declares the size of its pixels. */
export function ScaleBar({ cell }: { readonly cell: number }) {
  const isShown = useTools(({ overlayText }) => overlayText === 'all');
  return isShown ? <Bar cell={cell} /> : null;
}

function Bar({ cell }: { readonly cell: number }) {
  const page = usePage();
  const ref = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const [label, bar] = ref.current?.children ?? [];
    if (!(label instanceof HTMLElement && bar instanceof HTMLElement)) return undefined;
    return followStores([], () => drawBar(label, bar, reportOf(page, cell)), watchReport(page, cell));
  }, [page, cell]);
  return (
    <div ref={ref} className={grid.scale} aria-hidden="true" hidden data-scale="">
      <span />
      <span className={styles.bar} />
    </div>
  );
}

function drawBar(label: HTMLElement, bar: HTMLElement, { screen, shown }: ViewportReport): void {
  const file = shown?.file;
  const plane = shown?.source.planeOf(shown.position);
  const mmPerPixel = screen?.mmPerPixel ?? plane?.pixel_spacing_mm?.[1] ?? file?.pixel_spacing_mm?.[1];
  const scale =
    screen !== undefined && mmPerPixel !== undefined
      ? chooseBarLength(screen.zoom / screen.pixelRatio / mmPerPixel, Math.min(MOST_PIXELS, screen.width * LONGEST))
      : undefined;
  if (bar.parentElement !== null) bar.parentElement.hidden = scale === undefined;
  if (scale === undefined) return;
  bar.style.width = `${scale.pixels}px`;
  const source = plane?.pixel_spacing_source ?? file?.pixel_spacing_source;
  label.textContent = `${scale.label}${WHERE[source ?? 'none'] ?? ''}`;
}

/** What is nearer to the X-ray source than the plane of the scale is magnified. As in SCALE_TERMS, which is not loaded yet. */
const WHERE: Readonly<Partial<Record<SpacingSource | 'none', string>>> = {
  imager: ' at detector',
  image_plane: ' at image plane',
  magnification: ' estimated',
};
