import { type KeyboardEvent, type MouseEvent, useCallback, useEffect, useRef } from 'react';
import { spellPress } from '../../../kit/state/commands.ts';
import { usePage } from '../../../kit/state/page.ts';
import list from '../../../kit/ui/ListPanel.module.css';
import type { MeasuredFile } from '../shapes/exportMeasurements.ts';
import { chooseRow } from './sortMarks.ts';
import type { Measurement } from '../shapes/measurement.ts';
import { MeasureRow } from './MeasureRow.tsx';
import { chooseMeasurements, measurementsOf, useMeasurements } from '../shapes/measurements.ts';
import { showMark } from '../shapes/showMark.ts';

/** The rows of marks. A click jumps to a mark; with Ctrl or Shift, it chooses several. */
export function MarkList({ shown }: { readonly shown: readonly MeasuredFile[] }) {
  const page = usePage();
  const selectedId = useMeasurements((state) => state.selectedId);
  const chosenIds = useMeasurements((state) => state.chosenIds);
  const anchor = useRef<number>(undefined);
  const rows = useRef<readonly number[]>([]);
  useEffect(() => {
    rows.current = shown.map(({ item }) => item.id);
  }, [shown]);

  const choose = useCallback(
    (id: number, how: { readonly isRange: boolean; readonly isAdded: boolean }) => {
      const { chosenIds: chosen, selectedId: selected } = measurementsOf(page).getState();
      const next = chooseRow(id, { rows: rows.current, chosen, anchor: anchor.current ?? selected, ...how });
      if (!how.isRange) anchor.current = id;
      chooseMeasurements(page, next, next.has(id) ? id : [...next].at(-1));
    },
    [page],
  );
  const onChoose = useCallback(
    (item: Measurement, { shiftKey, ctrlKey, metaKey }: MouseEvent) => {
      const isAdded = ctrlKey || metaKey;
      if (shiftKey || isAdded) choose(item.id, { isRange: shiftKey, isAdded });
      else {
        anchor.current = item.id;
        showMark(page, item);
      }
    },
    [page, choose],
  );
  const onKeyDown = (event: KeyboardEvent<HTMLUListElement>) => {
    const { target, currentTarget } = event;
    const id = target instanceof HTMLElement ? Number(target.dataset['row'] ?? NaN) : NaN;
    const at = rows.current.indexOf(id);
    if (at < 0) return;
    const spelled = spellPress(event);
    const step = { Down: 1, 'Shift+Down': 1, Up: -1, 'Shift+Up': -1 }[spelled];
    if (step !== undefined) {
      const next = rows.current[at + step];
      if (next !== undefined) {
        currentTarget.querySelector<HTMLElement>(`[data-row="${next}"]`)?.focus();
        if (event.shiftKey) {
          anchor.current ??= id;
          choose(next, { isRange: true, isAdded: false });
        } else anchor.current = next;
      }
    } else if (spelled === 'Ctrl+A') chooseMeasurements(page, rows.current, id);
    else if (spelled === 'Ctrl+Space') choose(id, { isRange: false, isAdded: true });
    else return;
    event.preventDefault();
  };
  return (
    // The buttons in the rows have the focus.
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions
    <ul className={list.list} onKeyDown={onKeyDown}>
      {shown.map(({ item, file }) => (
        <MeasureRow
          key={item.id}
          item={item}
          file={file}
          isSelected={item.id === selectedId}
          isChosen={chosenIds.has(item.id)}
          isAlone={item.id === selectedId && chosenIds.size < 2}
          onChoose={onChoose}
        />
      ))}
    </ul>
  );
}
