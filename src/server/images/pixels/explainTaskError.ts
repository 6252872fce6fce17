import { ViewerError } from '../../../shared/contract/errors.ts';
import { TaskQuarantined, TaskTimeout, WorkerDied } from '../../machine/workers/taskErrors.ts';

/** Converts a worker failure to the error that is sent to the client. Other errors are returned unchanged. */
export function explainTaskError(error: unknown, frame: number): unknown {
  if (error instanceof TaskTimeout) return failed(`frame ${frame}: decoding took too long and was stopped`, error);
  if (error instanceof WorkerDied) return failed(`frame ${frame}: the decoder ended unexpectedly`, error);
  if (error instanceof TaskQuarantined) {
    return failed(
      `frame ${frame}: it crashed the decoder twice and will not be tried again until the next start`,
      error,
    );
  }
  return error;
}

function failed(message: string, cause: Error): ViewerError {
  return new ViewerError('pixel_decode_failed', message, { cause });
}
