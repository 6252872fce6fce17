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

type Props = { readonly groups: readonly MarkGroup<ListedMark>[] };

/** The rows of marks below their headings. A click jumps to a mark; with Ctrl or Shift, it chooses several. */
export const MarkList = memo(function MarkList({ groups }: Props) {
  const page = usePage();
  const selected = useMarks((state) => state.selected);
  const chosen = useMarks((state) => state.chosen);
  const hidden = useHiddenMarks((state) => state);
  const classes = useLabels(classesOf);
  const anchor = useRef<string>(undefined);
  const rows = useRef<readonly string[]>([]);
  useEffect(() => {
    rows.current = groups.flatMap(({ marks }) => marks.map(({ uid }) => uid));
  }, [groups]);

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
    const at = rows.current.indexOf(uid);
    if (at < 0) return;
    const spelled = spellPress(event);
    const step = { Down: 1, 'Shift+Down': 1, Up: -1, 'Shift+Up': -1 }[spelled];
    if (step !== undefined) {
      const next = rows.current[at + step];
      if (next !== undefined) {
        currentTarget.querySelector<HTMLElement>(`[data-row="${next}"]`)?.focus();
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
    <div className={list.list} onKeyDown={onKeyDown}>
      {groups.map(({ title, isImage = false, classKey, marks }) => (
        <div key={`${classKey ?? ''} ${title}`}>
          {classKey === undefined ? (
            <h3 className={styles.heading}>{title}</h3>
          ) : (
            <ClassHeading title={title} classKey={classKey} count={marks.length} />
          )}
          <ul className={styles.rows} aria-label={title}>
            {marks.map((mark) => (
              <MarkRow
                key={mark.uid}
                mark={mark}
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
    </div>
  );
});
