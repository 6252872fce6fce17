import type { AssistantAnswer, AssistantQuestion, AssistantsResponse } from '../../../shared/contract/assistants.ts';
import { fetchJson } from './send.ts';

export async function fetchAssistants(signal?: AbortSignal): Promise<AssistantsResponse['assistants']> {
  const { assistants } = await fetchJson<AssistantsResponse>('api/assistants', signal && { signal });
  return assistants;
}

/** Aborting ends the question: what the assistant answers later is for nobody. */
export function askAssistant(id: number, question: AssistantQuestion, signal: AbortSignal): Promise<AssistantAnswer> {
  return fetchJson(`api/assistants/${id}/answer`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(question),
    signal,
  });
}
