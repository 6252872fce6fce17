import type { JournalSettings } from './work/journal/keptStore.ts';
import type { LabelScheme } from '../shared/contract/marks.ts';
import { type AnnotationsOptions, createAnnotations } from './work/annotations/annotations.ts';
import type { UnreadJournal } from './work/journal/findJournals.ts';
import { createScores, type Scores } from './work/scores/scores.ts';
import { createReview, type ReviewSettings } from './work/review/reviews.ts';
import { createRedactions } from './work/redactions/redactions.ts';
import { createAttachments } from './images/attachments/attachments.ts';
import { createNamedPlaces } from './images/attachments/namedPlaces.ts';
import { type Catalog, type CatalogOptions, createCatalog } from './images/catalog/catalog.ts';
import { type ChosenIndexes, openIndexes } from './images/catalog/openIndex.ts';
import { createDicomweb } from './doors/dicomweb/dicomweb.ts';
import { createDocuments } from './say/documents/documents.ts';
import type { ServerDomains } from './doors/http/serverContext.ts';
import { createExports } from './images/exports/exports.ts';
import { buildIdentity } from './doors/http/buildIdentity.ts';
import { createLayers } from './over/layers/layers.ts';
import { createSheets } from './over/sheets/sheets.ts';
import { createOverlays } from './over/layers/overlays.ts';
import { createAssistants } from './work/assistants/assistants.ts';
import { createMarkFormats } from './work/marks/formats/markFormats.ts';
import { createMarks } from './work/marks/marks.ts';
import { createMarkColumns } from './work/marks/markColumns.ts';
import { createTileMarks } from './work/marks/tileMarks.ts';
import { createMarkStatistics } from './work/marks/statistics/markStatistics.ts';
import { createArrayComparisons } from './work/marks/comparison/arrayComparisons.ts';
import { createComparisons } from './work/marks/comparison/comparisons.ts';
import { createLabelVolumes } from './work/marks/volumes/labelVolumes.ts';
import { createMarkVolumes } from './work/marks/volumes/markVolumes.ts';
import { createMemoryAccount, type MemoryAccount } from './machine/memory/memoryAccount.ts';
import { createTaskPool, type TaskPool, type TaskPoolOptions } from './machine/memory/taskPool.ts';
import { createPages } from './doors/pages/pages.ts';
import { startSpool } from './bytes/origins/origins.ts';
import { createFrames } from './images/pixels/frames.ts';
import { openRemoteAccess, type RemoteOptions } from './bytes/origins/remote/remoteAccess.ts';
import { isRemoteInput } from './bytes/origins/remote/remoteInput.ts';
import { createPresentations } from './over/presentation/presentations.ts';
import { createReferences } from './images/references/references.ts';
import { createSemantics } from './images/semantics/semantics.ts';
import { createSeriesList } from './images/series/seriesList.ts';
import { createTables } from './images/tables/tables.ts';
import { createAudits } from './images/audits/audits.ts';
import { type Copies, createCopies } from './images/copies/copies.ts';
import { createVolumes } from './images/volumes/volumes.ts';
import type { Clock } from './machine/workers/timeLimit.ts';
import { createSlideContexts } from './images/wsi/slideContext.ts';
import { startConnected, type StartThread } from './machine/workers/startThread.ts';

export type DomainOptions = {
  readonly inputs: readonly string[];
  /** Those of the inputs that are laid over images at once. */
  readonly requested?: readonly string[] | undefined;
  /** Whether the first two of them are compared: truth and test. */
  readonly areCompared?: boolean | undefined;
  /** Indexes that list the files, instead of the inputs. */
  readonly indexes?: ChosenIndexes | undefined;
  readonly catalog?: Omit<CatalogOptions, 'inputs' | 'memory'>;
  /** How files on other machines are read. */
  readonly remote: Omit<RemoteOptions, 'inputs' | 'cacheBytes' | 'isWatched'>;
  /** The values of --memory and --cache-budget. */
  readonly memoryBytes?: number | undefined;
  readonly cacheBytes?: number | undefined;
  /** Different for every run of the server. */
  readonly instance: string;
  readonly journal?: JournalSettings | undefined;
  readonly csv?: AnnotationsOptions['csv'];
  readonly scheme?: LabelScheme | undefined;
  readonly hangingRules?: ServerDomains['hangingRules'];
  readonly review?: ReviewSettings | undefined;
  /** The file of `--scores`, as the system resolves it. */
  readonly scoresPath?: string | undefined;
  readonly dicomweb?: boolean | undefined;
  /** The addresses of `--assist`. */
  readonly assistants?: readonly string[] | undefined;
  readonly demoProgress?: ServerDomains['demoProgress'];
  /** Called with the journals of redactions that cannot be read, when that changes. */
  readonly onUnread?: ((unread: readonly UnreadJournal[]) => void) | undefined;
  /** Creates a private folder for what has to be unpacked from archives; absent for the demo study. */
  readonly createSpoolFolder?: (() => string) | undefined;
  /** What a test has in a way of its own: threads that are there already, or that are held up. */
  readonly overrides?: DomainOverrides;
};

