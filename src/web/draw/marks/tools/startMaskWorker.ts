import { startWorker } from '../../../kit/loading/startWorker.ts';
// oxlint-disable-next-line import/default -- the bundler creates it: the URL of the built worker
import maskWorkerUrl from './mask.worker.ts?worker&url';

export function startMaskWorker(): Worker {
  return startWorker(maskWorkerUrl);
}
