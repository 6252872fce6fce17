import { useStore } from 'zustand';
import type { LabelClass } from '../../../../shared/contract/marks.ts';
import { UnreadJournalNotice } from './UnreadJournalNotice.tsx';
import { usePage } from '../../../kit/state/page.ts';
import { Notice, NoticeAction } from '../../../kit/ui/Notice.tsx';
import { changeScheme } from '../shapes/labels.ts';
import { markSyncOf } from '../sync/markKind.ts';
import { marksOf, useMarks } from '../sync/marks.ts';
import { EarlierMarks, recoverKeptMarks } from './EarlierMarks.tsx';
import { LostNotice } from './LostNotice.tsx';
import { keepMissing, parkedMarksOf, useParkedMarks } from '../sync/parkedMarks.ts';

/** Notices about failures with marks, and the marks that an earlier run kept. */
export function MarkNotices() {
  const page = usePage();
  const troubles = useStore(markSyncOf(page).store, (state) => state.troubles);
  const refused = [...troubles.values()].filter(({ kind }) => kind === 'refused');
  const [failure] = [...troubles.values()].flatMap((one) => (one.kind === 'retrying' ? one.error.message : []));
  const copies = useMarks((state) => state.copies);
  const leftOut = useMarks((state) => state.leftOut);
  const journal = useMarks((state) => state.journal);
  const [reason] = refused.flatMap((one) => (one.kind === 'refused' ? one.error.message : []));
  return (
    <>
      <EarlierMarks />
      <MissingMarks />
      <LostNotice what="marks" />
      <UnreadJournalNotice
        what="Marks"
        unread={journal?.unread}
        onChoose={(action) => recoverKeptMarks(page, action)}
      />
      {journal?.state === 'failing' && (
        <Notice tone="danger">
          Marks cannot be written to disk ({journal.error ?? 'unknown reason'}). They are lost when negato stops: save
          them from the Marks tab.
        </Notice>
      )}
      {failure !== undefined && <Notice tone="warning">Marks are not saved yet: {failure}.</Notice>}
      {reason !== undefined && (
        <Notice tone="danger">
          {refused.length === 1 ? 'A mark was' : `${refused.length} marks were`} not accepted by the server: {reason}.
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

function count(number: number, one: string, many: string): string {
  return `${number} ${number === 1 ? one : many}`;
}

function addMissing(classes: readonly LabelClass[], missing: readonly LabelClass[]): LabelClass[] {
  const digits = new Set(classes.map(({ digit }) => digit));
  const added = missing.filter(({ key }) => !classes.some((one) => one.key === key));
  return [...classes, ...added.map((one) => (digits.has(one.digit) ? { ...one, digit: null } : one))];
}
