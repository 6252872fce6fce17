import { type ReactNode, useEffect, useRef, useState } from 'react';
import { closeOnEscape } from './closeOnEscape.ts';
import styles from './ImageBadge.module.css';

export type ImageBadgeProps = {
  readonly icon: ReactNode;
  readonly label: ReactNode;
  readonly tooltip?: string | undefined;
  readonly className?: string | undefined;
  /** The list has the size and the colors of a panel: what it contains does not change its size. */
  readonly isPanel?: boolean;
  /** List items, shown after a click. */
  readonly children: ReactNode;
};

/** A short text at the lower edge of an image that opens a list. Esc and a press elsewhere close it. */
export function ImageBadge({ icon, label, tooltip, className = '', isPanel = false, children }: ImageBadgeProps) {
  const ref = useRef<HTMLDetailsElement>(null);
  const [isOpen, setOpen] = useState(false);
  useEffect(() => {
    const details = ref.current;
    if (!isOpen || details === null) return undefined;
    const ending = new AbortController();
    const onPointerDown = ({ target }: PointerEvent) => {
      if (target instanceof Node && !details.contains(target)) setOpen(false);
    };
    addEventListener('pointerdown', onPointerDown, { capture: true, signal: ending.signal });
    const ignore = closeOnEscape(() => {
      setOpen(false);
      details.querySelector('summary')?.focus();
    });
    return () => {
      ending.abort();
      ignore();
    };
  }, [isOpen]);
  return (
    <details
      ref={ref}
      open={isOpen}
      className={`${styles.place} ${className}`}
      onToggle={({ currentTarget }) => setOpen(currentTarget.open)}
    >
      {/* The toggle event comes later than the list: Esc pressed between them would be lost. */}
      <summary
        className={styles.badge}
        title={tooltip}
        onClick={(event) => {
          event.preventDefault();
          setOpen(!isOpen);
        }}
      >
        {icon} <span className={styles.label}>{label}</span>
      </summary>
      {(isOpen || !isPanel) && <ul className={`${styles.list} ${isPanel ? styles.panel : ''}`}>{children}</ul>}
    </details>
  );
}
