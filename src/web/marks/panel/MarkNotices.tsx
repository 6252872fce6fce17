import { useState } from 'react';
import type { RecoveryBody } from '../../../shared/contract/annotations.ts';
import type { LabelClass } from '../../../shared/contract/marks.ts';
import { UnreadJournalNotice } from './UnreadJournalNotice.tsx';
import { recoverMarks } from '../../api/marks.ts';
import { type Page, usePage } from '../../state/page.ts';
import { Notice, NoticeAction } from '../../ui/Notice.tsx';
import { changeScheme } from '../shapes/labels.ts';
import { marksOf, useMarks } from '../sync/marks.ts';
import { keepMissing, parkedMarksOf, useParkedMarks } from '../sync/parkedMarks.ts';

/** Notices about failures with marks, and the marks that an earlier run kept. */
export function MarkNotices() {
  const page = usePage();
  const failure = useMarks((state) => state.failure);
  const refused = useMarks((state) => state.refused);
  const copies = useMarks((state) => state.copies);
  const leftOut = useMarks((state) => state.leftOut);
  const journal = useMarks((state) => state.journal);
  const [reason] = refused.values();
  return (
    <>
      <KeptMarks />
      <MissingMarks />
      <LostMarks />
      <UnreadJournalNotice
        what="Marks"
        unread={journal?.unread}
        onChoose={(action) => void settleUnread(page, action)}
      />
      {journal?.state === 'failing' && (
        <Notice tone="danger">
          Marks cannot be written to disk ({journal.error ?? 'unknown reason'}). They are lost when negato stops: export
          them from the Measure tab.
        </Notice>
      )}
      {failure !== undefined && <Notice tone="warning">Marks are not saved yet: {failure}.</Notice>}
      {reason !== undefined && (
        <Notice tone="danger">
          {refused.size === 1 ? 'A mark was' : `${refused.size} marks were`} not accepted by the server: {reason}.
        </Notice>
      )}
      {leftOut !== undefined && (
        <Notice
          tone="warning"
          label="Left out of the saved file"
          actions={<NoticeAction title="Dismiss" onChoose={() => marksOf(page).setState({ leftOut: undefined })} />}
        >
          {leftOut.name} was saved. The format cannot hold: {leftOut.text}. Marks that are not whole in the file are
          still kept here.
        </Notice>
      )}
      {copies > 0 && (
        <Notice
          tone="warning"
          actions={<NoticeAction title="Dismiss" onChoose={() => marksOf(page).setState({ copies: 0 })} />}
        >
          {copies === 1 ? 'A mark was' : `${copies} marks were`} changed elsewhere at the same time. Your form was added
          as a copy.
        </Notice>
      )}
    </>
  );
}

/** Marks that this page had, and that the restarted server does not have: the user decides. */
function MissingMarks() {
  const page = usePage();
  const marks = useParkedMarks((state) => state.missing);
  const classes = useParkedMarks((state) => state.missingClasses);
  if (marks.length + classes.length === 0) return null;
  const keep = () => {
    if (classes.length > 0) void changeScheme(page, (old) => ({ ...old, classes: addMissing(old.classes, classes) }));
    keepMissing(page);
  };
  const drop = () => parkedMarksOf(page).setState({ missing: [], missingClasses: [] });
  const named = [
    ...(marks.length > 0 ? [count(marks.length, 'mark', 'marks')] : []),
    ...(classes.length > 0 ? [count(classes.length, 'class', 'classes')] : []),
  ].join(' and ');
  return (
    <Notice
      tone="warning"
      label="Marks of this page"
      actions={
        <>
          <NoticeAction title="Keep" onChoose={keep} />
          <NoticeAction title="Drop" onChoose={drop} />
        </>
      }
    >
      {named} of this page {marks.length + classes.length === 1 ? 'is' : 'are'} not on the restarted server.
    </Notice>
  );
}

function LostMarks() {
  const page = usePage();
  const lost = useParkedMarks((state) => state.lost);
  if (lost.length === 0) return null;
  const paths = [...new Set(lost.flatMap(({ files }) => files.map(({ path }) => path)))];
  return (
    <Notice
      tone="danger"
      label="Marks without files"
      actions={<NoticeAction title="Dismiss" onChoose={() => parkedMarksOf(page).setState({ lost: [] })} />}
    >
      {count(lost.length, 'mark', 'marks')} cannot be saved because {lost.length === 1 ? 'its' : 'their'} files are no
      longer open: {paths.slice(0, MOST_PATHS).join(', ')}
      {paths.length > MOST_PATHS && ` and ${paths.length - MOST_PATHS} more`}.
    </Notice>
  );
}

/** Paths that a notice has room for. */
const MOST_PATHS = 10;

function count(number: number, one: string, many: string): string {
  return `${number} ${number === 1 ? one : many}`;
}

function addMissing(classes: readonly LabelClass[], missing: readonly LabelClass[]): LabelClass[] {
  const digits = new Set(classes.map(({ digit }) => digit));
  const added = missing.filter(({ key }) => !classes.some((one) => one.key === key));
  return [...classes, ...added.map((one) => (digits.has(one.digit) ? { ...one, digit: null } : one))];
}

async function settleUnread(page: Page, action: RecoveryBody['action']): Promise<void> {
  try {
    marksOf(page).setState({ journal: await recoverMarks(action) });
  } catch (error) {
    marksOf(page).setState({ failure: error instanceof Error ? error.message : String(error) });
  }
}

function KeptMarks() {
  const page = usePage();
  const kept = useMarks(({ journal }) => journal?.kept ?? undefined);
  const [state, setState] = useState<'idle' | 'running' | Error>('idle');
  if (kept === undefined) return null;
  const recover = async (action: 'restore' | 'forget') => {
    setState('running');
    try {
      marksOf(page).setState({ journal: await recoverMarks(action) });
      setState('idle');
    } catch (error) {
      setState(error instanceof Error ? error : new Error(String(error)));
    }
  };
  const actions = (
    <>
      <NoticeAction title="Restore" onChoose={() => void recover('restore')} />
      <NoticeAction title="Forget" onChoose={() => void recover('forget')} />
    </>
  );
  return (
    <Notice tone="warning" label="Marks from an earlier run" actions={state === 'running' ? undefined : actions}>
      {state instanceof Error && `The last attempt failed: ${state.message}. `}
      {kept.marks === 0 ? 'The classes of marks' : count(kept.marks, 'mark', 'marks')} of {kept.path}{' '}
      {kept.marks === 1 ? 'was' : 'were'} not exported when negato last stopped.
      {kept.changed_files > 0 && ` Files changed since then: ${kept.changed_files}.`}
    </Notice>
  );
}
