import { createHash } from 'node:crypto';
import type { AssistantBody, WireAssistant } from '../../../shared/contract/assistants.ts';
import { ViewerError } from '../../../shared/contract/errors.ts';
import type { Exports } from '../../images/exports/exports.ts';
import type { ArrayPlan } from '../../images/exports/nifti/niftiVolumes.ts';
import type { FrameOptions } from '../../images/pixels/frames.ts';
import type { MemoryAccount } from '../../machine/memory/memoryAccount.ts';
import type { TaskRunner } from '../../machine/workers/task.ts';
import type { MarkStore } from '../marks/marks.ts';
import { addressOfProgram, addressOfUser, type AssistantAddress } from './assistantAddress.ts';
import { AssistantFailure, createAssistantClient } from './assistantClient.ts';
import { type AssistantDescription, askForDescription, readSentence } from './describeAssistant.ts';
import { type ParsedQuestion, parseQuestionTask } from './assistantTasks.ts';
import { parseQuestion } from './parseQuestion.ts';
import { createAnswerReader } from './readMask.ts';
import { createUploads } from './shareUploads.ts';
import { writeQuestion } from './askQuestion.ts';

/** Programs of the user that make masks of prompts. They see samples and prompts, and change nothing. */
export interface Assistants {
  list(signal: AbortSignal): Promise<readonly WireAssistant[]>;
  /** Adds a program of this machine. Throws if it does not answer as it should. */
  add(body: AssistantBody, signal: AbortSignal): Promise<WireAssistant>;
  remove(id: number): void;
  /** What the body of a request asks. Throws `invalid_json`. */
  read(body: Uint8Array, signal: AbortSignal): Promise<ParsedQuestion>;
  /** The mask as JSON of `AssistantAnswer`. Throws a sentence for the user. */
  ask(id: number, question: ParsedQuestion, options: FrameOptions): Promise<Uint8Array<ArrayBuffer>>;
  /** Changes with the list. */
  revision(): number;
  subscribe(listener: () => void): () => void;
  close(): void;
}

export type AssistantsOptions = {
  /** The addresses of `--assist`. */
  readonly named: readonly string[];
  readonly exports: Exports;
  readonly marks: Pick<MarkStore, 'find'>;
  readonly tasks: TaskRunner;
  readonly memory: MemoryAccount;
  /** Different for every run of the server. */
  readonly instance: string;
};

type Known = {
  readonly id: number;
  readonly address: AssistantAddress;
  /** Whether a program has added itself. */
  readonly isAdded: boolean;
  /** What it said last. */
  description?: AssistantDescription;
  problem?: string;
  askedAtMs: number;
};

/** What an assistant says of itself is asked for again after this time. */
const FRESH_MS = 5_000;
const MOST_ADDED = 32;
/** The network, or the program, may stand still for a while. */
const UPLOAD_QUIET_MS = 120_000;
const MISSING_VOLUME = 409;
/** A smaller body is read in a millisecond or two, sooner than a thread could start. */
const READ_HERE_BYTES = 8 * 1024;

