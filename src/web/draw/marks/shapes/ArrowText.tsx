import { type FormEvent, useEffect, useRef, useState } from 'react';
import { MOST_MARK_TEXT } from '../../../../shared/contract/marks.ts';
import { useCells } from '../../../kit/state/cells.ts';
import { usePage } from '../../../kit/state/page.ts';
import { applyMatrix } from '../../../show/pictures/viewTransform.ts';
import { openPopover } from '../../../kit/ui/openPopover.ts';
import styles from './ArrowText.module.css';
import { findMeasuredFrame } from './measuredFrame.ts';
import type { Measurement } from './measurement.ts';
import { askForText, changeMarkWords, drawingOf, findShape, useDrawing } from './measurements.ts';
import { useMarks } from '../sync/marks.ts';

/** A field for the text of the arrow that was just drawn in a cell. */
export function ArrowText({ cell }: { readonly cell: number }) {
  const isActive = useCells(({ activeCell }) => activeCell === cell);
  const page = usePage();
  const asked = useDrawing((state) => state.asked);
  // It may be deleted before the user has said anything.
  const item = useMarks(() => findShape(page, asked));
  return item === undefined || !isActive ? null : <Entry key={item.uid} cell={cell} item={item} />;
}

function Entry({ cell, item: { uid, points } }: { readonly cell: number; readonly item: Measurement }) {
  const page = usePage();
  const panel = useRef<HTMLFormElement>(null);
  const [typed, setTyped] = useState('');
  const close = () => askForText(page, undefined);
  /** What was typed counts however the field is left, except by Esc. */
  const commit = () => {
    // The field was closed before.
    if (drawingOf(page).getState().asked !== uid) return;
    close();
    const text = typed.trim();
    if (text !== '') changeMarkWords(page, [uid], { text });
  };

  const tail = points.at(-1);
  useEffect(() => {
    const element = panel.current;
    const figure = element?.closest('figure');
    const shown = findMeasuredFrame(page, cell);
    if (element === null || !figure || shown === undefined || tail === undefined) return undefined;
    if (!openPopover(element)) return undefined;
    const { left, top } = figure.getBoundingClientRect();
    const at = applyMatrix(shown.screen.imageToScreen, tail);
    const keepIn = (place: number, size: number) => `${Math.max(4, Math.min(place, size))}px`;
    element.style.left = keepIn(left + at.x + 8, innerWidth - element.offsetWidth - 4);
    element.style.top = keepIn(top + at.y - element.offsetHeight / 2, innerHeight - element.offsetHeight - 4);
    element.querySelector('input')?.focus();
    return () => figure.focus({ preventScroll: true });
    // Only when it opens: it stays where it is while the user types.
    // oxlint-disable-next-line react-hooks/exhaustive-deps
  }, []);

  const submit = (event: FormEvent) => {
    event.preventDefault();
    commit();
  };
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions -- the field in it has the focus
    <form
      ref={panel}
      popover="auto"
      className={styles.entry}
      aria-label="Text of the arrow"
      onSubmit={submit}
      onToggle={({ newState }) => {
        if (newState === 'closed') commit();
      }}
      onKeyDown={({ key }) => {
        if (key === 'Escape') close();
      }}
    >
      <input
        aria-label="Text of the arrow"
        placeholder="Text"
        autoComplete="off"
        maxLength={MOST_MARK_TEXT}
        value={typed}
        onChange={({ target }) => setTyped(target.value)}
      />
    </form>
  );
}
