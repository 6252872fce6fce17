import { type ReactNode, useState } from 'react';
import { Notice, NoticeAction } from '../../../kit/ui/Notice.tsx';

type Props = {
  readonly what: 'ROIs' | 'Marks';
  readonly onRecover: (action: 'restore' | 'forget') => Promise<void>;
  readonly children: ReactNode;
};

/** Offers what the server has kept from an earlier run because it was not exported. */
export function KeptNotice({ what, onRecover, children }: Props) {
  const [state, setState] = useState<'idle' | 'running' | Error>('idle');
  const recover = async (action: 'restore' | 'forget') => {
    setState('running');
    try {
      await onRecover(action);
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
    <Notice tone="warning" label={`${what} from an earlier run`} actions={state === 'running' ? undefined : actions}>
      {state instanceof Error && `The last attempt failed: ${state.message}. `}
      {children}
    </Notice>
  );
}
