import { useState } from 'react';
import { retryConnection, useLibrary } from '../state/library.ts';
import { retryParts, useMissingParts } from '../state/missingParts.ts';
import { usePage } from '../state/page.ts';
import { setPanels, usePanels } from '../state/panels.ts';
import { Notice, NoticeAction } from '../ui/Notice.tsx';

/** What the user must know before anything else. */
export function Notices() {
  const page = usePage();
  const connection = useLibrary((library) => library.connection);
  const serverRuns = useLibrary((library) => library.serverRuns);
  const importError = useLibrary(({ summary }) =>
    summary?.annotations.import_state === 'failed'
      ? (summary.annotations.error ?? 'The reason is not known.')
      : undefined,
  );
  const areMissing = useMissingParts() > 0;
  const isAddressUnknown = usePanels((panels) => panels.isAddressUnknown);
  const [seenRuns, setSeenRuns] = useState(0);
  const [seenError, setSeenError] = useState<string>();
  return (
    <>
      {connection === 'lost' && (
        <Notice tone="danger" actions={<NoticeAction title="Retry" onChoose={() => retryConnection(page)} />}>
          The connection to negato is lost. Is it still running, and the SSH forward open? Trying again…
        </Notice>
      )}
      {connection === 'needs_token' && (
        <Notice tone="danger">
          This server wants its access token. Open the whole link that negato printed, with the part after #.
        </Notice>
      )}
      {areMissing && (
        <Notice tone="warning" actions={<NoticeAction title="Try again" onChoose={() => retryParts(page)} />}>
          A part of the page could not be loaded. What is there goes on working.
        </Notice>
      )}
      {serverRuns > seenRuns && connection === 'live' && (
        <Notice tone="warning" actions={<NoticeAction title="Dismiss" onChoose={() => setSeenRuns(serverRuns)} />}>
          negato was started again, and its files were read anew. The ROIs that this page had read are sent to it once
          more; others that were not exported are gone.
        </Notice>
      )}
      {importError !== undefined && importError !== seenError && (
        <Notice tone="warning" actions={<NoticeAction title="Dismiss" onChoose={() => setSeenError(importError)} />}>
          No annotations were imported. {importError}
        </Notice>
      )}
      {isAddressUnknown && (
        <Notice
          tone="warning"
          actions={<NoticeAction title="Dismiss" onChoose={() => setPanels(page, { isAddressUnknown: false })} />}
        >
          The link names an image that is not among the open files.
        </Notice>
      )}
    </>
  );
}
