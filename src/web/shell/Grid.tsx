import { type CSSProperties, type DragEvent, useState } from 'react';
import { openNode } from '../find/files/openNode.ts';
import { hasDraggedStack, takeDraggedStack } from '../show/series/draggedStack.ts';
import { activateCell, cellsOfLayout, type GridLayout, useCells } from '../kit/state/cells.ts';
import { usePage } from '../kit/state/page.ts';
import styles from './Grid.module.css';
import type { LaterChunk } from './laterChunk.ts';
import { ViewportCell } from './ViewportCell.tsx';

export function Grid({ later }: { readonly later: LaterChunk | undefined }) {
  const layout = useCells((state) => state.layout);
  const maximised = useCells((state) => state.maximisedCell);
  const shown = maximised === undefined ? layout : { rows: 1, columns: 1 };
  const cells = cellsOfLayout(layout).filter((cell) => maximised === undefined || cell === maximised);
  const size: CSSProperties & Record<`--${string}`, number> = { '--rows': shown.rows, '--columns': shown.columns };
  return (
    <div className={styles.grid} style={size}>
      {cells.map((cell, place) => (
        <Cell
          key={cell}
          cell={cell}
          covered={coveredSides(place, shown)}
          isOneOfSeveral={cells.length > 1}
          later={later}
        />
      ))}
    </div>
  );
}

type Variables = Readonly<Record<`--${string}`, string>>;

/** Drawers and notices cover the cells at the edges. */
function coveredSides(place: number, { rows, columns }: GridLayout): Variables {
  return {
    ...(place % columns === 0 && { '--covered-left': 'var(--drawer-left)' }),
    ...(place % columns === columns - 1 && { '--covered-right': 'var(--drawer-right)' }),
    ...(place >= (rows - 1) * columns && { '--covered-bottom': 'var(--notices)' }),
  };
}

type CellProps = {
  readonly cell: number;
  readonly covered: Variables;
  readonly isOneOfSeveral: boolean;
  readonly later: LaterChunk | undefined;
};

function Cell({ cell, covered, isOneOfSeveral, later }: CellProps) {
  const page = usePage();
  const isActive = useCells((state) => state.activeCell === cell);
  const [isTarget, setTarget] = useState(false);

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
    openNode(page, dragged, cell);
    activateCell(page, cell);
  };
  const marks = `${isActive && isOneOfSeveral ? styles.active : ''} ${isTarget ? styles.target : ''}`;
  return (
    <div
      className={`${styles.cell} ${marks}`}
      style={covered}
      onDragOver={onDragOver}
      onDragLeave={() => setTarget(false)}
      onDrop={onDrop}
    >
      <ViewportCell cell={cell} later={later} isOneOfSeveral={isOneOfSeveral} />
    </div>
  );
}
