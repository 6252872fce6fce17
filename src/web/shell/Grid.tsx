import { type CSSProperties, type DragEvent, useState } from 'react';
import { RoiLayer } from '../annotations/RoiLayer.tsx';
import { openNode } from '../files/openNode.ts';
import { hasDraggedStack, takeDraggedStack } from '../series/draggedStack.ts';
import { activateCell, cellsOfLayout, stackOfCell, useCells } from '../state/cells.ts';
import { findFile, useLibrary } from '../state/library.ts';
import { useIsSlide } from '../state/slides.ts';
import { useFirstImage } from '../state/useFirstImage.ts';
import styles from './Grid.module.css';
import { LazyPart } from './LazyPart.tsx';
import { MeasureLayer, SegmentationLayer, SlideRoiLayer } from './lazyParts.ts';
import { NoPicture } from './NoPicture.tsx';
import { ViewportCell } from './ViewportCell.tsx';

export function Grid() {
  const layout = useCells((state) => state.layout);
  const maximised = useCells((state) => state.maximisedCell);
  const shown = maximised === undefined ? layout : { rows: 1, columns: 1 };
  const cells = cellsOfLayout(layout).filter((cell) => maximised === undefined || cell === maximised);
  const size: CSSProperties & Record<`--${string}`, number> = { '--rows': shown.rows, '--columns': shown.columns };
  return (
    <div className={styles.grid} style={size}>
      {cells.map((cell) => (
        <Cell key={cell} cell={cell} isOneOfSeveral={cells.length > 1} />
      ))}
    </div>
  );
}

function Cell({ cell, isOneOfSeveral }: { readonly cell: number; readonly isOneOfSeveral: boolean }) {
  const isActive = useCells((state) => state.activeCell === cell);
  const stackId = useCells((state) => state.cells[cell]?.stackId);
  const stack = useLibrary(() => (stackId === undefined ? undefined : stackOfCell(cell)));
  const file = useLibrary(() => findFile(stack?.fileIndex));
  const [isTarget, setTarget] = useState(false);
  const isSlide = useIsSlide(cell);
  const isFirstImageThere = useFirstImage();
  const areSegmentations = useLibrary(({ files }) => files.some(({ object_kind }) => object_kind === 'segmentation'));

  const onDragOver = (event: DragEvent) => {
    if (!hasDraggedStack(event.dataTransfer)) return;
    event.preventDefault();
    setTarget(true);
  };
  const onDrop = (event: DragEvent) => {
    setTarget(false);
    const dragged = takeDraggedStack(event.dataTransfer);
    if (dragged === undefined) return;
    event.preventDefault();
    openNode(dragged, cell);
    activateCell(cell);
  };
  const hasNoPicture = stack !== undefined && stack.frames.length === 0;
  const marks = `${isActive && isOneOfSeveral ? styles.active : ''} ${isTarget ? styles.target : ''}`;
  return (
    <div
      className={`${styles.cell} ${marks}`}
      onDragOver={onDragOver}
      onDragLeave={() => setTarget(false)}
      onDrop={onDrop}
    >
      <ViewportCell cell={cell}>
        <LazyPart>{isFirstImageThere && areSegmentations && <SegmentationLayer cell={cell} />}</LazyPart>
        {isSlide ? (
          <LazyPart>
            <SlideRoiLayer cell={cell} />
          </LazyPart>
        ) : (
          <RoiLayer cell={cell} />
        )}
        <LazyPart>{isFirstImageThere && <MeasureLayer cell={cell} />}</LazyPart>
        {hasNoPicture && file !== undefined && <NoPicture file={file} />}
        {stack === undefined && isOneOfSeveral && <p className={styles.message}>Drop a series here</p>}
      </ViewportCell>
    </div>
  );
}
