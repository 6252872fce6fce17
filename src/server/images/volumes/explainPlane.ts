import { ViewerError } from '../../../shared/contract/errors.ts';
import { TaskTimeout } from '../../machine/workers/taskErrors.ts';

/** Says of a plane that took too long what took so long. */
export async function explainPlane<Output>(work: Promise<Output>): Promise<Output> {
  try {
    return await work;
  } catch (error) {
    if (!(error instanceof TaskTimeout)) throw error;
    throw new ViewerError('pixel_decode_failed', 'sampling the plane took too long and was ended', { cause: error });
  }
}
