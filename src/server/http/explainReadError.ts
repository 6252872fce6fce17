import { ViewerError } from '../../shared/contract/errors.ts';
import { TaskTimeout, WorkerDied } from '../workers/taskErrors.ts';

/**
 * Translates the failure of a thread that read a file into an error for the client. Other errors are returned
 * unchanged.
 */
export function explainReadError(error: Error): Error {
  if (error instanceof TaskTimeout) return failed('reading the file took too long and was ended', error);
  if (error instanceof WorkerDied) return failed('the thread that read the file ended unexpectedly', error);
  return error;
}

function failed(message: string, cause: Error): ViewerError {
  return new ViewerError('file_read_failed', message, { cause });
}
