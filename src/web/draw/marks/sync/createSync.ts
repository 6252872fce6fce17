import { createStore, type StoreApi } from 'zustand/vanilla';
import type { ErrorCode } from '../../../../shared/contract/errors.ts';
import { ERROR_STATUS } from '../../../../shared/contract/errorStatus.ts';
import { RequestRefused } from '../../../kit/api/send.ts';

/** One thing that is on this page and on the server: a mark, or the ROIs of a file. */
export type Synced<Content, Stored> = {
  /** As it is on this page; undefined if it is not there. */
  readonly mine: Content | undefined;
  /** As the server had it last; undefined if it had none. */
  readonly stored: Stored | undefined;
};

/** The same thing in several versions. Undefined where it is not there. */
export type Versions<Content> = {
  /** What both sides started from, then what was sent without an answer: the server may have had it in between. */
  readonly bases: readonly (Content | undefined)[];
  readonly mine: Content;
  readonly theirs: Content;
};

/** What keeps a thing from being saved. Undefined if nothing does. */
export type Trouble<Content, Stored> =
  /** The request did not arrive; it is repeated until it does. */
  | { readonly kind: 'retrying'; readonly error: Error }
  /** It breaks a rule, or the server rejected it; only another edit can help. */
  | { readonly kind: 'refused'; readonly error: Error }
  /** Two clients have changed the same, and the user decides. */
  | { readonly kind: 'conflict'; readonly base: Content | undefined; readonly theirs: Stored };

export type SyncState<Content, Stored> = {
  /** `retrying`: requests fail, and are repeated. */
  readonly phase: 'saved' | 'saving' | 'retrying';
  readonly troubles: ReadonlyMap<string, Trouble<Content, Stored>>;
};

/** A kind of thing that is kept equal on this page and on the server. Each has a key. */
export interface SyncedKind<Content, Stored> {
  /** Undefined if the page does not know it yet. */
  find(key: string): Synced<Content, Stored> | undefined;
  contentOf(stored: Stored | undefined): Content | undefined;
  isEqual(a: Content, b: Content): boolean;
  /** What the next request sends: all of it, or as much as one request can have. Throws if it breaks a rule. */
  prepare(key: string, content: Content, stored: Stored | undefined): Content;
  /** Both changes in one; undefined if they contradict each other. */
  merge(divergence: Versions<Content>): Content | undefined;
  /** Of changes that contradict each other: asks the user, or keeps mine beside theirs. */
  readonly whenContradicting: 'ask' | ((key: string, mine: Content) => void);
  /** The server has this now. */
  note(key: string, stored: Stored | undefined): void;
  /** Puts this on the page in place of what is there, many at once. */
  show(changed: ReadonlyMap<string, Content | undefined>): void;
  /** Answers what the server has then. */
  send(key: string, wish: SyncWish<Content, Stored>): Promise<Stored | undefined>;
  read(key: string, known: Stored | undefined, signal: AbortSignal): Promise<Stored | undefined>;
  /** Of what is pending, that which one request can change together with this. */
  together?(key: string, pending: Iterable<string>): Together<Content, Stored> | undefined;
  /** Resolves after the time, or earlier when the signal aborts. */
  wait(ms: number, signal: AbortSignal): Promise<void>;
}

export type SyncWish<Content, Stored> = Synced<Content, Stored> & { readonly signal: AbortSignal };

export type Together<Content, Stored> = {
  /** What is sent of each. */
  readonly contents: ReadonlyMap<string, Content | undefined>;
  readonly send: (signal: AbortSignal) => Promise<ReadonlyMap<string, Stored | undefined>>;
};

/** Something of a run of the server that has ended. */
export type ContentBefore<Content> = {
  /** Undefined if it was deleted here. The same object as `base` if it was not changed here. */
  readonly mine: Content | undefined;
  /** Undefined if the server never had it. */
  readonly base: Content | undefined;
};

/** Sends what is on the page to the server, one request at a time, until both are equal. Nothing of anybody is lost. */
export interface Sync<Content, Stored> {
  readonly store: StoreApi<SyncState<Content, Stored>>;
  /** These may have changed on the page. */
  touch(...keys: readonly string[]): void;
  /** Another client may have changed these on the server. What was changed here, too, is merged. */
  hear(news: ReadonlyMap<string, Stored | undefined>): void;
  /** Meets what the next run of the server has. `ask`: it lacks something that the last one had. */
  resume(key: string, kept: ContentBefore<Content>): 'met' | 'ask';
  /** The user has decided a conflict: what the page shows now replaces what the server has. */
  decide(key: string): void;
  /** The user decides between what is on the page and this. */
  ask(key: string, theirs: Stored): void;
  stateOf(key: string): 'saved' | 'saving' | Trouble<Content, Stored>['kind'];
  hasUnsaved(): boolean;
  /** Repeats failed and refused requests at once. */
  retry(): void;
  /** Abandons everything, because the run of the server has ended. */
  stop(): void;
  /** Resolves when no request is under way: each has arrived, or has failed and will be repeated. */
  readonly settled: () => Promise<void>;
}

