import { type Relationship, RELATIONSHIPS } from '../../../shared/contract/referenceTerms.ts';
import { ViewerError } from '../../../shared/contract/errors.ts';
import type { Catalog } from '../catalog/catalog.ts';
import type { DicomFile } from '../catalog/dicomFile.ts';
import { stateOf } from '../../bytes/origins/origins.ts';
import { doInTurns, type WorkInTurns } from '../../machine/workers/doInTurns.ts';
import { createBackgroundQueue } from '../../machine/workers/backgroundQueue.ts';
import type { TaskPriority } from '../../machine/workers/task.ts';
import { type DeclaredReference, type DeclaredReferences, namedUids, referencesTo } from './declaredReferences.ts';
import { FilesByUid } from './filesByUid.ts';
import type { InstanceIndex } from './instanceIndex.ts';

/**
 * An open object that references a file with one relationship. Numbers count from 1, ascend, and combine all its
 * references.
 */
export type Referrer = {
  readonly file: DicomFile;
  readonly relationship: Relationship;
  /** Frames of the referenced file; empty for the whole file. */
  readonly frameNumbers: DeclaredReference['frameNumbers'];
  readonly segmentNumbers: DeclaredReference['segmentNumbers'];
};

export type FileReferrers = {
  /** Sorted by the index of the referring file. */
  readonly referrers: readonly Referrer[];
  /** False while files are still being found or read. */
  readonly isComplete: boolean;
  /** Objects whose references could not be read. */
  readonly unreadCount: number;
  /** More objects reference the file, or may do so, than are examined. */
  readonly truncated: boolean;
};

export type ReferrerOptions = { readonly signal: AbortSignal | undefined };

export interface Referrers {
  find(file: DicomFile, options: ReferrerOptions): Promise<FileReferrers>;
  close(): void;
}

export type ReferrersContext = {
  readonly catalog: Pick<Catalog, 'files' | 'progress'>;
  readonly instances: InstanceIndex;
  readonly declaredBy: (file: DicomFile, options: DeclaredOptions) => Promise<DeclaredReferences>;
  /** How long a query waits for objects that have not been read yet. */
  readonly waitMs: number;
  /** How long a query may read the frames that the objects list; what is left then is cut. */
  readonly readMs: number;
};

export type DeclaredOptions = ReferrerOptions & { readonly priority?: TaskPriority };

/** Maximum number of stored links, about 10 bytes each in addition to the UIDs. */
const MOST_LINKS = 2_000_000;
/** Links to one target that are looked at, more than its referrers that are listed; takes a few milliseconds. */
const MOST_LINKS_OF_ONE = 16_384;
const MOST_DERIVED_IMAGES = 2_048;
const MOST_REFERRERS = 1_024;
/** One at a time, each would wait for its own turn behind the requests of other clients. */
const READ_AT_ONCE = 16;

/**
 * A link is the index of the referring file and how it names the target, in one number: the place of the relationship,
 * or `DETAILED` if the reference lists frames or segments.
 */
const LINK_KINDS = 32;
const DETAILED = LINK_KINDS - 1;

/**
 * Finds the objects that reference a file. Only objects that describe others are read, once each, on the first query.
 * Only the links are stored. Frames and segments that a reference lists are read again when they are requested.
 */
