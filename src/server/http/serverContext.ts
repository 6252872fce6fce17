import type { Annotations } from '../annotations/annotations.ts';
import type { Catalog } from '../catalog/catalog.ts';
import type { MemoryAccount } from '../memory/memoryAccount.ts';
import type { Frames } from '../pixels/frames.ts';
import type { References } from '../references/references.ts';
import type { Semantics } from '../semantics/semantics.ts';
import type { SeriesList } from '../series/seriesList.ts';
import type { TaskRunner } from '../workers/task.ts';
import type { SlideContexts } from '../wsi/slideContext.ts';

/** What the routes work with. It is built after the server listens, and handed over with `serve`. */
export type ServerDomains = {
  readonly catalog: Catalog;
  readonly tasks: TaskRunner;
  readonly memory: MemoryAccount;
  readonly frames: Frames;
  readonly series: SeriesList;
  readonly references: References;
  readonly semantics: Semantics;
  readonly slides: SlideContexts;
  readonly annotations: Annotations;
  /** While the demo study is made: how far it has come. */
  readonly demoProgress?: (() => { readonly written: number; readonly total: number } | undefined) | undefined;
  /** The host whose port leads here while the forward stands. */
  readonly tunnelHost?: () => string | undefined;
};

export type ServerContext = ServerDomains & {
  /** Unix time; it also identifies this run of the server. */
  readonly startedAtMs: number;
  /** Aborted when the server begins to close: endless answers end. */
  readonly closing: AbortSignal;
};
