import { createByteCache } from '../../shared/byteCache.ts';
import type { Catalog } from '../catalog/catalog.ts';
import type { DicomFile } from '../catalog/dicomFile.ts';
import { checkSameFile, keyOfFile } from '../dicom/checkSameFile.ts';
import type { KnownFile } from '../dicom/openSameFile.ts';
import type { TaskRunner } from '../workers/task.ts';
import {
  bytesOfReferences,
  type DeclaredReference,
  type DeclaredReferences,
  referenceAt,
} from './declaredReferences.ts';
import { createInstanceIndex, type InstanceIndex } from './instanceIndex.ts';
import { readReferencesTask } from './referencesTask.ts';

/** An open file that a reference names. */
export type ReferenceMatch = {
  readonly file: DicomFile;
  /** From 0; those of the named frames that the file has, or all of them where none is named. */
  readonly frameIndices: readonly number[];
};

export type ResolvedReference = DeclaredReference & { readonly matches: readonly ReferenceMatch[] };

/** The references of one file. Each is resolved when it is looked at, against the files that are open by then. */
export type FileReferences = Iterable<ResolvedReference> & { readonly length: number; readonly truncated: boolean };

export type ReferenceOptions = { readonly signal?: AbortSignal | undefined };

/** Which object points to which. */
export interface References {
  read(file: DicomFile, options?: ReferenceOptions): Promise<FileReferences>;
  readonly instances: InstanceIndex;
}

const CACHE_BYTES = 16 * 1024 * 1024;
const TIMEOUT_MS = 20_000;

export function createReferences({
  catalog,
  tasks,
}: {
  readonly catalog: Pick<Catalog, 'files' | 'subscribe'>;
  readonly tasks: TaskRunner;
}): References {
  const instances = createInstanceIndex(catalog);
  const cache = createByteCache<DeclaredReferences>(CACHE_BYTES);

  async function declaredBy(file: KnownFile, { signal }: ReferenceOptions): Promise<DeclaredReferences> {
    const key = keyOfFile(file);
    const known = cache.get(key);
    if (known !== undefined) {
      await checkSameFile(file);
      return known;
    }
    const declared = await tasks.run(readReferencesTask, file, {
      timeoutMs: TIMEOUT_MS,
      shareKey: `references\0${key}`,
      ...(signal !== undefined && { signal }),
    });
    cache.set(key, declared, bytesOfReferences(declared));
    return declared;
  }

  function resolve(reference: DeclaredReference): ResolvedReference {
    const { sopInstanceUid, seriesInstanceUid } = reference;
    const named =
      sopInstanceUid === undefined ? instances.findSeries(seriesInstanceUid ?? '') : instances.find(sopInstanceUid);
    const matches = named.flatMap((index) => {
      const file = catalog.files[index];
      return file === undefined ? [] : [{ file, frameIndices: framesOf(file, reference.frameNumbers) }];
    });
    return { ...reference, matches };
  }

  return {
    instances,
    async read({ realPath: path, identity }, options = {}) {
      const declared = await declaredBy({ path, identity }, options);
      return {
        length: declared.length,
        truncated: declared.truncated,
        *[Symbol.iterator]() {
          for (let i = 0; i < declared.length; i += 1) yield resolve(referenceAt(declared, i));
        },
      };
    },
  };
}

/** No frame number means the whole instance. */
function framesOf({ frameCount }: DicomFile, frameNumbers: readonly number[]): number[] {
  if (frameNumbers.length === 0) return Array.from({ length: frameCount }, (_, frame) => frame);
  return [...new Set(frameNumbers)].map((number) => number - 1).filter((frame) => frame < frameCount);
}
