import type { Annotations } from '../../work/annotations/annotations.ts';
import type { ReviewStore } from '../../work/review/reviews.ts';
import type { RedactionStore } from '../../work/redactions/redactions.ts';
import type { Catalog } from '../../images/catalog/catalog.ts';
import type { Attachments } from '../../images/attachments/attachments.ts';
import type { Dicomweb } from '../dicomweb/dicomweb.ts';
import type { Documents } from '../../say/documents/documents.ts';
import type { Exports } from '../../images/exports/exports.ts';
import type { Layers } from '../../over/layers/layers.ts';
import type { LayersToShow } from '../../over/layers/overlays.ts';
import type { MarkFormats } from '../../work/marks/formats/markFormats.ts';
import type { MarkStore } from '../../work/marks/marks.ts';
import type { Assistants } from '../../work/assistants/assistants.ts';
import type { MarkStatistics } from '../../work/marks/statistics/markStatistics.ts';
import type { ArrayComparisons } from '../../work/marks/comparison/arrayComparisons.ts';
import type { Comparisons } from '../../work/marks/comparison/comparisons.ts';
import type { LabelVolumes } from '../../work/marks/volumes/labelVolumes.ts';
import type { MarkVolumes } from '../../work/marks/volumes/markVolumes.ts';
import type { MemoryAccount } from '../../machine/memory/memoryAccount.ts';
import type { Pages } from '../pages/pages.ts';
import type { Frames } from '../../images/pixels/frames.ts';
import type { Sheets } from '../../over/sheets/sheets.ts';
import type { Presentations } from '../../over/presentation/presentations.ts';
import type { References } from '../../images/references/references.ts';
import type { Semantics } from '../../images/semantics/semantics.ts';
import type { SeriesList } from '../../images/series/seriesList.ts';
import type { Audits } from '../../images/audits/audits.ts';
import type { Tables } from '../../images/tables/tables.ts';
import type { Volumes } from '../../images/volumes/volumes.ts';
import type { TaskRunner } from '../../machine/workers/task.ts';
import type { SlideContexts } from '../../images/wsi/slideContext.ts';
import type { Exchange } from './exchange.ts';
import type { Tickets } from './tickets.ts';

/** What the routes work with. It is built after the server has started to listen, and passed to `serve`. */
export type ServerDomains = {
  readonly catalog: Catalog;
  readonly tasks: TaskRunner;
  readonly memory: MemoryAccount;
  readonly frames: Frames;
  readonly series: SeriesList;
  readonly volumes: Volumes;
  readonly references: References;
  readonly presentations: Presentations;
  readonly semantics: Semantics;
  readonly layers: Layers;
  readonly overlays: LayersToShow;
  readonly sheets: Sheets;
  readonly documents: Documents;
  readonly attachments: Attachments;
  readonly slides: SlideContexts;
  readonly annotations: Annotations;
  readonly exports: Exports;
  readonly tables: Tables;
  readonly audits: Audits;
  readonly pages: Pages;
  /** Only if negato answers DICOMweb. */
  readonly dicomweb?: Dicomweb | undefined;
  readonly marks: MarkStore;
  readonly markFormats: MarkFormats;
  readonly markVolumes: MarkVolumes;
  readonly labelVolumes: LabelVolumes;
  readonly comparisons: Comparisons & ArrayComparisons;
  readonly markStatistics: MarkStatistics;
  readonly redactions: RedactionStore;
  readonly assistants: Assistants;
  /** Only with `--review`. */
  readonly review?: ReviewStore | undefined;
  /** The rules of `--hanging`, as their file has them. */
  readonly hangingRules: readonly object[];
  /** Progress of the demo study while it is being written. */
  readonly demoProgress?: (() => { readonly written: number; readonly total: number } | undefined) | undefined;
  /** The host whose port is forwarded to this server, while the forward is active. */
  readonly tunnelHost?: () => string | undefined;
};

export type ServerContext = ServerDomains & {
  /** Unix time; it also identifies this run of the server. */
  readonly startedAtMs: number;
  /** Aborted when the server starts to close, which ends endless responses. */
  readonly closing: AbortSignal;
  readonly tickets: Tickets;
  /** The path below which clients find the server; empty if it is the root. */
  readonly basePath: string;
};

/**
 * Parses the request, calls one domain function and sends the result. The central error handler answers what it throws.
 */
export type Handler = (c: Exchange) => void | Promise<void>;
/** By the names of endpoints. */
export type Handlers = Readonly<Record<string, Handler>>;

/** Messages for the user who runs the server. Nothing from a file or a request is logged above `debug`. */
export interface ServerLog {
  /** The message is only built if debug logging is on. */
  debug(toMessage: () => string): void;
  warn(message: string): void;
  /** `cause` holds details that are not sent to clients. */
  error(message: string, cause: unknown): void;
}