export function createAssistants({ named, exports, marks, tasks, memory, instance }: AssistantsOptions): Assistants {
  const client = createAssistantClient();
  const uploads = createUploads();
  const readMask = createAnswerReader({ tasks, memory });
  const known = new Map<number, Known>();
  const listeners = new Set<() => void>();
  let lastId = -1;
  let revision = 0;

  const insert = (address: AssistantAddress, isAdded: boolean): Known => {
    const one: Known = { id: ++lastId, address, isAdded, askedAtMs: -Infinity };
    known.set(one.id, one);
    return one;
  };
  const changed = () => {
    revision += 1;
    for (const listener of listeners) listener();
  };
  for (const text of named) insert(addressOfUser(text), false);
  if (named.length > 0) revision = 1;

  async function describe(one: Known, signal: AbortSignal | undefined): Promise<AssistantDescription> {
    try {
      one.description = await askForDescription(client, one.address, signal);
      delete one.problem;
      one.askedAtMs = performance.now();
      return one.description;
    } catch (error) {
      // Nothing is known of an assistant if its client has left.
      if (!(error instanceof AssistantFailure)) throw error;
      one.problem = error.message;
      one.askedAtMs = performance.now();
      throw toViewerError(one, error);
    }
  }

  /** A program may have ended, and another one may listen there by now, so it is asked each time before it is sent something. */
  async function describeFresh(one: Known, signal: AbortSignal | undefined): Promise<AssistantDescription> {
    const isFresh = performance.now() - one.askedAtMs < FRESH_MS && one.problem === undefined;
    if (isFresh && one.description !== undefined && !one.isAdded) return one.description;
    return describe(one, signal);
  }

  async function listOne(one: Known, signal: AbortSignal): Promise<WireAssistant> {
    if (performance.now() - one.askedAtMs > FRESH_MS) {
      await describe(one, signal).catch((error: unknown) => {
        if (!(error instanceof ViewerError)) throw error;
      });
    }
    return toWire(one);
  }

  function require(id: number): Known {
    const one = known.get(id);
    if (one === undefined) throw new ViewerError('assistant_not_found', 'there is no such assistant any more');
    return one;
  }

  /** Names nothing: who does not have the samples learns nothing of them, and the next run has other keys. */
  const toVolumeKey = ({ key }: ArrayPlan) =>
    createHash('sha256').update(`${instance}\0${key}`).digest('hex').slice(0, 32);

  function upload(
    one: Known,
    volumeKey: string,
    { address }: ParsedQuestion,
    { unit }: AssistantDescription,
    options: FrameOptions,
  ) {
    return uploads.join(`${one.id} ${volumeKey}`, options.signal, async (signal) => {
      const choice = { time: 'own', unit } as const;
      const { pieces, bytes } = await exports.nifti.writeArray(address, choice, { ...options, signal });
      const body = { pieces, bytes };
      const contentType = 'application/octet-stream';
      const request = {
        method: 'PUT',
        path: `volume/${volumeKey}`,
        contentType,
        body,
        quietMs: UPLOAD_QUIET_MS,
        signal,
      } as const;
      await client.ask(one.address, request, async (response) => {
        const { statusCode = 0 } = response;
        if (statusCode < 200 || statusCode > 299) throw new AssistantFailure('refused', await readSentence(response));
        response.resume();
      });
    });
  }

  type Asked = { readonly json: string; readonly plan: ArrayPlan; readonly only: number | undefined };

  /** Undefined if it does not have the volume. */
  function askOnce(
    one: Known,
    { json, plan, only }: Asked,
    { limitMs }: AssistantDescription,
    { signal }: FrameOptions,
  ) {
    const body = new TextEncoder().encode(json);
    const times = { quietMs: limitMs, deadlineMs: limitMs };
    const request = {
      method: 'POST',
      path: 'answer',
      contentType: 'application/json',
      body,
      ...times,
      signal,
    } as const;
    return client.ask(one.address, request, async (response) => {
      const { statusCode = 0 } = response;
      if (statusCode === MISSING_VOLUME) {
        response.resume();
        return undefined;
      }
      if (statusCode === 204) return NOTHING;
      if (statusCode !== 200) throw new AssistantFailure('refused', await readSentence(response));
      return readMask(response, plan, only, signal);
    });
  }

  return {
    list: (signal) => Promise.all([...known.values()].map((one) => listOne(one, signal))),
    async add({ address, secret }, signal) {
      const found = addressOfProgram(address, secret);
      const added = [...known.values()].filter(({ isAdded }) => isAdded);
      if (added.length >= MOST_ADDED)
        throw new ViewerError('bad_request', `there are ${MOST_ADDED} assistants already`);
      const one = insert(found, true);
      try {
        await describe(one, signal);
      } catch (error) {
        known.delete(one.id);
        throw error;
      }
      changed();
      return toWire(one);
    },
    remove(id) {
      if (!require(id).isAdded) throw new ViewerError('bad_request', 'this assistant was named by the user');
      known.delete(id);
      changed();
    },
    async read(body, signal) {
      const input = { body };
      return body.length <= READ_HERE_BYTES ? parseQuestion(input) : tasks.run(parseQuestionTask, input, { signal });
    },
    async ask(id, question, options) {
      const one = require(id);
      try {
        const description = await describeFresh(one, options.signal);
        const choice = { time: 'own', unit: description.unit } as const;
        const plan = await exports.nifti.planArray(question.address, choice, options);
        if (plan.isCut)
          throw new ViewerError(
            'volume_unavailable',
            'slices of this volume are parts of frames, on which masks cannot be',
          );
        const initial = question.mark === undefined ? undefined : (await marks.find(question.mark)).mark.content.slices;
        const volumeKey = toVolumeKey(plan);
        const asked = { plan, ...writeQuestion(question, initial, { plan, volumeKey, description }) };
        const first = await askOnce(one, asked, description, options);
        if (first !== undefined) return first;
        if (one.isAdded) await describe(one, options.signal);
        await upload(one, volumeKey, question, description, options);
        const second = await askOnce(one, asked, description, options);
        if (second === undefined) throw new AssistantFailure('wrong', 'it has lost the volume that it was sent');
        return second;
      } catch (error) {
        throw error instanceof AssistantFailure ? toViewerError(one, error) : error;
      }
    },
    revision: () => revision,
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    close() {
      uploads.close();
      client.close();
    },
  };
}

const NOTHING: Uint8Array<ArrayBuffer> = new TextEncoder().encode('{"voxels":0,"slices":[]}');

function toWire({ id, address, description, problem }: Known): WireAssistant {
  return {
    id,
    // An address without its credentials, as long as nothing else is known.
    name: description?.name ?? address.url.host,
    prompts: [...(description?.prompts ?? [])],
    takes_negative: description?.takesNegative ?? false,
    dimensions: description?.dimensions ?? 3,
    problem: problem ?? null,
  };
}

function toViewerError({ description }: Known, failure: AssistantFailure): ViewerError {
  const name = description?.name ?? 'The assistant';
  const what = failure.kind === 'refused' ? failure.message : `no mask: ${failure.message}`;
  return new ViewerError(failure.kind === 'silent' ? 'assistant_timeout' : 'assistant_failed', `${name}: ${what}`, {
    cause: failure,
  });
}
