import { encodeTexts } from '../../../machine/workers/jsonPieces.ts';
import type { TaskContext } from '../../../machine/workers/serveTasks.ts';
import type { WriteFormatInput } from './formatTasks.ts';
import { loadWriter } from './textFormat.ts';

/** Implements `writeFormatTask`. */
export async function writeFormat(input: WriteFormatInput, { transfer }: Pick<TaskContext, 'transfer'>) {
  const write = await loadWriter(input.format);
  return transfer(encodeTexts(write(input)));
}
