import type { Catalog } from '../catalog/catalog.ts';
import type { MemoryAccount } from '../../machine/memory/memoryAccount.ts';
import type { Semantics } from '../semantics/semantics.ts';
import type { Volumes } from '../volumes/volumes.ts';
import type { TaskRunner } from '../../machine/workers/task.ts';
import { createNiftiVolumes, type NiftiVolumes } from './nifti/niftiVolumes.ts';
import { createTagTables, type TagTables } from './tags/tagTables.ts';

/** What users take out of the open files, in the formats of other programs. */
export interface Exports {
  readonly nifti: NiftiVolumes;
  readonly tags: TagTables;
}

export type ExportsContext = {
  readonly catalog: Pick<Catalog, 'files'>;
  readonly volumes: Volumes;
  readonly semantics: Pick<Semantics, 'values'>;
  readonly tasks: TaskRunner;
  readonly memory: MemoryAccount;
  /** Name and version of this program, for the files. */
  readonly software: { readonly name: string; readonly version: string };
};

export function createExports({ catalog, volumes, semantics, tasks, memory, software }: ExportsContext): Exports {
  const { files } = catalog;
  return {
    nifti: createNiftiVolumes({ files, volumes, semantics, tasks, memory, software }),
    tags: createTagTables({ files, tasks }),
  };
}
