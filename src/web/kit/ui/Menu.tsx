import { type KeyboardEvent, type ReactNode, type ToggleEvent, useEffect, useId, useRef, useState } from 'react';
import { closeOnEscape, returnFocus } from './closeOnEscape.ts';
import styles from './Menu.module.css';
import { ToolButton } from './ToolButton.tsx';

type Props = {
  readonly label: string;
  readonly face: ReactNode;
  readonly isOn?: boolean | undefined;
  /** Number of buttons in a row, for the arrow keys. */
  readonly columns?: number;
  /** Rendered only while the menu is open. */
  readonly children: (close: () => void) => ReactNode;
};

const GAP_PX = 4;

/**
 * A button that opens a panel below itself. Esc and a click elsewhere close it, and the focus returns to the button.
 */
export function Menu({ label, face, isOn, columns = 1, children }: Props) {
  const id = useId();
  const button = useRef<HTMLSpanElement>(null);
  const panel = useRef<HTMLDivElement>(null);
  const [isOpen, setOpen] = useState(false);

  // The items are there before the panel is shown: the toggle event comes later, when a fast user may have typed.
  const onBeforeToggle = ({ newState }: ToggleEvent<HTMLDivElement>) => {
    if (newState === 'open') setOpen(true);
  };
  const onToggle = ({ newState, currentTarget: element }: ToggleEvent<HTMLDivElement>) => {
    if (newState === 'closed') setOpen(false);
    if (newState === 'closed' || button.current === null) return;
    const anchor = button.current.getBoundingClientRect();
    const { width, height } = element.getBoundingClientRect();
    const left = Math.max(GAP_PX, Math.min(anchor.left, innerWidth - width - GAP_PX));
    const fitsBelow = anchor.bottom + GAP_PX + height <= innerHeight;
    element.style.left = `${left}px`;
    element.style.top = `${fitsBelow ? anchor.bottom + GAP_PX : Math.max(GAP_PX, anchor.top - GAP_PX - height)}px`;
    element.querySelector<HTMLElement>('button:not(:disabled), input')?.focus();
  };
  useEffect(() => {
    const element = panel.current;
    const opener = button.current?.querySelector('button') ?? null;
    if (!isOpen || element === null) return undefined;
    return closeOnEscape(() => {
      element.hidePopover();
      returnFocus(opener, element);
    });
  }, [isOpen]);
  return (
    <span ref={button}>
      <ToolButton label={label} isOn={isOn} popoverTarget={id} aria-haspopup="true" aria-expanded={isOpen}>
        {face}
      </ToolButton>
      {/* The buttons inside have the focus. */}
      {/* oxlint-disable-next-line jsx-a11y/no-static-element-interactions */}
      <div
        id={id}
        ref={panel}
        popover="auto"
        className={styles.panel}
        onBeforeToggle={onBeforeToggle}
        onToggle={onToggle}
        onKeyDown={(event) => moveFocus(event, columns)}
      >
        {isOpen && children(() => document.getElementById(id)?.hidePopover())}
      </div>
    </span>
  );
}

function moveFocus(event: KeyboardEvent<HTMLElement>, columns: number): void {
  const step = { ArrowRight: 1, ArrowLeft: -1, ArrowDown: columns, ArrowUp: -columns }[event.key];
  const buttons = [...event.currentTarget.querySelectorAll('button')];
  const at = buttons.findIndex((button) => button === document.activeElement);
  if (step === undefined || at < 0) return;
  event.preventDefault();
  buttons[at + step]?.focus();
}
