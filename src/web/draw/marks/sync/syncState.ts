import { createStore, type StoreApi } from 'zustand/vanilla';
import type { SyncedKind, SyncState, Trouble } from './syncedKind.ts';

/** What a sync knows of the keys that are not equal on both sides. */
export interface SyncProgress<Content, Stored> {
  readonly store: StoreApi<SyncState<Content, Stored>>;
  /** What is to be sent, in this order. */
  readonly pending: Set<string>;
  /** What was sent without an answer, by key. */
  readonly sent: Map<string, readonly (Content | undefined)[]>;
  /** What the server has refused is not sent again until it changes. */
  readonly refused: Map<string, Content | undefined>;
  /** Members of a refused request for many, which are sent one by one to learn which of them is the reason. */
  readonly alone: Set<string>;
  /** How often the last request for a key met another version. */
  readonly meetings: Map<string, number>;
  /** Requests in a row that did not arrive. */
  readonly failures: { count: number };
  readonly isSame: (a: Content | undefined, b: Content | undefined) => boolean;
  /** A question stays until the user has answered it, whatever becomes of a request that was under way. */
  readonly setTrouble: (key: string, trouble: Trouble<Content, Stored> | undefined) => void;
  readonly isAsked: (key: string) => boolean;
  /** The user has decided. */
  readonly endQuestion: (key: string) => void;
  readonly setPhase: () => void;
  /** Nothing more is sent of it. */
  readonly end: (key: string, trouble?: Trouble<Content, Stored>) => void;
  noteSent(key: string, content: Content | undefined): void;
  forgetLastSent(key: string): void;
  /** What the next request can have together with others. */
  listFree(): readonly string[];
  clear(): void;
}

export function createSyncState<Content, Stored>(
  kind: Pick<SyncedKind<Content, Stored>, 'isEqual'>,
): SyncProgress<Content, Stored> {
  const store = createStore<SyncState<Content, Stored>>(() => ({ phase: 'saved', troubles: new Map() }));
  const pending = new Set<string>();
  const sent = new Map<string, readonly (Content | undefined)[]>();
  const refused = new Map<string, Content | undefined>();
  const alone = new Set<string>();
  const meetings = new Map<string, number>();
  const failures = { count: 0 };
  const replaceTrouble = (key: string, trouble: Trouble<Content, Stored> | undefined) => {
    const { troubles } = store.getState();
    if (trouble === undefined && !troubles.has(key)) return;
    const next = new Map(troubles);
    if (trouble === undefined) next.delete(key);
    else next.set(key, trouble);
    store.setState({ troubles: next });
  };
  const setTrouble: typeof replaceTrouble = (key, trouble) => {
    const known = store.getState().troubles.get(key);
    if (known?.kind !== 'conflict') replaceTrouble(key, trouble);
    else if (trouble?.kind === 'conflict') replaceTrouble(key, { ...trouble, base: known.base });
  };
  return {
    store,
    pending,
    sent,
    refused,
    alone,
    meetings,
    failures,
    isSame: (a, b) => a === b || (a !== undefined && b !== undefined && kind.isEqual(a, b)),
    setTrouble,
    isAsked: (key) => store.getState().troubles.get(key)?.kind === 'conflict',
    endQuestion: (key) => replaceTrouble(key, undefined),
    setPhase() {
      const phase = failures.count > 0 ? 'retrying' : pending.size > 0 ? 'saving' : 'saved';
      if (store.getState().phase !== phase) store.setState({ phase });
    },
    end(key, trouble) {
      pending.delete(key);
      setTrouble(key, trouble);
    },
    noteSent: (key, content) => void sent.set(key, [...(sent.get(key) ?? []), content]),
    forgetLastSent(key) {
      const before = sent.get(key)?.slice(0, -1) ?? [];
      if (before.length > 0) sent.set(key, before);
      else sent.delete(key);
    },
    listFree: () => [...pending].filter((key) => !alone.has(key) && !sent.has(key) && !refused.has(key)),
    clear() {
      for (const known of [pending, sent, refused, alone, meetings]) known.clear();
      failures.count = 0;
      store.setState({ phase: 'saved', troubles: new Map() });
    },
  };
}
