import { type KeyboardEvent, useEffect, useEffectEvent, useRef, useState } from 'react';
import { closeOnEscape, returnFocus } from './closeOnEscape.ts';
import { openPopover } from './openPopover.ts';
import styles from './PopupMenu.module.css';

type PopupEntry = {
  readonly title: string;
  readonly keyHint?: string | undefined;
  readonly isEnabled?: boolean | undefined;
  /** Set apart from the items above. */
  readonly startsGroup?: boolean | undefined;
};

export type PopupItem = PopupEntry &
  (
    | {
        /** If the promise rejects, the menu stays open and says so. */
        readonly run: () => void | Promise<void>;
        readonly items?: undefined;
      }
    | {
        /** These take the place of the menu. */
        readonly items: readonly PopupItem[];
      }
  );

type Props = {
  readonly label: string;
  /** Position on the page. */
  readonly at: { readonly x: number; readonly y: number };
  readonly items: readonly PopupItem[];
  readonly onClose: () => void;
};

const GAP_PX = 4;

/** A menu at a point on the page. Arrow keys move the focus; Esc and a press elsewhere close it. */
export function PopupMenu({ label, at: { x, y }, items, onClose }: Props) {
  const ref = useRef<HTMLDivElement>(null);
  const [failed, setFailed] = useState<string>();
  const [inside, setInside] = useState<readonly PopupItem[]>();
  const close = useEffectEvent(onClose);
  useEffect(() => {
    const menu = ref.current;
    const before = document.activeElement;
    if (menu === null || !openPopover(menu)) return undefined;
    const ignore = closeOnEscape(() => close());
    return () => {
      ignore();
      returnFocus(before, menu);
    };
  }, []);
  useEffect(() => {
    const menu = ref.current;
    if (menu === null) return;
    menu.style.left = `${Math.max(GAP_PX, Math.min(x, innerWidth - menu.offsetWidth - GAP_PX))}px`;
    menu.style.top = `${Math.max(GAP_PX, Math.min(y, innerHeight - menu.offsetHeight - GAP_PX))}px`;
    menu.querySelector<HTMLElement>('button:enabled')?.focus();
    // oxlint-disable-next-line react/exhaustive-effect-dependencies -- other items are another size
  }, [x, y, inside]);
  const choose = async (item: PopupItem) => {
    if (item.items !== undefined) {
      setInside(item.items);
      return;
    }
    try {
      await item.run();
      onClose();
    } catch {
      setFailed(item.title);
    }
  };
  return (
    <div
      ref={ref}
      popover="auto"
      role="menu"
      aria-label={label}
      tabIndex={-1}
      className={styles.menu}
      onToggle={(event) => {
        if (event.newState === 'closed') onClose();
      }}
      onKeyDown={moveFocus}
    >
      {(inside ?? items).map((item) => (
        <button
          key={item.title}
          type="button"
          role="menuitem"
          aria-haspopup={item.items === undefined ? undefined : 'menu'}
          data-group={item.startsGroup}
          disabled={item.isEnabled === false}
          onClick={() => void choose(item)}
        >
          {failed === item.title ? `${item.title}: not allowed` : item.title} <kbd>{item.keyHint}</kbd>
        </button>
      ))}
    </div>
  );
}

function moveFocus(event: KeyboardEvent<HTMLDivElement>): void {
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (step === undefined) return;
  event.preventDefault();
  event.stopPropagation();
  const items = [...event.currentTarget.querySelectorAll<HTMLElement>('button:enabled')];
  const focused = items.findIndex((item) => item === document.activeElement);
  items[(focused + step + items.length) % items.length]?.focus();
}
