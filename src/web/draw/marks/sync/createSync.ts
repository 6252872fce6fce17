import type { ErrorCode } from '../../../../shared/contract/errors.ts';
import { ERROR_STATUS } from '../../../../shared/contract/errorStatus.ts';
import { RequestRefused } from '../../../kit/api/send.ts';
import { createConflicts } from './createConflicts.ts';
import type { Sync, SyncedKind, SyncWish, Together } from './syncedKind.ts';
import { createSyncState } from './syncState.ts';

const RETRY_MS = [1_000, 2_000, 4_000, 8_000, 15_000];

/** The server has another version than the one that the request was made for. */
const MEETINGS: ReadonlySet<ErrorCode> = new Set([
  'stale_annotation',
  'stale_mark',
  'mark_exists',
  'mark_not_found',
  'mark_locked',
  'stale_verdict',
]);

export function createSync<Content, Stored>(kind: SyncedKind<Content, Stored>): Sync<Content, Stored> {
  const state = createSyncState<Content, Stored>(kind);
  const { store, pending, sent, refused, alone, meetings, failures, isSame, setTrouble, isAsked, setPhase, end } =
    state;
  let pause: AbortController | undefined;
  let isWorking = false;
  let run = new AbortController();

  const touch = (...keys: readonly string[]) => {
    for (const key of keys) if (!isAsked(key)) pending.add(key);
    if (pending.size === 0) return;
    pause?.abort();
    setPhase();
    void work();
  };

  const conflicts = createConflicts(kind, state, touch);

  const work = async () => {
    if (isWorking) return;
    isWorking = true;
    const { signal } = run;
    for (let key = firstOf(pending); key !== undefined; key = firstOf(pending)) {
      const sending = step(key, signal);
      if (sending !== undefined) await sending;
      if (signal.aborted) return;
    }
    isWorking = false;
    failures.count = 0;
    setPhase();
  };

  /** Returns without waiting if there is nothing to send. */
  const step = (key: string, signal: AbortSignal): Promise<void> | undefined => {
    const known = kind.find(key);
    if (known === undefined) {
      sent.delete(key);
      end(key);
      return undefined;
    }
    const { mine, stored } = known;
    let content: Content | undefined;
    try {
      content = mine === undefined ? undefined : kind.prepare(key, mine, stored);
    } catch (thrown) {
      end(key, { kind: 'refused', error: toError(thrown) });
      return undefined;
    }
    if (isSame(content, kind.contentOf(stored))) {
      // Undone after it was sent without an answer: the server may have it.
      if (sent.has(key)) return meetCurrent(key, stored, signal);
      refused.delete(key);
      end(key);
      return undefined;
    }
    if (refused.has(key) && isSame(refused.get(key), content)) {
      pending.delete(key);
      return undefined;
    }
    refused.delete(key);
    const many = alone.has(key) ? undefined : kind.together?.(key, state.listFree());
    return many === undefined ? sendOne(key, { mine: content, stored, signal }) : sendMany(many, signal);
  };

  const sendOne = async (key: string, wish: SyncWish<Content, Stored>): Promise<void> => {
    const { mine, stored, signal } = wish;
    state.noteSent(key, mine);
    try {
      accept(key, mine, await kind.send(key, wish), signal);
      if (signal.aborted) return;
      alone.delete(key);
    } catch (error) {
      if (signal.aborted) return;
      if (!(error instanceof RequestRefused) || ERROR_STATUS[error.code] >= 500) await fail([key], error, signal);
      else {
        // Of a refused request the server has nothing, but it may have what was sent before.
        state.forgetLastSent(key);
        if (MEETINGS.has(error.code)) await meetCurrent(key, stored, signal, error.code);
        else refuse(key, mine, error);
      }
    }
  };

  /** The server has what was sent. */
  const accept = (key: string, content: Content | undefined, stored: Stored | undefined, signal: AbortSignal) => {
    if (signal.aborted) return;
    failures.count = 0;
    sent.delete(key);
    meetings.delete(key);
    kind.note(key, stored);
    setTrouble(key, undefined);
    const known = kind.find(key);
    const echo = kind.contentOf(known?.stored);
    // The server may write the same in another form.
    if (known !== undefined && isSame(known.mine, content) && !isSame(echo, content)) kind.show(new Map([[key, echo]]));
  };

  const sendMany = async (many: Together<Content, Stored>, signal: AbortSignal): Promise<void> => {
    const keys = [...many.contents.keys()];
    for (const [key, content] of many.contents) state.noteSent(key, content);
    try {
      const stored = await many.send(signal);
      for (const [key, content] of many.contents) accept(key, content, stored.get(key), signal);
    } catch (error) {
      if (signal.aborted) return;
      if (!(error instanceof RequestRefused) || ERROR_STATUS[error.code] >= 500) {
        await fail(keys, error, signal);
        return;
      }
      for (const key of keys) {
        state.forgetLastSent(key);
        alone.add(key);
      }
    }
  };

  const fail = async (keys: readonly string[], thrown: unknown, signal: AbortSignal): Promise<void> => {
    failures.count += 1;
    const trouble = { kind: 'retrying', error: toError(thrown) } as const;
    for (const key of keys) {
      // Others first: what the server fails at must not keep it from the rest.
      if (pending.delete(key)) pending.add(key);
      setTrouble(key, trouble);
    }
    setPhase();
    pause = new AbortController();
    const pauseMs = RETRY_MS[Math.min(failures.count, RETRY_MS.length) - 1] ?? 0;
    await kind.wait(pauseMs, AbortSignal.any([signal, pause.signal]));
    pause = undefined;
  };

  const refuse = (key: string, content: Content | undefined, error: RequestRefused) => {
    failures.count = 0;
    // It is sent again when the user has decided.
    if (isAsked(key)) return;
    refused.set(key, content);
    end(key, { kind: 'refused', error });
    // What could not be deleted is shown again.
    if (content === undefined) kind.show(new Map([[key, kind.contentOf(kind.find(key)?.stored)]]));
  };

  const meetCurrent = async (
    key: string,
    stored: Stored | undefined,
    signal: AbortSignal,
    code?: ErrorCode,
  ): Promise<void> => {
    try {
      const count = (meetings.get(key) ?? 0) + 1;
      meetings.set(key, count);
      if (count > MOST_MEETINGS) throw new Error('others change it all the time');
      const theirs = code === 'mark_not_found' ? undefined : await kind.read(key, stored, signal);
      if (signal.aborted) return;
      failures.count = 0;
      conflicts.meet(key, theirs, { isLocked: code === 'mark_locked' });
    } catch (error) {
      if (!signal.aborted) await fail([key], error, signal);
    }
  };

  return {
    store,
    touch,

    ...conflicts,
    ask: (key, theirs) => end(key, { kind: 'conflict', base: undefined, theirs }),

    stateOf: (key) => store.getState().troubles.get(key)?.kind ?? (pending.has(key) ? 'saving' : 'saved'),
    hasUnsaved: () => pending.size > 0 || store.getState().troubles.size > 0,

    retry() {
      const keys = [...refused.keys()];
      for (const [key, trouble] of store.getState().troubles) if (trouble.kind === 'refused') keys.push(key);
      refused.clear();
      failures.count = 0;
      touch(...keys);
    },

    stop() {
      run.abort();
      run = new AbortController();
      isWorking = false;
      state.clear();
    },

    settled() {
      if (store.getState().phase !== 'saving') return Promise.resolve();
      return new Promise((settle) => {
        const stop = store.subscribe(({ phase }) => {
          if (phase === 'saving') return;
          stop();
          settle();
        });
      });
    },
  };
}

/** After more in a row, there is a pause. */
const MOST_MEETINGS = 5;

function firstOf(keys: Iterable<string>): string | undefined {
  for (const key of keys) return key;
  return undefined;
}

function toError(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error(String(thrown));
}