export type DomainOverrides = {
  readonly createTasks?: ((memory: MemoryAccount, options: TaskPoolOptions) => TaskPool) | undefined;
  /** The threads as volumes see them. */
  readonly volumeTasks?: ((tasks: TaskPool) => TaskPool) | undefined;
  /** Starts the threads that list the series and have the table. */
  readonly startThread?: StartThread | undefined;
  /** Measures how long the work for a list of layers takes. */
  readonly clock?: Clock | undefined;
};

export type Domains = ServerDomains & {
  readonly copies: Copies;
  readonly scores: Scores | undefined;
  /** Starts nothing new; work for running requests may finish. */
  stop(): Promise<void>;
  /** Ends the threads. */
  close(): Promise<void>;
};

/** Creates everything that the routes need. */
export function createDomains({ inputs, instance, journal, overrides = {}, ...options }: DomainOptions): Domains {
  const { createTasks = createTaskPool, volumeTasks = (all) => all, startThread, clock } = overrides;
  const { recursive = true, filters = [], watch } = options.catalog ?? {};
  const { indexes } = options;
  const { onTrouble } = options.remote;
  const hasRemote = inputs.some(isRemoteInput);
  const memory = createMemoryAccount(options.memoryBytes, options.cacheBytes, { hasRemote });
  // The files of an index are known without a listing that could be compared with a later one.
  const isWatched = watch !== undefined && indexes === undefined;
  const cacheBytes = memory.plan.remoteRanges;
  const remote = openRemoteAccess({ ...options.remote, inputs, cacheBytes, isWatched });
  const tasks = createTasks(memory, { connect: remote?.connect });
  const spool = options.createSpoolFolder && startSpool({ createFolder: options.createSpoolFolder });
  const places = remote?.places ?? [];
  const readRemoteNews = isWatched && remote ? () => remote.readNews({ recursive }) : undefined;
  const catalog = createCatalog({
    known: indexes && ((signal) => openIndexes(indexes, { tasks, filters, places, onTrouble, signal })),
    ...options.catalog,
    inputs,
    memory,
    scan: { startThread: lendFirst(tasks, startConnected(remote?.connect)), ...options.catalog?.scan },
    watch: watch && { ...watch, readRemoteNews },
  });
  const annotations = createAnnotations({ files: catalog, tasks, csv: options.csv, instance, journal });
  const rois = (file?: number) => annotations.listRois(file);
  /** Not of a file that is still being imported, which may take long. */
  const listRois = async () => (annotations.importState().state === 'waiting' ? [] : annotations.listRois(undefined));
  const marks = createMarks({ files: catalog, tasks, instance, journal, scheme: options.scheme, memory, rois });
  const redactions = createRedactions({ files: catalog, tasks, instance, journal, onUnread: options.onUnread });
  const frames = createFrames({ tasks, memory });
  const series = createSeriesList({ catalog, tasks, startThread });
  const volumes = createVolumes({
    catalog,
    series,
    frames,
    tasks: volumeTasks(tasks),
    memory,
    mappingsOf: (volume, about) => semantics.mappingsOf(volume, about),
  });
  const software = buildIdentity();
  const markFormats = createMarkFormats({ catalog, series, tasks, marks, software });
  const references = createReferences({ catalog, tasks, memory });
  const presentations = createPresentations({ catalog, tasks, instances: references.instances });
  const semantics = createSemantics({ catalog, tasks, memory, references, series, volumes });
  const markStatistics = createMarkStatistics({ catalog, series, semantics, tasks, memory, marks });
  const named = createNamedPlaces(options.requested ?? []);
  const attachments = createAttachments({ catalog, tasks, named });
  const slides = createSlideContexts({ catalog, tasks, memory });
  const read = { catalog, tasks, memory, frames, references, series, volumes, slides, attachments };
  const layers = createLayers({ ...read, clock });
  const overlays = createOverlays({ catalog, attachments, named, areCompared: options.areCompared });
  const tileMarks = createTileMarks({
    catalog,
    series,
    tasks,
    marks,
    readRois: async (file) => (await annotations.read(file)).rois,
  });
  const documents = createDocuments({ tasks, references, memory });
  const exports = createExports({ catalog, volumes, semantics, tasks, memory, software });
  const assistants = createAssistants({ named: options.assistants ?? [], exports, marks, tasks, memory, instance });
  const review =
    options.review && createReview({ ...options.review, catalog, tasks, instance, version: software.version });
  const stopping = new AbortController();
  const { scoresPath } = options;
  const scores =
    scoresPath === undefined ? undefined : createScores({ catalog, tasks, path: scoresPath, signal: stopping.signal });
  const markColumns = createMarkColumns({ marks, rois: { revision: () => annotations.revision(), list: listRois } });
  const tables = createTables({
    catalog,
    tasks,
    memory,
    people: () => [...markColumns, ...(review?.columns ?? []), ...audits.columns(), ...(scores?.columns() ?? [])],
    createdBy: `negato ${software.version}`,
    startThread,
  });
  const audits = createAudits({ catalog, tasks, memory, references, series, tables });
  const copies = createCopies({ catalog, tasks, memory });
  const markVolumes = createMarkVolumes({ catalog, series, exports, tasks, memory, marks, software });
  const labelVolumes = createLabelVolumes({ catalog, layers, exports, markVolumes, tasks, memory, software });
  const comparisons = {
    ...createComparisons({ layers, labelVolumes, tasks }),
    ...createArrayComparisons({ tasks, memory }),
  };
  const sheets = createSheets({ ...read, layers, semantics, marks: tileMarks, named: overlays, comparisons });
  const dicomweb = options.dicomweb ? createDicomweb({ catalog, tasks, references }) : undefined;
  prepareForFirstFrame(catalog, tasks);
  return {
    catalog,
    tasks,
    memory,
    frames,
    series,
    volumes,
    references,
    presentations,
    slides,
    semantics,
    layers,
    overlays,
    sheets,
    documents,
    attachments,
    annotations,
    exports,
    tables,
    audits,
    copies,
    pages: createPages(),
    dicomweb,
    marks,
    markFormats,
    markVolumes,
    labelVolumes,
    comparisons,
    markStatistics,
    redactions,
    assistants,
    review,
    scores,
    hangingRules: options.hangingRules ?? [],
    demoProgress: options.demoProgress,
    async stop() {
      stopping.abort();
      annotations.close();
      marks.close();
      redactions.close();
      assistants.close();
      series.stop();
      volumes.close();
      references.close();
      tables.stop();
      await catalog.cancel();
    },
    async close() {
      await Promise.all([annotations, marks, redactions].map((kept) => kept.closeJournal()));
      await review?.close();
      await Promise.all([tasks.close(), series.close(), tables.close(), remote?.close(), spool?.close()]);
    },
  };
}

/** The first thread of the scan is one of the pool, which decodes the first frame when a small folder is scanned. */
function lendFirst(tasks: TaskPool, startOther: StartThread): StartThread {
  let isLent = false;
  return (name, limits) => {
    const lent = isLent ? undefined : tasks.lend();
    isLent = true;
    return lent ?? startOther(name, limits);
  };
}

/** A scan that is over sooner leaves a thread to the pool. */
const SHORT_SCAN_MS = 100;

/** A client requests a frame as soon as it knows a file, and a thread takes longer to start than to decode the frame. */
function prepareForFirstFrame(catalog: Catalog, tasks: TaskPool): void {
  const unsubscribe = catalog.subscribe(({ scanned }) => {
    if (scanned === 0) return;
    unsubscribe();
    setTimeout(() => tasks.prepare(), SHORT_SCAN_MS).unref();
  });
}
