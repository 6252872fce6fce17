import type { RecoveryBody, UnreadJournals } from '../../../shared/contract/annotations.ts';
import { Notice, NoticeAction } from '../../ui/Notice.tsx';

export type UnreadJournalNoticeProps = {
  /** What is in the journals, such as “ROIs”. */
  readonly what: string;
  readonly unread: UnreadJournals | undefined;
  readonly onChoose: (action: RecoveryBody['action']) => void;
  /** What follows from it, if that is more than that they are not offered. */
  readonly children?: string;
};

/** Says which journals of earlier runs could not be read. They stay in place until the user goes on without them. */
export function UnreadJournalNotice({ what, unread = [], onChoose, children = '' }: UnreadJournalNoticeProps) {
  if (unread.length === 0) return null;
  const actions = (
    <>
      <NoticeAction title="Read again" onChoose={() => onChoose('restore')} />
      <NoticeAction title="Go on without them" onChoose={() => onChoose('set_aside')} />
    </>
  );
  return (
    <Notice tone="danger" label={`${what} that cannot be read`} actions={actions}>
      {what} of an earlier run cannot be read: {unread.map(({ name, reason }) => `${name} (${reason})`).join(', ')}.
      {children}
    </Notice>
  );
}
