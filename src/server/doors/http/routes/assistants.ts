import {
  AssistantBody,
  type AssistantsResponse,
  type RemovedAssistantResponse,
} from '../../../../shared/contract/assistants.ts';
import { ViewerError } from '../../../../shared/contract/errors.ts';
import { askWhileBusy, VOLUME_WAIT_MS } from '../../../machine/workers/askWhileBusy.ts';
import type { Exchange } from '../exchange.ts';
import { parsePathNumber } from '../parseRequest.ts';
import { parseChecked, readJsonBody } from '../readJsonBody.ts';
import { createSendBytes } from '../sendBytes.ts';
import { sendJson } from '../sendJson.ts';
import type { Handlers, ServerContext } from '../serverContext.ts';
import { RequestOptions } from './frames.ts';

const MOST_ADDRESS_BYTES = 4 * 1024;

/** Programs of the user that answer prompts with masks. */
export function assistantRoutes({ assistants, memory }: ServerContext) {
  const sendBytes = createSendBytes(memory.answers);
  return {
    async assistants(c) {
      return sendJson(c, { assistants: [...(await assistants.list(c.signal))] } satisfies AssistantsResponse);
    },
    async addAssistant(c) {
      refusePages(c);
      const words = 'the body must be {"address": "http://127.0.0.1:PORT", "secret": TEXT}';
      const body = await parseChecked(AssistantBody, await readJsonBody(c, MOST_ADDRESS_BYTES), words);
      return sendJson(c, await assistants.add(body, c.signal));
    },
    removeAssistant(c) {
      refusePages(c);
      const id = parsePathNumber(c, 'assistant');
      assistants.remove(id);
      return sendJson(c, { removed: id } satisfies RemovedAssistantResponse);
    },
    async askAssistant(c) {
      const id = parsePathNumber(c, 'assistant');
      const question = await assistants.read(await readJsonBody(c), c.signal);
      // The body has been read, so the request cannot be handled again as a whole.
      const ask = () => assistants.ask(id, question, new RequestOptions(c));
      const json = await askWhileBusy(ask, () => ({ waitMs: VOLUME_WAIT_MS, signal: c.signal }));
      return sendBytes(c, json, [['Content-Type', 'application/json']]);
    },
  } satisfies Handlers;
}

/** Browsers say where a request comes from. Only the user decides who sees samples, and no page does, not even our own. */
function refusePages(c: Exchange): void {
  if (['origin', 'sec-fetch-site', 'referer'].every((name) => c.header(name) === undefined)) return;
  throw new ViewerError('forbidden_origin', 'only programs can name assistants, and no page');
}
