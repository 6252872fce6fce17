import { X } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { retryConnection, useLibrary } from '../state/library.ts';
import { setPanels, usePanels } from '../state/panels.ts';
import { ToolButton } from '../ui/ToolButton.tsx';
import styles from './Notices.module.css';

/** What the user must know before anything else. */
export function Notices() {
  const connection = useLibrary((library) => library.connection);
  const serverRuns = useLibrary((library) => library.serverRuns);
  const importError = useLibrary(({ summary }) =>
    summary?.annotations.import_state === 'failed'
      ? (summary.annotations.error ?? 'The reason is not known.')
      : undefined,
  );
  const isAddressUnknown = usePanels((panels) => panels.isAddressUnknown);
  const [seenRuns, setSeenRuns] = useState(0);
  const [seenError, setSeenError] = useState<string>();
  return (
    <>
      {connection === 'lost' && (
        <Notice tone="danger" action={<RetryButton />}>
          The connection to negato is lost. Is it still running, and the SSH forward open? Trying again…
        </Notice>
      )}
      {connection === 'needs_token' && (
        <Notice tone="danger">
          This server wants its access token. Open the whole link that negato printed, with the part after #.
        </Notice>
      )}
      {serverRuns > seenRuns && connection === 'live' && (
        <Notice tone="warning" onDismiss={() => setSeenRuns(serverRuns)}>
          negato was started again. Its files were read anew; annotations that were not exported are gone.
        </Notice>
      )}
      {importError !== undefined && importError !== seenError && (
        <Notice tone="warning" onDismiss={() => setSeenError(importError)}>
          No annotations were imported. {importError}
        </Notice>
      )}
      {isAddressUnknown && (
        <Notice tone="warning" onDismiss={() => setPanels({ isAddressUnknown: false })}>
          The link names an image that is not among the open files.
        </Notice>
      )}
    </>
  );
}

type NoticeProps = {
  readonly tone: 'warning' | 'danger';
  readonly onDismiss?: () => void;
  readonly action?: ReactNode;
  readonly children: ReactNode;
};

function Notice({ tone, onDismiss, action, children }: NoticeProps) {
  return (
    <div className={`${styles.notice} ${styles[tone] ?? ''}`}>
      <p className={styles.text} role="alert">
        {children}
      </p>
      {action}
      {onDismiss !== undefined && (
        <ToolButton label="Dismiss" onClick={onDismiss}>
          <X size={15} aria-hidden="true" />
        </ToolButton>
      )}
    </div>
  );
}

function RetryButton() {
  return (
    <button type="button" className={styles.action} onClick={retryConnection}>
      Retry
    </button>
  );
}
