import type { Catalog } from '../catalog/catalog.ts';
import type { Volumes } from '../volumes/volumes.ts';
import { createNiftiVolumes, type NiftiContext, type NiftiVolumes } from './nifti/niftiVolumes.ts';
import { createTagTables, type TagTables } from './tags/tagTables.ts';

/** What users take out of the open files, in the formats of other programs. */
export interface Exports {
  readonly nifti: NiftiVolumes;
  readonly tags: TagTables;
}

export type ExportsContext = Omit<NiftiContext, 'files'> & {
  readonly catalog: Pick<Catalog, 'files'>;
  readonly volumes: Volumes;
};

export function createExports({ catalog, volumes, semantics, tasks, memory, software }: ExportsContext): Exports {
  const { files } = catalog;
  return {
    nifti: createNiftiVolumes({ files, volumes, semantics, tasks, memory, software }),
    tags: createTagTables({ files, tasks }),
  };
}
