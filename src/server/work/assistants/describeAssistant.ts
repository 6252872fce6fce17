import { PROMPT_KINDS, type PromptKind } from '../../../shared/contract/assistants.ts';
import { type AssistantClient, AssistantFailure, readAnswer } from './assistantClient.ts';
import type { AssistantAddress } from './assistantAddress.ts';

/** What an assistant says of itself. */
export type AssistantDescription = {
  readonly name: string;
  readonly prompts: readonly PromptKind[];
  readonly takesNegative: boolean;
  readonly dimensions: 2 | 3;
  readonly unit: 'stored' | 'modality';
  /** The time that an answer may take. */
  readonly limitMs: number;
};

const DESCRIBE_MS = 3_000;
const MOST_WORDS_BYTES = 16 * 1024;
const LONGEST_NAME = 64;
const LONGEST_SENTENCE = 500;
const USUAL_LIMIT_S = 120;
const LONGEST_LIMIT_S = 3_600;

export async function askForDescription(
  client: AssistantClient,
  address: AssistantAddress,
  signal: AbortSignal | undefined,
): Promise<AssistantDescription> {
  const request = { method: 'GET', path: '', quietMs: DESCRIBE_MS, deadlineMs: DESCRIBE_MS, signal } as const;
  return client.ask(address, request, async (response) => {
    if (response.statusCode !== 200) throw new AssistantFailure('wrong', await readSentence(response));
    return parseDescription(await readAnswer(response, MOST_WORDS_BYTES));
  });
}

function parseDescription(bytes: Uint8Array): AssistantDescription {
  const told = readObject(bytes);
  if (told === undefined) throw new AssistantFailure('wrong', 'it does not speak the protocol of assistants');
  const { protocol, name, prompts, negative = true, dimensions = 3, unit = 'stored', seconds = USUAL_LIMIT_S } = told;
  if (protocol !== 'negato-assistant/1') {
    throw new AssistantFailure('wrong', 'it does not speak the protocol negato-assistant/1');
  }
  const shownName = typeof name === 'string' ? toPlain(name, LONGEST_NAME) : '';
  const kinds = PROMPT_KINDS.filter((kind) => Array.isArray(prompts) && prompts.includes(kind));
  const isTime = typeof seconds === 'number' && seconds > 0 && seconds <= LONGEST_LIMIT_S;
  if (shownName === '') throw new AssistantFailure('wrong', 'it has no name');
  if (kinds.every((kind) => kind === 'mask'))
    throw new AssistantFailure('wrong', 'it takes no prompts that are known here');
  if (dimensions !== 2 && dimensions !== 3) throw new AssistantFailure('wrong', 'its dimensions are neither 2 nor 3');
  if (unit !== 'stored' && unit !== 'modality') {
    throw new AssistantFailure('wrong', 'it wants samples in a unit that is neither "stored" nor "modality"');
  }
  if (!isTime) throw new AssistantFailure('wrong', `its "seconds" are no time up to ${LONGEST_LIMIT_S}`);
  return {
    name: shownName,
    prompts: kinds,
    takesNegative: negative === true,
    dimensions,
    unit,
    limitMs: 1000 * seconds,
  };
}

/** Why it refused, in its own words if it has some. */
export async function readSentence(response: Parameters<typeof readAnswer>[0]): Promise<string> {
  const told = readObject(await readAnswer(response, MOST_WORDS_BYTES));
  const sentence = typeof told?.['error'] === 'string' ? toPlain(told['error'], LONGEST_SENTENCE) : '';
  return sentence === '' ? `it answered with the status ${response.statusCode}` : sentence;
}

function readObject(bytes: Uint8Array): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(new TextDecoder().decode(bytes));
    return typeof value === 'object' && value !== null ? { ...value } : undefined;
  } catch {
    return undefined;
  }
}

/** Without characters that are not seen, or that change the direction of the text. */
function toPlain(text: string, most: number): string {
  return text
    .slice(0, 4 * most)
    .replaceAll(/[\p{C}\p{Zl}\p{Zp}\s]+/gu, ' ')
    .trim()
    .slice(0, most);
}
