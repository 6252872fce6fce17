import type { StoreApi } from 'zustand/vanilla';

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
