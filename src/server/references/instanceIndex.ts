import type { Catalog } from '../catalog/catalog.ts';
import type { DicomFile } from '../catalog/dicomFile.ts';

/** Which files of the catalog are which instance. It follows the scan, so that a question costs one look-up. */
export interface InstanceIndex {
  /** Indices of the files with a SOP Instance UID, ascending; several where copies are open. */
  find(sopInstanceUid: string): readonly number[];
  /** Indices of the files of a series, ascending. */
  findSeries(seriesInstanceUid: string): readonly number[];
  /** Indices of the Real World Value Mapping objects, which point to the images that they are about. */
  readonly valueMappings: readonly number[];
}

export function createInstanceIndex(catalog: Pick<Catalog, 'files' | 'subscribe'>): InstanceIndex {
  // A single number for nearly all: a list for each of 100,000 files would take ten times the memory.
  const instances = new Map<string, number | number[]>();
  const series = new Map<string, number[]>();
  const valueMappings: number[] = [];
  let indexed = 0;

  function add({ index, sopInstanceUid, seriesInstanceUid, objectKind }: DicomFile): void {
    if (objectKind === 'real_world_value_mapping') valueMappings.push(index);
    if (seriesInstanceUid !== '') {
      const members = series.get(seriesInstanceUid);
      if (members === undefined) series.set(seriesInstanceUid, [index]);
      else members.push(index);
    }
    if (sopInstanceUid === '') return;
    const known = instances.get(sopInstanceUid);
    if (known === undefined) instances.set(sopInstanceUid, index);
    else if (typeof known === 'number') instances.set(sopInstanceUid, [known, index]);
    else known.push(index);
  }

  function follow(): void {
    for (; indexed < catalog.files.length; indexed += 1) {
      const file = catalog.files[indexed];
      if (file !== undefined) add(file);
    }
  }

  follow();
  catalog.subscribe(follow);
  return {
    find(sopInstanceUid) {
      const found = instances.get(sopInstanceUid);
      return found === undefined ? [] : typeof found === 'number' ? [found] : found;
    },
    findSeries: (seriesInstanceUid) => series.get(seriesInstanceUid) ?? [],
    valueMappings,
  };
}
