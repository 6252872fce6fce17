import { useState } from 'react';
import { retryConnection, useLibrary } from '../kit/state/library.ts';
import { retryChunks, useMissingChunks } from '../kit/state/loadChunk.ts';
import { usePage } from '../kit/state/page.ts';
import { setPanels, usePanels } from '../kit/state/panels.ts';
import { Notice, NoticeAction } from '../kit/ui/Notice.tsx';

/** What the user must know before anything else. */
export function Notices() {
  const page = usePage();
  const connection = useLibrary((library) => library.connection);
  const serverRuns = useLibrary((library) => library.serverRuns);
  const importError = useLibrary(({ summary }) =>
    summary?.annotations.import_state === 'failed'
      ? (summary.annotations.error ?? 'The reason is unknown.')
      : undefined,
  );
  const areMissing = useMissingChunks() > 0;
  const isAddressUnknown = usePanels((panels) => panels.isAddressUnknown);
  const [seenRuns, setSeenRuns] = useState(0);
  const [seenError, setSeenError] = useState<string>();
  return (
    <>
      {connection === 'lost' && (
        <Notice tone="danger" actions={<NoticeAction title="Retry" onChoose={() => retryConnection(page)} />}>
          Connection to negato lost. Check that negato is running and that the SSH forward is open. Retrying…
        </Notice>
      )}
      {connection === 'needs_token' && (
        <Notice tone="danger">
          This server requires an access token. Open the complete link that negato printed, including the part after #.
        </Notice>
      )}
      {areMissing && (
        <Notice tone="warning" actions={<NoticeAction title="Retry" onChoose={() => retryChunks(page)} />}>
          A part of the page could not be loaded. The rest of the page works.
        </Notice>
      )}
      {serverRuns > seenRuns && connection === 'live' && (
        <Notice tone="warning" actions={<NoticeAction title="Dismiss" onChoose={() => setSeenRuns(serverRuns)} />}>
          negato was restarted and has read its files again. The ROIs that this page had loaded are sent to it again;
          other ROIs that were not exported are lost.
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
          The link refers to an image that is not among the open files.
        </Notice>
      )}
    </>
  );
}
