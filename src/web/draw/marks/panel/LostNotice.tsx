import { useStore } from 'zustand';
import { usePage } from '../../../kit/state/page.ts';
import { Notice, NoticeAction } from '../../../kit/ui/Notice.tsx';
import { type LostWork, lostWorkOf } from '../sync/parking.ts';

/** Names work that cannot be saved, because the restarted server does not have its files. */
export function LostNotice({ what }: Pick<LostWork, 'what'>) {
  const page = usePage();
  const all = useStore(lostWorkOf(page), ({ lost }) => lost);
  const lost = all.filter((one) => one.what === what);
  if (lost.length === 0) return null;
  const paths = [...new Set(lost.flatMap(({ files }) => files.map(({ path }) => path)))];
  const count = what === 'ROIs' ? what : lost.length === 1 ? '1 mark' : `${lost.length} marks`;
  const dismiss = () => lostWorkOf(page).setState({ lost: all.filter((one) => one.what !== what) });
  return (
    <Notice
      tone="danger"
      label={`${what === 'ROIs' ? 'ROIs' : 'Marks'} without files`}
      actions={<NoticeAction title="Dismiss" onChoose={dismiss} />}
    >
      {count} cannot be saved because {count === '1 mark' ? 'its' : 'their'} files are no longer open:{' '}
      {paths.slice(0, MOST_PATHS).join(', ')}
      {paths.length > MOST_PATHS && ` and ${paths.length - MOST_PATHS} more`}.
    </Notice>
  );
}

/** Paths that a notice has room for. */
const MOST_PATHS = 10;
