import { totalmem } from 'node:os';

/**
 * Shares of the budget, without what Node itself takes, in percent. Everything that holds bytes of files has an entry
 * here: only the account creates caches, by the name of the entry, and the entries add up to 100.
 */
export const MEMORY_SHARES = {
  /** Running tasks: the peak memory of a decode, including its output. */
  tasks: 50,
  /** Responses that clients have not read yet. */
  answers: 6,
  /** Memory that worker threads keep between tasks: heaps, codecs, headers of recently read files. */
  threads: 6.75,
  rawFrames: 5,
  displayFrames: 4,
  thumbnails: 2.5,
  /** Key slices of series as one picture. */
  sheets: 1,
  /** Raw frames in the form in which they are sent over slow links. */
  packedFrames: 1.5,
  /** Planes of volumes, as samples and as pictures. */
  planes: 2,
  /** Positions and times of volumes. */
  volumeRecords: 0.5,
  masks: 1.5,
  /** The frames of segmentations that planes are cut from. */
  croppedMasks: 1.5,
  segmentationRecords: 1,
  segmentationMappings: 1,
  /** Contours of structure sets, and the images that they lie over. */
  structureSets: 2.25,
  /** Regions of reports and fiducials, and the images that they lie over. */
  regions: 0.5,
  /** Where the annotations of slides lie; their points stay in the files. */
  slideAnnotations: 1.5,
  /** The labels of model output as masks, and the stacks that it may lie over. */
  attachments: 1,
  /** Where the frames of images lie that layers are put over. */
  imagePlanes: 1,
  references: 1,
  /** Marks that users have drawn. They are never dropped: more are refused. */
  marks: 1.5,
  /** The columns of the table of files. What does not fit is not read. */
  columns: 2,
  /** The content of reports. */
  documents: 0.5,
  /** What `/files` and `/series` answered. */
  lists: 1,
  /** What `/info` and the tag endpoints answered. */
  info: 0.25,
  tags: 0.75,
  slideLayouts: 0.5,
  frameValues: 0.5,
  segmentStatistics: 0.25,
  doseHistograms: 0.25,
  /** Videos in a form that browsers play, of streams that they do not. */
  videos: 0.5,
  /** What audits have read from headers, so that the next one need not read them. */
  audits: 0.5,
  /** Parts of files on other machines. If there are any, an eighth of the memory for tasks is used for them. */
  remoteRanges: 0,
} as const;

export type MemoryUse = keyof typeof MEMORY_SHARES;
/** The uses that are caches. */
export type CacheUse = Exclude<MemoryUse, 'tasks' | 'answers' | 'threads' | 'remoteRanges' | 'marks' | 'columns'>;

export type MemoryPlan = { readonly totalBytes: number } & Readonly<Record<MemoryUse, number>>;

const MIB = 2 ** 20;
/** Node with our code, before the first task. A very small budget is shared by halves. */
const RUNTIME_BYTES = 64 * MIB;
const MOST_INFLATED_BYTES = 512 * MIB;

/**
 * By default a quarter of the memory of the machine, or of the container's limit, but at most 4 GiB; at least 512 MiB
 * if that is no more than half of the memory. `--memory` replaces the default.
 */
export function planMemory(memoryFlagBytes?: number): MemoryPlan {
  const totalBytes = memoryFlagBytes ?? defaultBudget(usableMemory());
  const sharedBytes = totalBytes - Math.min(RUNTIME_BYTES, totalBytes / 2);
  const share = (use: MemoryUse) => Math.floor((sharedBytes * MEMORY_SHARES[use]) / 100);
  return {
    totalBytes,
    tasks: share('tasks'),
    answers: share('answers'),
    threads: share('threads'),
    rawFrames: share('rawFrames'),
    displayFrames: share('displayFrames'),
    thumbnails: share('thumbnails'),
    sheets: share('sheets'),
    packedFrames: share('packedFrames'),
    planes: share('planes'),
    volumeRecords: share('volumeRecords'),
    masks: share('masks'),
    croppedMasks: share('croppedMasks'),
    segmentationRecords: share('segmentationRecords'),
    segmentationMappings: share('segmentationMappings'),
    structureSets: share('structureSets'),
    regions: share('regions'),
    slideAnnotations: share('slideAnnotations'),
    attachments: share('attachments'),
    imagePlanes: share('imagePlanes'),
    references: share('references'),
    marks: share('marks'),
    columns: share('columns'),
    documents: share('documents'),
    lists: share('lists'),
    info: share('info'),
    tags: share('tags'),
    slideLayouts: share('slideLayouts'),
    frameValues: share('frameValues'),
    segmentStatistics: share('segmentStatistics'),
    doseHistograms: share('doseHistograms'),
    videos: share('videos'),
    audits: share('audits'),
    remoteRanges: share('remoteRanges'),
  };
}

/** Returns the plan for a server with files on other machines. */
export function planForRemote(plan: MemoryPlan): MemoryPlan {
  const remoteRanges = Math.floor(plan.tasks / 8);
  return { ...plan, tasks: plan.tasks - remoteRanges, remoteRanges };
}

const FRAME_CACHES = [
  'rawFrames',
  'packedFrames',
  'displayFrames',
  'thumbnails',
  'sheets',
  'planes',
] as const satisfies CacheUse[];

/** Returns the plan with at most `cacheBytes` for all frame caches together (`--cache-budget`). */
export function limitFrameCaches(plan: MemoryPlan, cacheBytes: number | undefined): MemoryPlan {
  const planned = FRAME_CACHES.reduce((sum, use) => sum + plan[use], 0);
  if (cacheBytes === undefined || cacheBytes >= planned) return plan;
  const limited = FRAME_CACHES.map((use) => [use, Math.floor((plan[use] / planned) * cacheBytes)] as const);
  return { ...plan, ...Object.fromEntries(limited) };
}

/**
 * Maximum size of an inflated data set in a thread, small enough to leave room for inflating it and for one of its
 * frames.
 */
export function inflatedBytesIn(tasksBytes: number): number {
  return Math.min(MOST_INFLATED_BYTES, Math.floor(tasksBytes / 5));
}

/** The part of the memory for tasks that volumes may hold as long as no task needs it; the rest is for their loading. */
export function volumeBytesIn(tasksBytes: number): number {
  return Math.floor(tasksBytes * 0.6);
}

export function defaultBudget(memoryBytes: number): number {
  const quarter = Math.min(memoryBytes / 4, 4_096 * MIB);
  return Math.floor(Math.max(quarter, Math.min(512 * MIB, memoryBytes / 2)));
}

function usableMemory(): number {
  // Without a limit this is 0, or larger than any memory.
  const limit = process.constrainedMemory();
  return limit > 0 ? Math.min(limit, totalmem()) : totalmem();
}
