import { useCallback, useEffect, useRef } from 'react';
import { detailsOf } from '../pictures/frameDetails.ts';
import { drawColorBar } from '../pictures/drawColorBar.ts';
import { colorTableOf, getColorMap } from '../../kit/state/colorMaps.ts';
import { fileInfoOf } from '../../kit/state/fileInfo.ts';
import { definePart, usePage } from '../../kit/state/page.ts';
import { useTools } from '../../kit/state/tools.ts';
import { useReport, watchReport } from '../pictures/viewports.ts';
import { LiveText } from '../../kit/ui/LiveText.tsx';
import { readingsOf } from '../values/reading.ts';
import styles from './ColorLegend.module.css';
import { legendTexts } from './cornerTexts.ts';

const storesOf = definePart((page) => [fileInfoOf(page).changes, detailsOf(page), readingsOf(page)]);

/** The color scale with its values, if an image is not shown in gray. */
export function ColorLegend({ cell }: { readonly cell: number }) {
  const isWanted = useTools(({ overlayText }) => overlayText !== 'none');
  const colorMap = useReport(cell, ({ shown, window }) =>
    window === undefined ? 'gray' : (shown?.colorMap ?? 'gray'),
  );
  const isInverted = useReport(cell, ({ shown }) => shown?.invert === true);
  const bar = useRef<HTMLCanvasElement>(null);
  const isShown = isWanted && colorMap !== 'gray';
  useEffect(() => {
    if (isShown && bar.current !== null) drawColorBar(bar.current, colorTableOf(colorMap), { isInverted });
  }, [isShown, colorMap, isInverted]);
  return isShown ? (
    <div className={styles.legend}>
      <Value cell={cell} end="high" />
      <canvas ref={bar} className={styles.bar} width={1} height={256} aria-hidden="true" />
      <Value cell={cell} end="low" />
      <p className={styles.name}>{getColorMap(colorMap).title}</p>
    </div>
  ) : null;
}

function Value({ cell, end }: { readonly cell: number; readonly end: 'high' | 'low' }) {
  const page = usePage();
  const text = useCallback(() => legendTexts(page, cell)[end], [page, cell, end]);
  return <LiveText className="" stores={storesOf(page)} atOnce={watchReport(page, cell)} text={text} />;
}
