import type { DemoFeed } from '../demo/demoFeed.ts';
import { type Annotations, createAnnotations, type JournalSettings } from '../server/annotations/annotations.ts';
import type { UnreadJournal } from '../server/annotations/findJournals.ts';
import { createRedactions, type RedactionStore } from '../server/annotations/redactions.ts';
import { createAttachments } from '../server/attachments/attachments.ts';
import { type Catalog, createCatalog } from '../server/catalog/catalog.ts';
import { openIndexes } from '../server/catalog/openIndex.ts';
import { createDicomweb } from '../server/dicomweb/dicomweb.ts';
import { createDocuments } from '../server/documents/documents.ts';
import type { ServerDomains } from '../server/http/serverContext.ts';
import { createExports } from '../server/exports/exports.ts';
import { buildIdentity } from '../server/http/buildIdentity.ts';
import { createLayers } from '../server/layers/layers.ts';
import { createMarkFormats } from '../server/marks/formats/markFormats.ts';
import { createMarks, type MarkStore } from '../server/marks/marks.ts';
import { createMarkStatistics } from '../server/marks/statistics/markStatistics.ts';
import { createMarkVolumes } from '../server/marks/volumes/markVolumes.ts';
import { createMemoryAccount } from '../server/memory/memoryAccount.ts';
import { createTaskPool, type TaskPool } from '../server/memory/taskPool.ts';
import { createPages } from '../server/pages/pages.ts';
import { startSpool } from '../server/origins/origins.ts';
import { createFrames } from '../server/pixels/frames.ts';
import { openRemoteAccess } from '../server/origins/remote/remoteAccess.ts';
import { isRemoteInput } from '../server/origins/remote/remoteInput.ts';
import { createPresentations } from '../server/presentation/presentations.ts';
import { createReferences } from '../server/references/references.ts';
import { createSemantics } from '../server/semantics/semantics.ts';
import { createSeriesList } from '../server/series/seriesList.ts';
import { createVolumes } from '../server/volumes/volumes.ts';
import { createSlideContexts } from '../server/wsi/slideContext.ts';
import { startConnected, type StartThread } from '../server/workers/startThread.ts';
import type { CheckedStart } from './checkStart.ts';
import type { Settings } from './settings.ts';

export type DomainOptions = {
  readonly settings: Settings;
  readonly inputs: readonly string[];
  readonly checked: CheckedStart;
  /** The demo study, which is written while it is listed. */
  readonly demo: DemoFeed | undefined;
  /** Different for every run of the server. */
  readonly instance: string;
  readonly journal: JournalSettings | undefined;
  /** Called with the journals of redactions that cannot be read, when that changes. */
  readonly onUnread: (unread: readonly UnreadJournal[]) => void;
  /** Called with what the user should know about other machines. */
  readonly onRemoteTrouble: (message: string) => void;
  /** Called once, if folders have to be polled that should be watched. */
  readonly onPolling: (reason: string) => void;
  /** Creates a private folder for what has to be unpacked from archives; absent for the demo study. */
  readonly createSpoolFolder: (() => string) | undefined;
};

export type Domains = {
  readonly catalog: Catalog;
  readonly annotations: Annotations;
  readonly marks: MarkStore;
  readonly redactions: RedactionStore;
  readonly forServer: ServerDomains;
  /** Starts nothing new; work for running requests may finish. */
  stop(): Promise<void>;
  /** Ends the threads. */
  close(): Promise<void>;
};

/** Creates everything that the routes need. */
export function createDomains(options: DomainOptions): Domains {
  const { settings, inputs, demo, instance, journal, createSpoolFolder } = options;
  const { filters, indexes, scheme } = options.checked;
  const hasRemote = inputs.some(isRemoteInput);
  const memory = createMemoryAccount(settings.memoryBytes, settings.cacheBytes, { hasRemote });
  // The files of an index are known without a listing that could be compared with a later one.
  const isWatched = settings.watch !== undefined && indexes === undefined;
  const remote = openRemoteAccess({
    ...settings.remote,
    inputs,
    cacheBytes: memory.plan.remoteRanges,
    isWatched,
    onTrouble: options.onRemoteTrouble,
  });
  const tasks = createTaskPool(memory, { connect: remote?.connect });
  const { recursive, archives } = settings;
  const spool = createSpoolFolder === undefined ? undefined : startSpool({ createFolder: createSpoolFolder });
  const scan = { startThread: lendFirst(tasks, startConnected(remote?.connect)) };
  const places = remote?.places ?? [];
  const onTrouble = options.onRemoteTrouble;
  const known =
    indexes && ((signal: AbortSignal) => openIndexes(indexes, { tasks, filters, places, onTrouble, signal }));
  const readRemoteNews = isWatched && remote ? () => remote.readNews({ recursive }) : undefined;
  const watch = settings.watch && { ...settings.watch, onPolling: options.onPolling, readRemoteNews };
  const catalog = createCatalog({ inputs, recursive, archives, filters, memory, feed: demo?.feed, scan, known, watch });
  const csv = settings.annotations && { path: settings.annotations, startDirectory: process.cwd() };
  const annotations = createAnnotations({ files: catalog, tasks, csv: csv || undefined, instance, journal });
  const rois = () => annotations.listRois();
  const marks = createMarks({ files: catalog, tasks, instance, journal, scheme, memory, rois });
  const redactions = createRedactions({ files: catalog, tasks, instance, journal, onUnread: options.onUnread });
  const frames = createFrames({ tasks, memory });
  const series = createSeriesList({ catalog, tasks });
  const volumes = createVolumes({ catalog, series, frames, tasks, memory });
  const software = buildIdentity();
  const markFormats = createMarkFormats({ catalog, series, tasks, marks, software });
  const references = createReferences({ catalog, tasks, memory });
  const presentations = createPresentations({ catalog, tasks, instances: references.instances });
  const semantics = createSemantics({ catalog, tasks, memory, references, series, volumes });
  const markStatistics = createMarkStatistics({ catalog, series, semantics, tasks, memory, marks });
  const attachments = createAttachments({ catalog, tasks });
  const slides = createSlideContexts({ catalog, tasks, memory });
  const layers = createLayers({ catalog, tasks, memory, frames, references, series, volumes, slides, attachments });
  const documents = createDocuments({ tasks, references, memory });
  const exports = createExports({ catalog, volumes, semantics, tasks, memory, software });
  const markVolumes = createMarkVolumes({ catalog, series, exports, tasks, memory, marks, software });
  const dicomweb = settings.dicomweb ? createDicomweb({ catalog, tasks, references }) : undefined;
  prepareForFirstFrame(catalog, tasks);
  return {
    catalog,
    annotations,
    marks,
    redactions,
    forServer: {
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
      documents,
      attachments,
      annotations,
      exports,
      pages: createPages(),
      dicomweb,
      marks,
      markFormats,
      markVolumes,
      markStatistics,
      redactions,
      demoProgress: () => demo?.progress(),
    },
    async stop() {
      annotations.close();
      marks.close();
      redactions.close();
      series.stop();
      volumes.close();
      references.close();
      await catalog.cancel();
    },
    async close() {
      await Promise.all([annotations.closeJournal(), marks.closeJournal(), redactions.closeJournal()]);
      await Promise.all([tasks.close(), series.close(), remote?.close(), spool?.close()]);
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
