import { useEffect, useState } from 'react';
import type { RecoveryBody, RedactionJournalResponse } from '../../../../shared/contract/annotations.ts';
import { fetchRedactionJournal, recoverRedactions } from '../../../kit/api/annotations.ts';
import { wait } from '../../../kit/state/wait.ts';
import { Notice, NoticeAction } from '../../../kit/ui/Notice.tsx';
import { UnreadJournalNotice } from './UnreadJournalNotice.tsx';

/** While something is reported, because a journal may become readable, and another server may end. */
const ASK_AGAIN_MS = 5_000;

/** Notices about redactions of earlier runs and of other servers, which are in effect without a question. */
export function RedactionNotices() {
  const [journal, setJournal] = useState<RedactionJournalResponse>();
  const [failure, setFailure] = useState<Error>();
  useEffect(() => {
    const ending = new AbortController();
    void follow(ending.signal, setJournal);
    return () => ending.abort();
  }, []);
  if (journal === undefined) return null;
  const choose = async (action: RecoveryBody['action']) => {
    try {
      setFailure(undefined);
      setJournal(await recoverRedactions(action));
      // Pictures that are shown or kept have other pixels now. The browser asks before unsaved work is lost.
      if (action !== 'restore' || journal.unread.length > 0) location.reload();
    } catch (error) {
      setFailure(error instanceof Error ? error : new Error(String(error)));
    }
  };
  const { kept, unread, state, error, num_of_others: ofOthers } = journal;
  return (
    <>
      {failure !== undefined && <Notice tone="danger">The last attempt failed: {failure.message}.</Notice>}
      <UnreadJournalNotice what="Redactions" unread={unread} onChoose={choose}>
        {' No image is shown, because any of them may have redactions.'}
      </UnreadJournalNotice>
      {state === 'failing' && (
        <Notice tone="danger">
          Redactions cannot be written to disk ({error ?? 'unknown reason'}). They are lost when negato stops.
        </Notice>
      )}
      {kept !== null && kept.num_roi > 0 && (
        <Notice
          tone="warning"
          label="Redactions from an earlier run"
          actions={
            <>
              <NoticeAction title="Keep" onChoose={() => void choose('restore')} />
              <NoticeAction title="Remove" onChoose={() => void choose('forget')} />
            </>
          }
        >
          {countOf(kept.num_roi)} of {kept.path}
          {kept.num_files > 1 ? ` (${kept.num_files} files)` : ''} {kept.num_roi === 1 ? 'is' : 'are'} in effect, from
          an earlier run of negato.
        </Notice>
      )}
      {ofOthers > 0 && (
        <Notice tone="warning">
          {countOf(ofOthers)} of another negato that is running {ofOthers === 1 ? 'is' : 'are'} in effect here, too.
        </Notice>
      )}
    </>
  );
}

function countOf(count: number): string {
  return count === 1 ? '1 redaction' : `${count} redactions`;
}

/**
 * Asks once, and again while there is something to report or when the user comes back to the page. A page that asks all
 * the time would keep a server that nobody uses from ending.
 */
async function follow(signal: AbortSignal, tell: (journal: RedactionJournalResponse) => void): Promise<void> {
  while (!signal.aborted) {
    const journal = await fetchRedactionJournal(signal).catch(() => undefined);
    if (signal.aborted) return;
    if (journal !== undefined) tell(journal);
    await (journal === undefined || hasNews(journal) ? wait(ASK_AGAIN_MS, signal) : untilFocus(signal));
  }
}

function hasNews({ searched, state, unread, num_of_others: ofOthers }: RedactionJournalResponse): boolean {
  return !searched || state === 'failing' || unread.length > 0 || ofOthers > 0;
}

function untilFocus(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const finish = () => {
      window.removeEventListener('focus', finish);
      signal.removeEventListener('abort', finish);
      resolve();
    };
    window.addEventListener('focus', finish);
    signal.addEventListener('abort', finish);
  });
}
