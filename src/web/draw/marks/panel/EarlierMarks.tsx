import { useState } from 'react';
import { asError } from '../../../../shared/asError.ts';
import type { AnnotationJournalResponse, RecoveryBody } from '../../../../shared/contract/annotations.ts';
import type { MarkJournalResponse } from '../../../../shared/contract/marks.ts';
import { recoverMarks } from '../../../kit/api/marks.ts';
import { useLibrary } from '../../../kit/state/library.ts';
import { type Page, usePage } from '../../../kit/state/page.ts';
import { Notice, NoticeAction } from '../../../kit/ui/Notice.tsx';
import { recoverRois, useRoiJournal } from '../rois/roiJournal.ts';
import { marksOf, useMarks } from '../sync/marks.ts';

/** Offers the marks and ROIs that the server has kept from an earlier run because they were not exported. */
export function EarlierMarks() {
  const page = usePage();
  const rois = useRoiJournal(({ report }) => report?.kept ?? undefined);
  const marks = useMarks(({ journal }) => journal?.kept ?? undefined);
  const [state, setState] = useState<'idle' | 'running' | Error>('idle');
  const [postponed, setPostponed] = useState('');
  const run = useLibrary(({ serverRuns }) => serverRuns);
  const text = [rois && describeRois(rois), marks && describeMarks(marks)].filter(Boolean).join(' ');
  // A restarted server asks anew, because what this page has not saved waits for the answer.
  const question = `${run} ${text}`;
  if (text === '' || question === postponed) return null;
  const recover = async (action: RecoveryBody['action']) => {
    setState('running');
    try {
      if (rois !== undefined) await recoverRois(page, action);
      if (marks !== undefined) await recoverKeptMarks(page, action);
      setState('idle');
    } catch (error) {
      setState(asError(error));
    }
  };
  const actions = (
    <>
      <NoticeAction title="Restore" onChoose={() => void recover('restore')} />
      <NoticeAction title="Forget" onChoose={() => void recover('forget')} />
      <NoticeAction title="Later" onChoose={() => setPostponed(question)} />
    </>
  );
  return (
    <Notice tone="warning" label="Marks from an earlier run" actions={state === 'running' ? undefined : actions}>
      {state instanceof Error && `The last attempt failed: ${state.message}. `}
      {text} Restore brings them back, Forget deletes them for good.
    </Notice>
  );
}

export async function recoverKeptMarks(page: Page, action: RecoveryBody['action']): Promise<void> {
  marksOf(page).setState({ journal: await recoverMarks(action) });
}

type KeptRois = NonNullable<AnnotationJournalResponse['kept']>;
type KeptMarks = NonNullable<MarkJournalResponse['kept']>;

function describeRois({ num_roi: count, num_files: files, changed_files: changed, path }: KeptRois): string {
  const text =
    count === 0
      ? `All ROIs of ${path} were deleted, but the deletion was not exported.`
      : `${count} ${count === 1 ? 'ROI' : 'ROIs'} of ${path}${files > 1 ? ` (${files} files)` : ''} ${count === 1 ? 'was' : 'were'} not exported when negato last stopped.`;
  return `${text}${describeChanged(changed)}`;
}

function describeMarks({ marks: count, changed_files: changed, path }: KeptMarks): string {
  const what = count === 0 ? 'The classes of marks' : `${count} ${count === 1 ? 'mark' : 'marks'}`;
  const text = `${what} of ${path} ${count === 1 ? 'was' : 'were'} not exported when negato last stopped.`;
  return `${text}${describeChanged(changed)}`;
}

function describeChanged(files: number): string {
  return files === 0 ? '' : ` ${files === 1 ? '1 file has' : `${files} files have`} changed since then.`;
}
