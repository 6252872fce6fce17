import { type FormEvent, type KeyboardEvent, useEffect, useId, useRef, useState } from 'react';
import { setWindow } from '../../kit/state/cells.ts';
import { usePage } from '../../kit/state/page.ts';
import { reportOf } from '../pictures/viewports.ts';
import { openWindowEntry, useIsWindowTyped } from '../../kit/state/windowEntry.ts';
import { windowUnitOf } from './cornerTexts.ts';
import { readWindow, type TypedWindow, writeWindow } from './typedWindow.ts';
import { openPopover } from '../../kit/ui/openPopover.ts';
import styles from './WindowEntry.module.css';

/** Two fields for the window of a cell, shown while the user types it. */
export function WindowEntry({ cell }: { readonly cell: number }) {
  return useIsWindowTyped(cell) ? <Entry cell={cell} /> : null;
}

function Entry({ cell }: { readonly cell: number }) {
  const page = usePage();
  const close = () => openWindowEntry(page, undefined);
  const closeByKey = (event: KeyboardEvent) => {
    if (event.key === 'Escape') close();
  };
  const id = useId();
  const panel = useRef<HTMLDivElement>(null);
  // The values from when the fields were opened, because the image may change while the user types.
  const [{ before, unit }] = useState(() => ({ before: reportOf(page, cell).window, unit: windowUnitOf(page, cell) }));
  const [typed, setTyped] = useState<TypedWindow>(() =>
    before === undefined ? { center: '', width: '' } : writeWindow(before, unit),
  );
  const [refused, setRefused] = useState<{ readonly field: keyof TypedWindow; readonly problem: string }>();

  useEffect(() => {
    const element = panel.current;
    const figure = element?.closest('figure');
    if (element === null || !figure || !openPopover(element)) return undefined;
    const { left, bottom, width } = figure.getBoundingClientRect();
    // Clear of the scale in the middle.
    element.style.maxWidth = `${Math.max(220, width / 2 - 70)}px`;
    element.style.left = `${Math.max(4, Math.min(left + 10, innerWidth - element.offsetWidth - 4))}px`;
    element.style.top = `${Math.max(4, bottom - element.offsetHeight - 10)}px`;
    const first = element.querySelector('input');
    first?.focus();
    first?.select();
    return () => figure.focus({ preventScroll: true });
  }, []);

  if (before === undefined) return null;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const read = readWindow(typed, unit, before);
    if ('window' in read) {
      setWindow(page, cell, { kind: 'custom', ...read.window });
      close();
      return;
    }
    setRefused(read);
    panel.current?.querySelector<HTMLInputElement>(`[name="${read.field}"]`)?.focus();
  };
  const field = (name: keyof TypedWindow, label: string) => (
    <label className={styles.field}>
      {label}
      <input
        name={name}
        inputMode="decimal"
        autoComplete="off"
        size={9}
        value={typed[name]}
        aria-invalid={refused?.field === name}
        aria-describedby={refused?.field === name ? `${id}-problem` : undefined}
        onChange={(event) => {
          setTyped({ ...typed, [name]: event.target.value });
          setRefused(undefined);
        }}
      />
      {unit.unit !== '' && <span className={styles.unit}>{unit.unit}</span>}
    </label>
  );
  return (
    // The image stays visible and usable beside it; the fields have the focus.
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions
    <div
      ref={panel}
      popover="auto"
      // oxlint-disable-next-line jsx-a11y/prefer-tag-over-role -- a dialog that is a popover
      role="dialog"
      aria-label="Window"
      tabIndex={-1}
      className={styles.entry}
      onToggle={({ newState }) => {
        if (newState === 'closed') close();
      }}
      onKeyDown={closeByKey}
    >
      <form className={styles.form} onSubmit={submit} noValidate>
        {field('center', 'Center')}
        {field('width', 'Width')}
        <button type="submit" className={styles.apply}>
          Apply
        </button>
      </form>
      <p id={`${id}-problem`} className={styles.problem} role="alert">
        {refused?.problem}
      </p>
    </div>
  );
}
