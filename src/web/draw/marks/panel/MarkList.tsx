import { type KeyboardEvent, memo, type MouseEvent, useCallback, useEffect, useRef } from 'react';
import { spellPress } from '../../../kit/state/commands.ts';
import { usePage } from '../../../kit/state/page.ts';
import list from '../../../kit/ui/ListPanel.module.css';
import { isHiddenIn, useHiddenMarks } from '../shapes/hiddenMarks.ts';
import { classesOf, useLabels } from '../shapes/labels.ts';
import { chooseMarks, marksOf, useMarks } from '../sync/marks.ts';
import { ClassHeading } from './ClassHeading.tsx';
import type { MarkGroup } from './groupMarks.ts';
import styles from './MarkList.module.css';
import { MarkRow } from './MarkRow.tsx';
import { showListed } from './showListed.ts';
import { chooseRow } from './sortMarks.ts';
import type { ListedMark } from './useListedMarks.ts';
import { useMarkRows } from './useMarkRows.ts';

/** In which a row is drawn after the list was scrolled, also by a busy page. */
const MOST_FRAMES = 60;
/** Then its height is known, with what can be edited below it. */
const STILL_FRAMES = 6;

type Props = { readonly groups: readonly MarkGroup<ListedMark>[] };

/**
 * The rows of marks below their headings, drawn only where they are in view. A click jumps to a mark; with Ctrl or Shift, it
 * chooses several.
 */
export const MarkList = memo(function MarkList({ groups }: Props) {
  const page = usePage();
  const selected = useMarks((state) => state.selected);
  const chosen = useMarks((state) => state.chosen);
  const hidden = useHiddenMarks((state) => state);
  const classes = useLabels(classesOf);
  const anchor = useRef<string>(undefined);
  const rows = useRef<readonly string[]>([]);
  /** Where keys have led, while that row is not drawn yet. */
  const goingTo = useRef<string>(undefined);
  useEffect(() => {
    rows.current = groups.flatMap(({ marks }) => marks.map(({ uid }) => uid));
  }, [groups]);

  const { scroller, drawn, abovePx, belowPx, reveal } = useMarkRows(groups);
  const revealNow = useRef(reveal);
  /** What the list was last scrolled to. */
  const shown = useRef<string>(undefined);
  useEffect(() => {
    revealNow.current = reveal;
  }, [reveal]);
  const show = useCallback(
    (uid: string, then?: (row: HTMLElement) => void) => {
      let before: number | undefined;
      let still = 0;
      shown.current = uid;
      const look = (frames: number) => {
        if (shown.current !== uid) return;
        // The heights of rows are known when they have been drawn, so it may have to be scrolled again.
        revealNow.current(uid);
        const element = scroller.current;
        const row = element?.querySelector<HTMLElement>(`[data-row="${uid}"]`) ?? undefined;
        still = row !== undefined && before === element?.scrollTop ? still + 1 : 0;
        before = element?.scrollTop;
        if (row !== undefined && still === 1) then?.(row);
        if (still < STILL_FRAMES && frames > 0) requestAnimationFrame(() => look(frames - 1));
      };
      look(MOST_FRAMES);
    },
    [scroller],
  );
  useEffect(() => {
    if (selected !== undefined) show(selected);
  }, [selected, show]);

  /** From then on the user scrolls. */
  const leave = () => {
    shown.current = undefined;
  };

  const choose = useCallback(
    (uid: string, how: { readonly isRange: boolean; readonly isAdded: boolean }) => {
      const before = marksOf(page).getState();
      const { current = before.selected } = anchor;
      const next = chooseRow(uid, { rows: rows.current, chosen: before.chosen, anchor: current, ...how });
      if (!how.isRange) anchor.current = uid;
      chooseMarks(page, next, next.has(uid) ? uid : [...next].at(-1));
    },
    [page],
  );
  const onChoose = useCallback(
    (mark: ListedMark, { shiftKey, ctrlKey, metaKey }: MouseEvent) => {
      const isAdded = ctrlKey || metaKey;
      if (shiftKey || isAdded) choose(mark.uid, { isRange: shiftKey, isAdded });
      else {
        anchor.current = mark.uid;
        showListed(page, mark);
      }
    },
    [page, choose],
  );
  const onKeyDown = (event: KeyboardEvent<HTMLDivElement>) => {
    const { target, currentTarget } = event;
    const uid = (target instanceof HTMLElement ? target.dataset['row'] : undefined) ?? '';
    const pending = rows.current.indexOf(goingTo.current ?? '');
    const at = pending < 0 ? rows.current.indexOf(uid) : pending;
    if (at < 0) return;
    const spelled = spellPress(event);
    const step = { Down: 1, 'Shift+Down': 1, Up: -1, 'Shift+Up': -1 }[spelled];
    if (step !== undefined) {
      const next = rows.current[at + step];
      if (next !== undefined) {
        const row = currentTarget.querySelector<HTMLElement>(`[data-row="${next}"]`);
        goingTo.current = row === null ? next : undefined;
        row?.focus();
        if (row === null) {
          // The row that has the focus may leave before the next one is there.
          currentTarget.focus({ preventScroll: true });
          show(next, (drawnRow) => {
            if (goingTo.current !== next) return;
            goingTo.current = undefined;
            drawnRow.focus();
          });
        }
        if (event.shiftKey) {
          anchor.current ??= uid;
          choose(next, { isRange: true, isAdded: false });
        } else anchor.current = next;
      }
    } else if (spelled === 'Ctrl+A') chooseMarks(page, rows.current, uid);
    else if (spelled === 'Ctrl+Space') choose(uid, { isRange: false, isAdded: true });
    else return;
    event.preventDefault();
  };
  return (
    // The buttons in the rows have the focus.
    // oxlint-disable-next-line jsx-a11y/no-static-element-interactions
    <div ref={scroller} className={list.list} tabIndex={-1} onKeyDown={onKeyDown} onWheel={leave} onPointerDown={leave}>
      <div style={{ height: abovePx }} />
      {drawn.map(({ key, group: { title, isImage = false, classKey, marks: all }, marks, from, ...around }) => (
        <div key={key}>
          {classKey === undefined ? (
            <h2 className={styles.heading}>{title}</h2>
          ) : (
            <ClassHeading title={title} classKey={classKey} count={all.length} />
          )}
          <ul
            className={styles.rows}
            style={{ paddingTop: around.abovePx, paddingBottom: around.belowPx }}
            aria-label={title}
          >
            {marks.map((mark, n) => (
              <MarkRow
                key={mark.uid}
                mark={mark}
                place={from + n + 1}
                total={all.length}
                isBelowImage={isImage}
                isHidden={isHiddenIn(hidden, mark, classes)}
                isSelected={mark.uid === selected}
                isChosen={chosen.has(mark.uid)}
                isAlone={mark.uid === selected && chosen.size < 2}
                onChoose={onChoose}
              />
            ))}
          </ul>
        </div>
      ))}
      <div style={{ height: belowPx }} />
    </div>
  );
});
