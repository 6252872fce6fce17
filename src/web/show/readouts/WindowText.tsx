import { useEffect, useRef } from 'react';
import { usePage } from '../../kit/state/page.ts';
import { openWindowEntry } from '../../kit/state/windowEntry.ts';
import { reportOf } from '../pictures/viewports.ts';
import { followStores, type Watched } from '../../kit/ui/followStores.ts';
import { windowText } from './cornerTexts.ts';
import styles from './WindowText.module.css';

type Props = {
  readonly className: string;
  readonly cell: number;
  readonly stores: readonly Watched[];
  readonly atOnce: Watched;
};

/** The window of the image as text. A click opens the fields to type another one. */
export function WindowText({ className, cell, stores, atOnce }: Props) {
  const page = usePage();
  const line = useRef<HTMLParagraphElement>(null);
  const button = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    const write = () => {
      if (line.current === null || button.current === null) return;
      const text = windowText(page, cell);
      if (button.current.textContent !== text) button.current.textContent = text;
      line.current.hidden = text === '';
      // Color has no window; it can only be inverted.
      button.current.disabled = reportOf(page, cell).window === undefined;
    };
    return followStores(stores, write, atOnce);
  }, [page, cell, stores, atOnce]);
  return (
    <p ref={line} className={className}>
      {/* Its text is set outside React. */}
      {/* oxlint-disable-next-line jsx-a11y/control-has-associated-label */}
      <button
        ref={button}
        type="button"
        className={styles.window}
        data-in-picture=""
        title="Enter center and width (Shift+L)"
        onClick={() => openWindowEntry(page, cell)}
      />
    </p>
  );
}
