import { type AssistantPrompt, AssistantQuestion } from '../../../shared/contract/assistants.ts';
import { ViewerError } from '../../../shared/contract/errors.ts';
import { parseBody } from '../../machine/workers/parseBody.ts';
import type { TaskContext } from '../../machine/workers/serveTasks.ts';
import type { ParsedQuestion, ParseQuestionInput } from './assistantTasks.ts';

/** What a body asks, with its samples in typed arrays. Throws `invalid_json`. */
export async function parseQuestion(
  { body }: ParseQuestionInput,
  { transfer }: Pick<TaskContext, 'transfer'> = { transfer: (view) => view },
): Promise<ParsedQuestion> {
  const value = parseBody(body);
  // Loaded with the first question.
  const { Check } = await import('typebox/value');
  if (!Check(AssistantQuestion, value)) {
    throw new ViewerError('invalid_json', 'the body must name a frame and prompts, as in the API');
  }
  const { file_index: fileIndex, frame_index: frame, prompts, mark } = value;
  return { address: { fileIndex, frame }, mark, prompts: prompts.map((prompt) => packPrompt(prompt, transfer)) };
}

function packPrompt({ kind, is_positive: isPositive, samples }: AssistantPrompt, transfer: TaskContext['transfer']) {
  const packed = new Uint32Array(4 * samples.length);
  for (const [n, sample] of samples.entries()) packed.set(sample, 4 * n);
  return { kind, isPositive, samples: transfer(packed) };
}
