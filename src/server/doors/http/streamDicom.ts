import { checkDicomTask } from '../../standard/dicom/tagTasks.ts';
import { type FileStream, type KnownSource, streamSame } from '../../bytes/origins/origins.ts';
import type { TaskRunner } from '../../machine/workers/task.ts';

/**
 * Opens a file to send it as stored, as `streamSame` does, if its bytes show that it is DICOM. A row of an index may name
 * any file of the user, and nothing has read it before.
 */
export async function streamDicom(
  tasks: TaskRunner,
  source: KnownSource,
  signal: AbortSignal | undefined,
): Promise<FileStream> {
  await tasks.run(checkDicomTask, { source }, { signal });
  return streamSame(source);
}
