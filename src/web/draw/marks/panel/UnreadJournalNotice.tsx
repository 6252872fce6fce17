import { useState } from 'react';
import type { RecoveryBody, UnreadJournals } from '../../../../shared/contract/annotations.ts';
import { Notice, NoticeAction } from '../../../kit/ui/Notice.tsx';

export type UnreadJournalNoticeProps = {
  /** What is in the journals, such as “ROIs”. */
  readonly what: string;
  readonly unread: UnreadJournals | undefined;
  readonly onChoose: (action: RecoveryBody['action']) => Promise<void>;
  /** What follows from it, if that is more than that they are not offered. */
  readonly children?: string;
};

/** Says which journals of earlier runs could not be read. They stay in place until the user goes on without them. */
export function UnreadJournalNotice({ what, unread = [], onChoose, children = '' }: UnreadJournalNoticeProps) {
  const [failure, setFailure] = useState<string>();
  if (unread.length === 0) return null;
  const choose = (action: RecoveryBody['action']) => {
    setFailure(undefined);
    onChoose(action).catch((error: unknown) => setFailure(error instanceof Error ? error.message : String(error)));
  };
  const actions = (
    <>
      <NoticeAction title="Read again" onChoose={() => choose('restore')} />
      <NoticeAction title="Go on without them" onChoose={() => choose('set_aside')} />
    </>
  );
  return (
    <Notice tone="danger" label={`${what} that cannot be read`} actions={actions}>
      {failure !== undefined && `The last attempt failed: ${failure}. `}
      {what} of an earlier run cannot be read: {unread.map(({ name, reason }) => `${name} (${reason})`).join(', ')}.
      {children}
    </Notice>
  );
}
