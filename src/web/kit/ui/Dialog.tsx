import { type ReactNode, type SyntheticEvent, useLayoutEffect, useRef } from 'react';
import styles from './Dialog.module.css';

type Props = {
  readonly label: string;
  readonly onClose: () => void;
  readonly isAtTop?: boolean;
  readonly children: ReactNode;
};

/** A modal dialog. Esc and a click outside close it, and the focus returns to where it was. */
export function Dialog({ label, onClose, isAtTop = false, children }: Props) {
  const ref = useRef<HTMLDialogElement>(null);

  // In the same task as the element appears: a key that is pressed between both would reach nothing.
  useLayoutEffect(() => {
    const dialog = ref.current;
    if (dialog === null) return undefined;
    const onClick = (event: MouseEvent) => {
      if (event.target === dialog) dialog.close();
    };
    dialog.addEventListener('click', onClick);
    dialog.showModal();
    return () => {
      dialog.removeEventListener('click', onClick);
      dialog.close();
    };
  }, []);

  // The browser would close the dialog and report it later. Until then the next key would go to a field that is no
  // longer visible.
  const onCancel = (event: SyntheticEvent) => {
    event.preventDefault();
    onClose();
  };

  return (
    <dialog
      ref={ref}
      className={`${styles.dialog} ${isAtTop ? styles.top : ''}`}
      aria-label={label}
      onCancel={onCancel}
      onClose={onClose}
    >
      {children}
    </dialog>
  );
}
