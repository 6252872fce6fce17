import type { ObjectKind } from '../../../shared/contract/files.ts';
import type { Catalog } from '../catalog/catalog.ts';
import type { DicomFile } from '../catalog/dicomFile.ts';
import { FilesByUid } from './filesByUid.ts';
import { FirstFileByUid } from './firstFileByUid.ts';

/**
 * Maps instances to the files of the catalog. It follows the scan, so that a query costs one lookup. Files that have vanished
 * are left out where others are there: a file that was moved is another one.
 */
export interface InstanceIndex {
  /** Indices of the files with a SOP Instance UID, ascending; several if copies are open. */
  find(sopInstanceUid: string): readonly number[];
  /** Indices of the files of a series, ascending. */
  findSeries(seriesInstanceUid: string): readonly number[];
  /** Indices of the Real World Value Mapping objects, which reference the images that they describe. */
  readonly valueMappings: readonly number[];
  /** Indices of the objects that describe others, and of images derived from others. */
  readonly pointing: readonly number[];
}

/** Kinds of objects that describe other objects. */
const POINTING_KINDS: ReadonlySet<ObjectKind> = new Set<ObjectKind>([
  'segmentation',
  'parametric_map',
  'real_world_value_mapping',
  'presentation_state',
  'registration',
  'structured_report',
  'key_object_selection',
  'radiation_therapy',
]);

export function createInstanceIndex(catalog: Pick<Catalog, 'files' | 'gone' | 'subscribe'>): InstanceIndex {
  const instances = new FirstFileByUid((file) => catalog.files[file]?.sopInstanceUid);
  /** All files with a UID that several have. */
  const copies = new FilesByUid();
  const series = new FilesByUid();
  const valueMappings: number[] = [];
  const pointing: number[] = [];
  let indexed = 0;

  function add(file: DicomFile): void {
    const { index, sopInstanceUid, seriesInstanceUid, objectKind } = file;
    if (objectKind === 'real_world_value_mapping') valueMappings.push(index);
    if (POINTING_KINDS.has(objectKind) || isDerived(file)) pointing.push(index);
    if (seriesInstanceUid !== '') series.add(seriesInstanceUid, index);
    if (sopInstanceUid !== '') addInstance(sopInstanceUid, index);
  }

  function addInstance(uid: string, index: number): void {
    const first = instances.add(uid, index);
    if (first === undefined) return;
    if (copies.find(uid).length === 0) copies.add(uid, first);
    copies.add(uid, index);
  }

  function findInstances(uid: string): readonly number[] {
    const first = instances.find(uid);
    if (first === undefined) return [];
    const all = copies.find(uid);
    return all.length === 0 ? [first] : all;
  }

  function follow(): void {
    for (; indexed < catalog.files.length; indexed += 1) {
      const file = catalog.files[indexed];
      if (file !== undefined) add(file);
    }
  }

  /** Without files that have vanished; once for each list, because it may be long and named very often. */
  const present = new Map<readonly number[], { readonly of: number; readonly left: readonly number[] }>();
  let goneChanges = catalog.gone.changes;

  function withoutGone(found: readonly number[]): readonly number[] {
    const { files: gone, changes } = catalog.gone;
    if (gone.size === 0 || found.length < 2) return found;
    if (changes !== goneChanges) present.clear();
    goneChanges = changes;
    const known = present.get(found);
    // Files are added to the list while the scan runs.
    if (known?.of === found.length) return known.left;
    const others = found.filter((index) => !gone.has(index));
    const left = others.length === 0 ? found : others;
    present.set(found, { of: found.length, left });
    return left;
  }

  follow();
  catalog.subscribe(follow);
  return {
    find: (sopInstanceUid) => withoutGone(findInstances(sopInstanceUid)),
    findSeries: (seriesInstanceUid) => withoutGone(series.find(seriesInstanceUid)),
    valueMappings,
    pointing,
  };
}

/** Value 1 of Image Type. PS3.3 C.7.6.1.1.2. */
function isDerived({ placement }: DicomFile): boolean {
  return placement?.imageType.startsWith('DERIVED') === true;
}
