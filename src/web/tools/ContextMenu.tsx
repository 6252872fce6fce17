import { useEffect, useRef } from 'react';
import { cellOf, setView, setWindow, updateCell } from '../state/cells.ts';
import { type Point, rotateBy, WHOLE_IMAGE } from '../state/viewState.ts';
import styles from './ContextMenu.module.css';

export type ContextMenuProps = { readonly cell: number; readonly at: Point; readonly onClose: () => void };

const ACTIONS: readonly { readonly title: string; readonly run: (cell: number) => void }[] = [
  { title: 'Fit to the cell', run: (cell) => setView(cell, { ...cellOf(cell).view, zoom: 'fit', center: undefined }) },
  { title: 'One to one', run: (cell) => setView(cell, { ...cellOf(cell).view, zoom: 1 }) },
  { title: "The file's window", run: (cell) => setWindow(cell, { kind: 'file', index: 0 }) },
  { title: 'Full range of values', run: (cell) => setWindow(cell, { kind: 'full' }) },
  { title: 'Invert', run: (cell) => updateCell(cell, { invert: !cellOf(cell).invert }) },
  { title: 'Turn to the right', run: (cell) => setView(cell, rotateBy(cellOf(cell).view, 1)) },
  { title: 'Turn to the left', run: (cell) => setView(cell, rotateBy(cellOf(cell).view, -1)) },
  { title: 'Mirror left to right', run: (cell) => flip(cell, 'flipHorizontal') },
  { title: 'Mirror top to bottom', run: (cell) => flip(cell, 'flipVertical') },
  { title: 'Reset the view', run: (cell) => setView(cell, WHOLE_IMAGE) },
];

function flip(cell: number, axis: 'flipHorizontal' | 'flipVertical'): void {
  const { view } = cellOf(cell);
  setView(cell, { ...view, [axis]: !view[axis] });
}

/** What a right click offers. */
export function ContextMenu({ cell, at, onClose }: ContextMenuProps) {
  const ref = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const menu = ref.current;
    if (menu === null) return;
    menu.showPopover();
    const { left = 0, top = 0 } = menu.parentElement?.getBoundingClientRect() ?? {};
    menu.style.left = `${Math.min(left + at.x, innerWidth - menu.offsetWidth - 4)}px`;
    menu.style.top = `${Math.min(top + at.y, innerHeight - menu.offsetHeight - 4)}px`;
    menu.querySelector('button')?.focus();
  }, [at]);
  return (
    <div
      ref={ref}
      popover="auto"
      role="menu"
      tabIndex={-1}
      className={styles.menu}
      onToggle={(event) => {
        if (event.newState === 'closed') onClose();
      }}
      onKeyDown={moveFocus}
    >
      {ACTIONS.map(({ title, run }) => (
        <button
          key={title}
          type="button"
          role="menuitem"
          onClick={() => {
            run(cell);
            onClose();
          }}
        >
          {title}
        </button>
      ))}
    </div>
  );
}

function moveFocus(event: React.KeyboardEvent<HTMLDivElement>): void {
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (step === undefined) return;
  event.preventDefault();
  event.stopPropagation();
  const items = [...event.currentTarget.querySelectorAll('button')];
  const focused = items.findIndex((item) => item === document.activeElement);
  items[(focused + step + items.length) % items.length]?.focus();
}
