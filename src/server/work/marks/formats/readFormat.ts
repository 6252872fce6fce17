import type { TaskContext } from '../../../machine/workers/serveTasks.ts';
import { FormatReading, transferReading } from './formatReading.ts';
import type { ReadFormatInput, ReadFormatOutput } from './formatTasks.ts';
import { loadReader } from './textFormat.ts';

/** Implements `readFormatTask`. Throws `invalid_json` if the body is not of the format. */
export async function readFormat(
  { format, body }: ReadFormatInput,
  context: Pick<TaskContext, 'transfer' | 'throwIfCancelled'>,
): Promise<ReadFormatOutput> {
  const { Check, Errors } = await import('typebox/value');
  const reading = new FormatReading({ Check, Errors }, context);
  const read = await loadReader(format);
  read(body, reading);
  return transferReading(reading, context);
}
