import { encodeTexts } from '../../../machine/workers/jsonPieces.ts';
import type { TaskContext } from '../../../machine/workers/serveTasks.ts';
import type { WriteFormatInput } from './formatTasks.ts';
import { TEXT_FORMATS } from './textFormats.ts';

/** Implements `writeFormatTask`. */
export async function writeFormat(input: WriteFormatInput, { transfer }: Pick<TaskContext, 'transfer'>) {
  const write = await TEXT_FORMATS[input.format].write();
  return transfer(encodeTexts(write(input)));
}
