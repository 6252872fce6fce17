import type { ComponentProps, ReactNode } from 'react';
import styles from './ToolButton.module.css';

type Props = Omit<ComponentProps<'button'>, 'title' | 'aria-label'> & {
  /** Accessible name, also shown at once as a tooltip together with the key. */
  readonly label: string;
  readonly keyHint?: string | undefined;
  /** Present: the button is a toggle. */
  readonly isOn?: boolean | undefined;
  readonly children: ReactNode;
};

export function ToolButton({ label, keyHint, isOn, children, className = '', ...rest }: Props) {
  return (
    <button
      type="button"
      className={`${styles.button} ${className}`}
      data-tooltip={label}
      data-key={keyHint}
      aria-label={label}
      {...(isOn === undefined ? {} : { 'aria-pressed': isOn })}
      {...rest}
    >
      {children}
    </button>
  );
}