export function createReferrers({ catalog, instances, declaredBy, waitMs, readMs }: ReferrersContext): Referrers {
  const byInstance = new FilesByUid();
  const bySeries = new FilesByUid();
  let taken = 0;
  let derivedImages = 0;
  let links = 0;
  let unreadCount = 0;
  let isCut = false;

  const queue = createBackgroundQueue<DicomFile>({
    async run(file, signal) {
      const declared = await declaredBy(file, { signal, priority: 'prefetch' });
      if (declared.truncated) isCut = true;
      await doInTurns(link(file, declared), signal);
    },
    onFailure() {
      unreadCount += 1;
    },
  });

  function* link({ index }: DicomFile, declared: DeclaredReferences): WorkInTurns<void> {
    for (const { uid, isSeries, relationships } of namedUids(declared)) {
      const kinds = relationships?.map((relationship) => RELATIONSHIPS.indexOf(relationship)) ?? [DETAILED];
      for (const kind of kinds) {
        if (links >= MOST_LINKS) {
          isCut = true;
          return;
        }
        (isSeries ? bySeries : byInstance).add(uid, index * LINK_KINDS + kind);
        links += 1;
        if (links % 256 === 0) yield;
      }
    }
  }

  function takeNew(): void {
    const wanted: DicomFile[] = [];
    for (; taken < instances.pointing.length; taken += 1) {
      const file = catalog.files[instances.pointing[taken] ?? -1];
      if (file === undefined) continue;
      if (isImage(file)) derivedImages += 1;
      if (isImage(file) && derivedImages > MOST_DERIVED_IMAGES) isCut = true;
      else wanted.push(file);
    }
    queue.want(wanted);
  }

  async function readReferrers(
    target: DicomFile,
    [pointing, kinds]: readonly [number, ReadonlySet<number>],
    options: ReferrerOptions,
  ): Promise<Referrer[]> {
    const file = catalog.files[pointing];
    if (file === undefined) return [];
    try {
      if (kinds.has(DETAILED)) {
        const declared = await declaredBy(file, options);
        return await doInTurns(joinReferences(file, target, declared), options.signal);
      }
      await stateOf(file.source);
      return [...kinds].map((kind) => ({
        file,
        relationship: RELATIONSHIPS[kind] ?? 'unknown',
        frameNumbers: [],
        segmentNumbers: [],
      }));
    } catch (error) {
      // A file that is gone no longer references anything.
      if (error instanceof ViewerError && error.code === 'file_gone') return [];
      throw error;
    }
  }

  return {
    async find(target, options) {
      takeNew();
      await queue.settle(waitMs);
      const { scanComplete } = catalog.progress;
      const isComplete = scanComplete && queue.isSettled() && taken === instances.pointing.length;
      const linked = [byInstance.find(target.sopInstanceUid), bySeries.find(target.seriesInstanceUid)];
      const hasMore = linked.some(({ length }) => length > MOST_LINKS_OF_ONE);
      const pointing = new Map<number, Set<number>>();
      for (const packed of linked.flatMap((some) => some.slice(0, MOST_LINKS_OF_ONE))) {
        const index = Math.floor(packed / LINK_KINDS);
        pointing.set(index, (pointing.get(index) ?? new Set()).add(packed % LINK_KINDS));
      }
      const inOrder = [...pointing].toSorted(([a], [b]) => a - b).slice(0, MOST_REFERRERS);
      const referrers: Referrer[] = [];
      const start = performance.now();
      let at = 0;
      for (; at < inOrder.length; at += READ_AT_ONCE) {
        if (at > 0 && performance.now() - start > readMs) break;
        const some = inOrder.slice(at, at + READ_AT_ONCE);
        const read = await Promise.all(some.map((one) => readReferrers(target, one, options)));
        referrers.push(...read.flat());
      }
      const truncated = isCut || hasMore || pointing.size > Math.min(at, MOST_REFERRERS);
      return { referrers, isComplete, unreadCount, truncated };
    },
    close: () => queue.close(),
  };
}

function isImage({ objectKind }: DicomFile): boolean {
  return objectKind === 'classic_image' || objectKind === 'enhanced_image' || objectKind === 'whole_slide_microscopy';
}

/** All references of one object to one file, combined by relationship. */
function* joinReferences(
  file: DicomFile,
  { sopInstanceUid, seriesInstanceUid }: DicomFile,
  declared: DeclaredReferences,
): WorkInTurns<Referrer[]> {
  const joined = new Map<Relationship, { frames: Set<number>; segments: Set<number>; isWhole: boolean }>();
  for (const reference of referencesTo(declared, { sopInstanceUid, seriesInstanceUid })) {
    const { relationship, frameNumbers, segmentNumbers } = reference;
    const known = joined.get(relationship) ?? { frames: new Set(), segments: new Set(), isWhole: false };
    joined.set(relationship, known);
    if (frameNumbers.length === 0) known.isWhole = true;
    for (const number of frameNumbers) known.frames.add(number);
    for (const number of segmentNumbers) known.segments.add(number);
    yield;
  }
  return [...joined].map(([relationship, { frames, segments, isWhole }]) => ({
    file,
    relationship,
    frameNumbers: isWhole ? [] : ascending(frames),
    segmentNumbers: ascending(segments),
  }));
}

/** Sorting a typed array takes a fifth of the time, and there can be 262,144 numbers. */
function ascending(numbers: ReadonlySet<number>): Int32Array {
  return Int32Array.from(numbers).toSorted();
}
