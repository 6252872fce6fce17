import { Suspense, useCallback, useRef } from 'react';
import { RoiLayer } from '../../draw/marks/rois/RoiLayer.tsx';
import { MeasureLayer } from '../../draw/marks/shapes/MeasureLayer.tsx';
import { useBrush } from '../../draw/marks/sync/marks.ts';
import { useCells } from '../../kit/state/cells.ts';
import { useShownLayers } from '../../kit/state/layers.ts';
import { usePage } from '../../kit/state/page.ts';
import { pictureOf } from '../../show/pictures/pictureKinds.ts';
import type { CellPicture } from '../../show/pictures/pictureSource.ts';
import { FramePicture } from '../../show/pictures/viewport/FramePicture.tsx';
import { useReport } from '../../show/pictures/viewports.ts';
import { ChunkBoundary } from '../ChunkBoundary.tsx';
import { chunkComponentsOf } from '../chunkComponents.ts';
import styles from './Lightbox.module.css';

type Props = {
  readonly cell: number;
  readonly position: number;
};

/** A picture with what lies over it, as in a cell, without texts and tools. */
export function LightboxTile({ cell, position }: Props) {
  const page = usePage();
  const { BrushLayer, LayerCanvas, StateGraphics } = chunkComponentsOf(page);
  const pictureRef = useRef<CellPicture>(null);
  const getSource = useCallback(() => pictureOf(page, cell), [page, cell]);
  const isLaidOver = useShownLayers(cell, ({ shown }) => shown.length > 0);
  const areApplied = useCells(({ cells }) => cells[cell]?.presentation !== undefined);
  const hasBrush = useBrush();
  const error = useReport(cell, (report) => (report.status === 'failed' ? report.error?.message : undefined));
  // A picture that passes, or the one before, is never shown in place of another one.
  const isShown = useReport(cell, ({ shown }) => shown?.position === position);
  return (
    <figure className={styles.figure} data-cell={cell} data-position={position} data-hidden={!isShown}>
      <FramePicture cell={cell} pictureRef={pictureRef} getSource={getSource} readouts={null} controlsClass="" />
      <ChunkBoundary>
        <Suspense>{isLaidOver && <LayerCanvas cell={cell} />}</Suspense>
      </ChunkBoundary>
      <ChunkBoundary>
        <Suspense>{areApplied && <StateGraphics cell={cell} />}</Suspense>
      </ChunkBoundary>
      <RoiLayer cell={cell} />
      <ChunkBoundary>
        <Suspense>{hasBrush && <BrushLayer cell={cell} />}</Suspense>
      </ChunkBoundary>
      <MeasureLayer cell={cell} />
      {error !== undefined && <p className={styles.failure}>{error}</p>}
    </figure>
  );
}
