import { type KeyboardEvent, useId, useState } from 'react';
import { useStore } from 'zustand';
import { usePage } from '../kit/state/page.ts';
import { Dialog } from '../kit/ui/Dialog.tsx';
import { runToEnd, type Sliced } from '../kit/ui/runInSlices.ts';
import { useInSlices } from '../kit/ui/useInSlices.ts';
import { findEntries, type PaletteEntry } from './findEntries.ts';
import { typedOf } from './typeAhead.ts';
import styles from './CommandPalette.module.css';

type Found = { readonly text: string; readonly entries: readonly PaletteEntry[] };

/** Finds a series, a tag or a command by a few words. */
export function CommandPalette({ onClose }: { readonly onClose: () => void }) {
  const page = usePage();
  const id = useId();
  const text = useStore(typedOf(page));
  const setText = (typed: string) => typedOf(page).setState(typed, true);
  const close = () => {
    setText('');
    onClose();
  };
  const [chosen, setChosen] = useState(0);
  const listed = useInSlices(
    function* (): Sliced<Found> {
      return { text, entries: yield* findEntries(page, text) };
    },
    [page, text],
  );
  const entries = listed?.entries ?? [];
  const current = Math.min(chosen, entries.length - 1);

  const run = (entry: PaletteEntry | undefined) => {
    if (entry === undefined) return;
    close();
    entry.run();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined) {
      event.preventDefault();
      const next = Math.max(0, Math.min(entries.length - 1, current + step));
      setChosen(next);
      document.getElementById(`${id}-${next}`)?.scrollIntoView({ block: 'nearest' });
    } else if (event.key === 'Enter') {
      event.preventDefault();
      // The list may still be that of the text before the last letters.
      run(listed?.text === text ? entries[current] : runToEnd(findEntries(page, text))[0]);
    }
  };
  return (
    <Dialog label="Find" onClose={close} isAtTop>
      <input
        type="text"
        role="combobox"
        className={styles.text}
        aria-label="Find a series, tag or command"
        placeholder="Find a series, tag or command"
        aria-expanded
        aria-controls={`${id}-list`}
        aria-activedescendant={entries.length > 0 ? `${id}-${current}` : undefined}
        autoComplete="off"
        // oxlint-disable-next-line jsx-a11y/no-autofocus -- the dialog consists of this one field
        autoFocus
        value={text}
        onChange={(event) => {
          setText(event.target.value);
          setChosen(0);
        }}
        onKeyDown={onKeyDown}
      />
      {/* A select or datalist cannot be styled like this. */}
      {/* oxlint-disable-next-line jsx-a11y/prefer-tag-over-role */}
      <div id={`${id}-list`} role="listbox" aria-label="Results" className={styles.list}>
        {entries.map((entry, i) => (
          // The field keeps the focus and handles the keys.
          // oxlint-disable-next-line jsx-a11y/click-events-have-key-events, jsx-a11y/interactive-supports-focus
          <div
            key={entry.key}
            id={`${id}-${i}`}
            // oxlint-disable-next-line jsx-a11y/prefer-tag-over-role
            role="option"
            aria-selected={i === current}
            className={styles.entry}
            onPointerMove={() => setChosen(i)}
            onClick={() => run(entry)}
          >
            <span className={styles.kind}>{entry.kind}</span>
            <span className={styles.title}>{entry.title}</span>
            <span className={styles.detail}>{entry.detail}</span>
          </div>
        ))}
      </div>
      {listed?.entries.length === 0 && <p className={styles.none}>No matches.</p>}
    </Dialog>
  );
}
