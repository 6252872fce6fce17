import { useStore } from 'zustand';
import { groupDigits } from '../../kit/ui/groupDigits.ts';
import { useLibrary } from '../../kit/state/library.ts';
import { usePage } from '../../kit/state/page.ts';
import { Notice, NoticeAction } from '../../kit/ui/Notice.tsx';
import { openUnit } from './decide.ts';
import { keepMine, takeTheirs } from './followReview.ts';
import { useReview, verdictIn } from './review.ts';
import styles from './Review.module.css';
import { reviewSyncOf } from './reviewSync.ts';
import { describeVerdict, listMissing, toVerdict } from './verdict.ts';

/** Decisions that the server has not acknowledged, and what was decided elsewhere at the same time. */
export function ReviewNotices() {
  const page = usePage();
  const sync = reviewSyncOf(page);
  const state = useReview((known) => known);
  const { troubles } = useStore(sync.store);
  const isListed = useLibrary(({ summary }) => summary?.scan_complete === true && !summary.more);
  const { head, mine, units, at } = state;
  const incomplete = [...mine].flatMap(([key, verdict]) =>
    key !== at && units.has(key) && head !== undefined && listMissing(head.scheme, verdict).length > 0 ? key : [],
  );
  const conflicts = [...troubles].filter(([, { kind }]) => kind === 'conflict').map(([key]) => key);
  const failing = [...troubles].flatMap(([key, trouble]) =>
    trouble.kind === 'conflict' || incomplete.includes(key) || isIncompleteHere(state, key)
      ? []
      : trouble.error.message,
  );
  const gone = isListed || head === undefined ? [...mine.keys()].filter((key) => !units.has(key)) : [];
  const [reason] = failing;
  const [conflict] = conflicts;
  const [open] = incomplete;
  const placeOf = (key: string) => {
    const position = units.get(key)?.position;
    return position === undefined || position === null ? 'A unit' : `Unit ${groupDigits(position + 1)}`;
  };
  const isReadOnly = head !== undefined && head.state !== 'on' && failing.length === 0;
  return (
    <div className={styles.notices}>
      {reason !== undefined && (
        <Notice
          tone="danger"
          label="Decisions that are not written"
          actions={<NoticeAction title="Try again" onChoose={() => sync.retry()} />}
        >
          {mine.size === 1 ? 'A decision is' : `${groupDigits(mine.size)} decisions are`} not written: {reason}. This
          page keeps {mine.size === 1 ? 'it' : 'them'} and tries again.
        </Notice>
      )}
      {isReadOnly && (
        <Notice tone="warning" label="The file of the review">
          Decisions cannot be written now: {head.problem}.
        </Notice>
      )}
      {conflict !== undefined && head !== undefined && (
        <Notice
          tone="warning"
          label="Decided elsewhere"
          actions={
            <>
              {conflict !== at && <NoticeAction title="Show" onChoose={() => void openUnit(page, conflict)} />}
              <NoticeAction title="Keep mine" onChoose={() => keepMine(page, conflict)} />
              <NoticeAction title="Take the other" onChoose={() => takeTheirs(page, conflict)} />
            </>
          }
        >
          {placeOf(conflict)} was decided in another window meanwhile:{' '}
          <b>{describeVerdict(head.scheme, toVerdict(units.get(conflict)?.decision ?? null))}</b>. Here it is{' '}
          <b>{describeVerdict(head.scheme, verdictIn(state, conflict))}</b>.
          {conflicts.length > 1 && ` ${conflicts.length - 1} more.`}
        </Notice>
      )}
      {open !== undefined && head !== undefined && (
        <Notice
          tone="warning"
          label="Decisions that are not complete"
          actions={<NoticeAction title="Show" onChoose={() => void openUnit(page, open)} />}
        >
          {placeOf(open)} needs {listMissing(head.scheme, verdictIn(state, open)).join(', ')} and is not written.
          {incomplete.length > 1 && ` ${incomplete.length - 1} more.`}
        </Notice>
      )}
      {gone.length > 0 && (
        <Notice tone="danger" label="Decisions about files that are not open">
          {gone.length === 1 ? 'A decision of this page is' : `${gone.length} decisions of this page are`} not written,
          because the restarted server {head === undefined ? 'has no review' : 'does not have the files'}.
        </Notice>
      )}
      {head !== undefined && head.damage !== null && (
        <Notice tone="warning" label="Damage">
          Not everything of the review could be read: {head.damage}.
        </Notice>
      )}
    </div>
  );
}

/** The bar says it. */
function isIncompleteHere({ head, mine, at }: Parameters<typeof verdictIn>[0], key: string): boolean {
  const verdict = mine.get(key);
  return key === at && head !== undefined && verdict !== undefined && listMissing(head.scheme, verdict).length > 0;
}
