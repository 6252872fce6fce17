import type { ComponentProps, ReactNode } from 'react';
import styles from './ToolButton.module.css';

type Props = Omit<ComponentProps<'button'>, 'title' | 'aria-label'> & {
  /** Accessible name, also shown at once as a tooltip together with the key. */
  readonly label: string;
  readonly keyHint?: string | undefined;
  /** Present: the button is a toggle. */
  readonly isOn?: boolean | undefined;
  /** Why a click does nothing. The button stays reachable, so that everybody can read it. */
  readonly reason?: string | undefined;
  readonly children: ReactNode;
};

export function ToolButton({ label, keyHint, isOn, reason, children, className = '', onClick, ...rest }: Props) {
  const text = reason === undefined ? label : `${label}: ${reason}`;
  return (
    <button
      type="button"
      className={`${styles.button} ${className}`}
      data-tooltip={text}
      data-key={keyHint}
      aria-label={text}
      {...(isOn === undefined ? {} : { 'aria-pressed': isOn })}
      {...(reason !== undefined && { 'aria-disabled': true })}
      onClick={reason === undefined ? onClick : undefined}
      {...rest}
    >
      {children}
    </button>
  );
}
