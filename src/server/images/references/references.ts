import type { Relationship } from '../../../shared/contract/referenceTerms.ts';
import type { Catalog } from '../catalog/catalog.ts';
import type { DicomFile } from '../catalog/dicomFile.ts';
import { stateOf } from '../../bytes/origins/origins.ts';
import type { MemoryAccount } from '../../machine/memory/memoryAccount.ts';
import type { TaskRunner } from '../../machine/workers/task.ts';
import {
  bytesOfReferences,
  type DeclaredReference,
  type DeclaredReferences,
  namesInstance,
  readReferencesTask,
  referenceAt,
} from './declaredReferences.ts';
import { listOpenFiles } from './listOpenFiles.ts';
import { createInstanceIndex, type InstanceIndex } from './instanceIndex.ts';
import { createReferrers, type DeclaredOptions, type Referrers } from './referrers.ts';

/** An open file that a reference points to. */
export type ReferenceMatch = {
  readonly file: DicomFile;
  /** From 0; the referenced frames that the file has, or all of its frames if none is named. */
  readonly frameIndices: FrameIndices;
};

/** Not an array, because an object can reference all frames of a large one thousands of times. */
export type FrameIndices = { readonly length: number; readonly at: (place: number) => number | undefined };

export type ResolvedReference = DeclaredReference & { readonly matches: readonly ReferenceMatch[] };

/** The references of one file. Each is resolved when it is iterated over, against the files open at that time. */
export type FileReferences = Iterable<ResolvedReference> & {
  readonly length: number;
  readonly truncated: boolean;
  /** The open files that they name with a relationship, or at all, each once; undefined where a turn may end. */
  readonly openFiles: (relationship?: Relationship) => Iterable<DicomFile | undefined>;
  /** Whether one of them is to this instance. */
  readonly names: (sopInstanceUid: string) => boolean;
};

export type ReferenceOptions = { readonly signal: AbortSignal | undefined };

/** References between objects. */
export interface References {
  read(file: DicomFile, options: ReferenceOptions): Promise<FileReferences>;
  /** Which open files a reference points to, up to `most` of them. */
  resolve(reference: DeclaredReference, most: number): ResolvedReference;
  readonly instances: InstanceIndex;
  readonly referrers: Referrers;
  /** Stops reading files. */
  close(): void;
}

/** One object with millions of references must not evict those of all others. */
const FEWEST_KEPT = 16;

export type ReferencesContext = {
  readonly catalog: Pick<Catalog, 'files' | 'gone' | 'progress' | 'subscribe'>;
  readonly tasks: TaskRunner;
  readonly memory: MemoryAccount;
  /** How long a query for the referrers of a file waits for objects that have not been read yet. */
  readonly referrerWaitMs?: number;
  /** How long such a query may read the frames that the objects list. */
  readonly referrerReadMs?: number;
};

export function createReferences({
  catalog,
  tasks,
  memory,
  referrerWaitMs = 2_000,
  referrerReadMs = 4_000,
}: ReferencesContext): References {
  const instances = createInstanceIndex(catalog);
  const cache = memory.cache<DeclaredReferences>('references');

  async function declaredBy(
    named: DicomFile,
    { signal, priority = 'interactive' }: DeclaredOptions,
  ): Promise<DeclaredReferences> {
    const file = named.source;
    const key = await stateOf(file);
    const known = cache.get(key);
    if (known !== undefined) return known;
    const declared = await tasks.run(readReferencesTask, file, {
      priority,
      of: named,
      shareKey: `references\0${key}`,
      signal,
    });
    const bytes = bytesOfReferences(declared);
    if (bytes <= memory.plan.references / FEWEST_KEPT) cache.set(key, declared, bytes);
    return declared;
  }

  function resolve(reference: DeclaredReference, most: number): ResolvedReference {
    const { sopInstanceUid, seriesInstanceUid } = reference;
    const named =
      sopInstanceUid === undefined ? instances.findSeries(seriesInstanceUid ?? '') : instances.find(sopInstanceUid);
    const frames = createFrames(reference.frameNumbers);
    const matches = named.slice(0, most).flatMap((index) => {
      const file = catalog.files[index];
      return file === undefined ? [] : [{ file, frameIndices: frames.of(file) }];
    });
    return { ...reference, matches };
  }

  const referrers = createReferrers({
    catalog,
    instances,
    declaredBy,
    waitMs: referrerWaitMs,
    readMs: referrerReadMs,
  });
  return {
    resolve,
    instances,
    referrers,
    close: () => referrers.close(),
    async read(file, options) {
      const declared = await declaredBy(file, options);
      return {
        length: declared.length,
        truncated: declared.truncated,
        openFiles: (relationship) => listOpenFiles(declared, relationship, { files: catalog.files, instances }),
        names: (sopInstanceUid) => namesInstance(declared, sopInstanceUid),
        *[Symbol.iterator]() {
          for (let i = 0; i < declared.length; i += 1) yield resolve(referenceAt(declared, i), Infinity);
        },
      };
    },
  };
}

/**
 * The referenced frames that a file has. They are found when they are first needed, and once for all files with the same
 * number of frames, because hundreds of copies of an object can be open.
 */
function createFrames(frameNumbers: DeclaredReference['frameNumbers']) {
  const found = new Map<number, FrameIndices>();

  function find(frameCount: number): FrameIndices {
    const known = found.get(frameCount);
    if (known !== undefined) return known;
    const isThere = (number: number) => number >= 1 && number <= frameCount;
    const frames = [...new Set(frameNumbers)].filter(isThere).map((number) => number - 1);
    found.set(frameCount, frames);
    return frames;
  }

  return {
    of({ frameCount }: DicomFile): FrameIndices {
      // No frame number means the whole instance.
      if (frameNumbers.length === 0) return { length: frameCount, at: (frame) => frame };
      return {
        get length() {
          return find(frameCount).length;
        },
        at: (place) => find(frameCount).at(place),
      };
    },
  };
}
