import { useEffect, useRef } from 'react';
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
  // A size at the detector, not in the patient: what is nearer to the X-ray source is magnified.
  const source = plane?.pixel_spacing_source ?? file?.pixel_spacing_source;
  const where = source === 'imager' ? ' at detector' : source === 'image_plane' ? ' at image plane' : '';
  label.textContent = `${scale.label}${where}`;
}
