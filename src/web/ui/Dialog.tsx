import { type ReactNode, type SyntheticEvent, useEffect, useRef } from 'react';
import styles from './Dialog.module.css';

type Props = {
  readonly label: string;
  readonly onClose: () => void;
  readonly isAtTop?: boolean;
  readonly children: ReactNode;
};

/** Modal while it is there. Esc and a click beside it close it, and the focus goes back to where it was. */
export function Dialog({ label, onClose, isAtTop = false, children }: Props) {
  const ref = useRef<HTMLDialogElement>(null);

  useEffect(() => {
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

  // The browser would close it and only tell later, and until then the next key goes into a field that nobody sees.
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