const RETRY_MS = [1_000, 2_000, 4_000, 8_000, 15_000];

/** The server has another version than the one that the request was made for. */
const MEETINGS: ReadonlySet<ErrorCode> = new Set([
  'stale_annotation',
  'stale_mark',
  'mark_exists',
  'mark_not_found',
  'mark_locked',
]);

export function createSync<Content, Stored>(kind: SyncedKind<Content, Stored>): Sync<Content, Stored> {
  const store = createStore<SyncState<Content, Stored>>(() => ({ phase: 'saved', troubles: new Map() }));
  const pending = new Set<string>();
  /** What was sent without an answer, by key. */
  const sent = new Map<string, (Content | undefined)[]>();
  /** What the server has refused is not sent again until it changes. */
  const refused = new Map<string, Content | undefined>();
  /** Members of a refused request for many, which are sent one by one to learn which of them is the reason. */
  const alone = new Set<string>();
  /** How often the last request for a key met another version. */
  const meetings = new Map<string, number>();
  let failures = 0;
  let pause: AbortController | undefined;
  let isWorking = false;
  let run = new AbortController();

  const isSame = (a: Content | undefined, b: Content | undefined) =>
    a === b || (a !== undefined && b !== undefined && kind.isEqual(a, b));

  const setTrouble = (key: string, trouble: Trouble<Content, Stored> | undefined) => {
    const { troubles } = store.getState();
    if (trouble === undefined && !troubles.has(key)) return;
    const next = new Map(troubles);
    if (trouble === undefined) next.delete(key);
    else next.set(key, trouble);
    store.setState({ troubles: next });
  };
  const isAsked = (key: string) => store.getState().troubles.get(key)?.kind === 'conflict';

  const setPhase = () => {
    const phase = failures > 0 ? 'retrying' : pending.size > 0 ? 'saving' : 'saved';
    if (store.getState().phase !== phase) store.setState({ phase });
  };

  const touch = (...keys: readonly string[]) => {
    for (const key of keys) if (!isAsked(key)) pending.add(key);
    if (pending.size === 0) return;
    pause?.abort();
    setPhase();
    void work();
  };

  const end = (key: string, trouble?: Trouble<Content, Stored>) => {
    pending.delete(key);
    setTrouble(key, trouble);
  };

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
    failures = 0;
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
    const many = alone.has(key) ? undefined : kind.together?.(key, listPending());
    return many === undefined ? sendOne(key, { mine: content, stored, signal }) : sendMany(many, signal);
  };

  const listPending = () => [...pending].filter((key) => !alone.has(key) && !sent.has(key) && !refused.has(key));

  const sendOne = async (key: string, wish: SyncWish<Content, Stored>): Promise<void> => {
    const { mine, stored, signal } = wish;
    sent.set(key, [...(sent.get(key) ?? []), mine]);
    try {
      accept(key, mine, await kind.send(key, wish), signal);
      if (signal.aborted) return;
      alone.delete(key);
    } catch (error) {
      if (signal.aborted) return;
      if (!(error instanceof RequestRefused) || ERROR_STATUS[error.code] >= 500) await fail([key], error, signal);
      else {
        // Of a refused request the server has nothing, but it may have what was sent before.
        forgetLastSent(key);
        if (MEETINGS.has(error.code)) await meetCurrent(key, stored, signal, error.code);
        else refuse(key, mine, error);
      }
    }
  };

  const forgetLastSent = (key: string) => {
    const before = sent.get(key)?.slice(0, -1) ?? [];
    if (before.length > 0) sent.set(key, before);
    else sent.delete(key);
  };

  /** The server has what was sent. */
  const accept = (key: string, content: Content | undefined, stored: Stored | undefined, signal: AbortSignal) => {
    if (signal.aborted) return;
    failures = 0;
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
    for (const [key, content] of many.contents) sent.set(key, [...(sent.get(key) ?? []), content]);
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
        forgetLastSent(key);
        alone.add(key);
      }
    }
  };

  const fail = async (keys: readonly string[], thrown: unknown, signal: AbortSignal): Promise<void> => {
    failures += 1;
    const trouble = { kind: 'retrying', error: toError(thrown) } as const;
    for (const key of keys) {
      // Others first: what the server fails at must not keep it from the rest.
      if (pending.delete(key)) pending.add(key);
      setTrouble(key, trouble);
    }
    setPhase();
    pause = new AbortController();
    const pauseMs = RETRY_MS[Math.min(failures, RETRY_MS.length) - 1] ?? 0;
    await kind.wait(pauseMs, AbortSignal.any([signal, pause.signal]));
    pause = undefined;
  };

  const refuse = (key: string, content: Content | undefined, error: RequestRefused) => {
    failures = 0;
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
      failures = 0;
      meet(key, theirs, { isLocked: code === 'mark_locked' });
    } catch (error) {
      if (!signal.aborted) await fail([key], error, signal);
    }
  };

  type Meeting = { readonly isLocked?: boolean; readonly kept?: ContentBefore<Content> };

  /** The server has this, which may be of another client. */
  const meet = (key: string, theirs: Stored | undefined, { isLocked = false, kept }: Meeting = {}) => {
    const known = kind.find(key);
    const shown = known?.mine;
    const { mine, base } = kept ?? { mine: shown, base: kind.contentOf(known?.stored) };
    const found = kind.contentOf(theirs);
    const bases = [base, ...(sent.get(key) ?? [])];
    kind.note(key, theirs);
    sent.delete(key);
    const show = (content: Content | undefined) => {
      if (!isSame(content, shown)) kind.show(new Map([[key, content]]));
    };
    if (isSame(mine, found)) show(found);
    else if (mine === undefined && isLocked) show(found);
    // Nobody else has changed it, or it is made again.
    else if (!isLocked && (found === undefined || bases.some((one) => isSame(one, found)))) show(mine);
    // Nothing was changed here. What was deleted here was changed elsewhere since, and stays.
    else if (mine === undefined || bases.every((one) => isSame(one, mine))) show(found);
    else {
      const merged = isLocked || found === undefined ? undefined : kind.merge({ bases, mine, theirs: found });
      if (merged !== undefined) show(merged);
      else if (kind.whenContradicting === 'ask') ask(key, theirs, base);
      else {
        show(found);
        kind.whenContradicting(key, mine);
      }
    }
  };

  const ask = (key: string, theirs: Stored | undefined, base: Content | undefined) => {
    if (theirs !== undefined) end(key, { kind: 'conflict', base, theirs });
  };

  return {
    store,
    touch,

    hear(news) {
      const shown = new Map<string, Content | undefined>();
      const changed: string[] = [];
      for (const [key, theirs] of news) {
        const known = kind.find(key);
        const before = kind.contentOf(known?.stored);
        if (sent.has(key) || !isSame(known?.mine, before)) changed.push(key);
        else {
          kind.note(key, theirs);
          const found = kind.contentOf(theirs);
          if (!isSame(found, before)) shown.set(key, found);
        }
      }
      if (shown.size > 0) kind.show(shown);
      for (const key of changed) if (!isAsked(key)) meet(key, news.get(key));
      touch(...changed);
    },

    resume(key, kept) {
      const theirs = kind.find(key)?.stored;
      const found = kind.contentOf(theirs);
      const { mine, base } = kept;
      if (mine === base) return found === undefined ? 'ask' : 'met';
      if (found === undefined) {
        if (mine !== undefined) kind.show(new Map([[key, mine]]));
      } else meet(key, theirs, { kept });
      touch(key);
      return 'met';
    },

    decide(key) {
      const trouble = store.getState().troubles.get(key);
      if (trouble?.kind !== 'conflict') return;
      setTrouble(key, undefined);
      kind.note(key, trouble.theirs);
      touch(key);
    },

    ask: (key, theirs) => ask(key, theirs, undefined),

    stateOf: (key) => store.getState().troubles.get(key)?.kind ?? (pending.has(key) ? 'saving' : 'saved'),
    hasUnsaved: () => pending.size > 0 || store.getState().troubles.size > 0,

    retry() {
      const keys = [...refused.keys()];
      for (const [key, trouble] of store.getState().troubles) if (trouble.kind === 'refused') keys.push(key);
      refused.clear();
      failures = 0;
      touch(...keys);
    },

    stop() {
      run.abort();
      run = new AbortController();
      for (const known of [pending, sent, refused, alone, meetings]) known.clear();
      failures = 0;
      isWorking = false;
      store.setState({ phase: 'saved', troubles: new Map() });
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
