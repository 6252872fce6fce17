import { useEffect, useRef } from 'react';
import type { Point } from '../state/viewState.ts';
import { getCommand } from './commandTable.ts';
import styles from './ContextMenu.module.css';

export type ContextMenuProps = {
  /** In the cell that the menu is drawn in. */
  readonly at: Point;
  readonly onClose: () => void;
};

const COMMANDS = [
  'view.fit',
  'view.actual',
  'window.file',
  'window.full',
  'view.invert',
  'view.rotateRight',
  'view.rotateLeft',
  'view.flipHorizontal',
  'view.flipVertical',
  'view.reset',
];

/** What a right click offers. The press has made its cell the active one. */
export function ContextMenu({ at, onClose }: ContextMenuProps) {
  const ref = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const menu = ref.current;
    if (menu === null) return;
    menu.showPopover();
    const { left = 0, top = 0 } = menu.parentElement?.getBoundingClientRect() ?? {};
    menu.style.left = `${Math.min(left + at.x, innerWidth - menu.offsetWidth - 4)}px`;
    menu.style.top = `${Math.min(top + at.y, innerHeight - menu.offsetHeight - 4)}px`;
    menu.querySelector<HTMLElement>('button:enabled')?.focus();
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
      {COMMANDS.map(getCommand).map(({ id, title, keys, run, isEnabled }) => (
        <button
          key={id}
          type="button"
          role="menuitem"
          disabled={isEnabled?.() === false}
          onClick={() => {
            run();
            onClose();
          }}
        >
          {title} <kbd>{keys[0]}</kbd>
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
  const items = [...event.currentTarget.querySelectorAll<HTMLElement>('button:enabled')];
  const focused = items.findIndex((item) => item === document.activeElement);
  items[(focused + step + items.length) % items.length]?.focus();
}
