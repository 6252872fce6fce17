import type { Relationship } from '../../../shared/contract/referenceTerms.ts';
import type { DicomFile } from '../catalog/dicomFile.ts';
import { type DeclaredReferences, namedTargets } from './declaredReferences.ts';
import type { InstanceIndex } from './instanceIndex.ts';

/**
 * The open files that an object references with a relationship, or at all; each once, in the order in which they are
 * named. An instance is looked up once, however often it is named, so that the work is that of the references and of the
 * open files, not their product. Undefined where the caller may end a turn.
 */
export function* listOpenFiles(
  declared: DeclaredReferences,
  relationship: Relationship | undefined,
  { files, instances }: { readonly files: readonly DicomFile[]; readonly instances: InstanceIndex },
): Generator<DicomFile | undefined> {
  const known = new Set<number>();
  for (const target of namedTargets(declared, relationship)) {
    if (target === undefined) yield undefined;
    else {
      for (const index of target.isSeries ? instances.findSeries(target.uid) : instances.find(target.uid)) {
        const isNew = !known.has(index);
        known.add(index);
        yield isNew ? files[index] : undefined;
      }
    }
  }
}
