import { useState } from 'react';
import type { RecoveryBody } from '../../shared/contract/annotations.ts';
import { UnreadJournals } from '../annotations/UnreadJournals.tsx';
import { recoverMarks } from '../api/marks.ts';
import { type Page, usePage } from '../state/page.ts';
import { Notice, NoticeAction } from '../ui/Notice.tsx';
import { marksOf, useMarks } from './marks.ts';

/** Notices about failures with marks, and the marks that an earlier run kept. */
export function MarkNotices() {
  const page = usePage();
  const failure = useMarks((state) => state.failure);
  const refused = useMarks((state) => state.refused);
  const copies = useMarks((state) => state.copies);
  const journal = useMarks((state) => state.journal);
  const [reason] = refused.values();
  return (
    <>
      <KeptMarks />
      <UnreadJournals what="Marks" unread={journal?.unread} onChoose={(action) => void settleUnread(page, action)} />
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
      {kept.marks === 1 ? '1 mark' : `${kept.marks} marks`} of {kept.path} {kept.marks === 1 ? 'was' : 'were'} not
      exported when negato last stopped.
      {kept.changed_files > 0 && ` Files changed since then: ${kept.changed_files}.`}
    </Notice>
  );
}
