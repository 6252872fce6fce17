import { parentPort } from 'node:worker_threads';
import { watchFolders } from '../../bytes/origins/origins.ts';
import { standBack } from '../../machine/workers/standBack.ts';
import { readMediaDirectory } from './mediaDirectory.ts';
import type { WatchMessage, WatchSetup } from './watchMessages.ts';

// Entry point of the thread that watches folders.
if (parentPort !== null) {
  const port = parentPort;
  const post = (message: WatchMessage) => port.postMessage(message);
  standBack();
  port.once('message', (setup: WatchSetup) => {
    watchFolders({
      ...setup,
      readMediaDirectory,
      onNews: (news) => post({ news }),
      onPolling: (polling) => post({ polling }),
    });
    post('ready');
  });
}
