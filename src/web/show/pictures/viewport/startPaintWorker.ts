import { startWorker } from '../../../kit/loading/startWorker.ts';
// oxlint-disable-next-line import/default -- the bundler creates it: the URL of the built worker
import paintWorkerUrl from './paint.worker.ts?worker&url';

export function startPaintWorker(): Worker {
  return startWorker(paintWorkerUrl);
}
