import { ViewerError } from '../../../shared/contract/errors.ts';
import type { Catalog } from '../../images/catalog/catalog.ts';
import type { DicomFile } from '../../images/catalog/dicomFile.ts';
import type { StoredValue } from '../../say/documents/storedValue.ts';
import { stateOf } from '../../bytes/origins/origins.ts';
import type { References } from '../../images/references/references.ts';
import { mapInLanes } from '../../machine/workers/mapInLanes.ts';
import { isPassingFailure } from '../../machine/workers/passingFailure.ts';
import type { TaskRunner } from '../../machine/workers/task.ts';
import { findBulkTask, type InstanceFile, writeMetadataTask } from './dicomwebTasks.ts';
import type { SearchQuery } from './parseSearch.ts';
import { instanceAddress, search, type SearchLevel, writeUnavailable } from './search.ts';
import { createStudyTree, isUid, type SeriesNode, type StudyTree } from './studyTree.ts';

/** What a path names: a study, one of its series, or one of its instances. Nothing: all that is open. */
export type Named = {
  readonly study?: string | undefined;
  readonly series?: string | undefined;
  readonly instance?: string | undefined;
};

export type DicomwebOptions = {
  /** The address of the service, as the client knows it. */
  readonly root: string;
  readonly signal: AbortSignal;
};

/** The open files as studies, series and instances, for the routes of DICOMweb. */
export type Dicomweb = {
  /** Throws `not_found`, or `still_scanning` if it may still be found. */
  find(named: Named): Promise<readonly DicomFile[]>;
  /** The results as JSON, and what the client should know about them. */
  search(
    level: SearchLevel,
    named: Named,
    query: SearchQuery,
    options: DicomwebOptions,
  ): Promise<{ readonly records: AsyncGenerator<string, void>; readonly warnings: readonly string[] }>;
  /** The JSON of the files in pieces, separated by commas. */
  metadata(files: readonly DicomFile[], options: DicomwebOptions): AsyncGenerator<Uint8Array<ArrayBuffer>, void>;
  bulk(file: DicomFile, path: string, signal: AbortSignal): Promise<StoredValue>;
  /** The files that are still as they were scanned. */
  listPresent(files: readonly DicomFile[]): Promise<readonly DicomFile[]>;
};

const encoder = new TextEncoder();
/** Files that are handed to a task, which writes as many of them as fit into one piece. */
const BATCH = 16;

export function createDicomweb({
  catalog,
  tasks,
  references,
}: {
  readonly catalog: Catalog;
  readonly tasks: TaskRunner;
  readonly references: Pick<References, 'instances'>;
}): Dicomweb {
  const { instances } = references;
  const follow = createStudyTree({ catalog, instances });

  const findSeries = async ({ study, series }: Named): Promise<{ tree: StudyTree; found: SeriesNode[] }> => {
    const tree = await follow();
    if (study !== undefined && tree.studies.get(study) === undefined) throw notFound(catalog, 'study');
    const nodes = study === undefined ? [...tree.studies.values()] : [tree.studies.get(study)!];
    const all = nodes.flatMap((node) => [...node.series.values()]);
    if (series === undefined) return { tree, found: all };
    const found = all.filter(({ uid }) => uid === series);
    if (found.length === 0) throw notFound(catalog, 'series');
    return { tree, found };
  };

  const list: Dicomweb['find'] = async (named) => {
    for (const uid of [named.study, named.series, named.instance]) {
      if (uid !== undefined && !isUid(uid)) throw new ViewerError('invalid_path', 'a UID has digits and dots only');
    }
    const { study, series, instance } = named;
    if (instance === undefined) {
      const { found } = await findSeries(named);
      return found.flatMap(({ files }) => files.map((index) => catalog.get(index)));
    }
    const found = instances
      .find(instance)
      .map((index) => catalog.get(index))
      .filter((file) => file.seriesInstanceUid === series && file.studyInstanceUid === study);
    const first = found.find(({ index }) => !catalog.gone.files.has(index)) ?? found[0];
    if (first === undefined) throw notFound(catalog, 'instance');
    return [first];
  };

  /** Files of another server may be listed and not read yet. */
  const find: Dicomweb['find'] = async (named) => {
    const files = await list(named);
    await catalog.whenRead(files.map(({ index }) => index));
    return files;
  };

  return {
    find,
    async search(level, named, query, { root, signal }) {
      if (named.study !== undefined) await list(named);
      const { tree, found } = await findSeries(named);
      const records = search(
        { catalog, tasks },
        {
          level,
          series: found,
          isStudyGiven: named.study !== undefined,
          isSeriesGiven: named.series !== undefined,
          query,
          root,
          signal,
        },
      );
      return { records, warnings: listWarnings(tree, query) };
    },
    metadata(files, { root, signal }) {
      const isOne = files.length === 1;
      let hasBegun = false;
      return withNextBegun(inBatches(files), async function* (batch) {
        let most = batch.length;
        for (let from = 0; from < batch.length;) {
          const rest = batch.slice(from, from + most);
          const input = { files: rest.map((file): InstanceFile => toInstanceFile(file, root)), isOne };
          try {
            const { json, count } = await tasks.run(writeMetadataTask, input, { of: rest, signal });
            yield json;
            from += count;
          } catch (error) {
            // One object must not end an answer that has begun.
            if (isOne || signal.aborted || (!hasBegun && isPassingFailure(error))) throw error;
            most = Math.floor(rest.length / 2);
            if (most > 0) continue;
            yield encoder.encode(writeUnavailable(rest[0]!));
            from += 1;
          }
          hasBegun = true;
          most = batch.length;
        }
      });
    },
    bulk: (file, path, signal) => tasks.run(findBulkTask, { source: file.source, path }, { of: file, signal }),
    async listPresent(files) {
      const states = await mapInLanes(files, async (file) => {
        return stateOf(file.source).then(
          () => true,
          () => false,
        );
      });
      return files.filter((_, index) => states[index] === true);
    },
  };
}

function* inBatches(files: readonly DicomFile[]): Generator<readonly DicomFile[], void> {
  for (let from = 0; from < files.length; from += BATCH) yield files.slice(from, from + BATCH);
}

/**
 * What is written of the batches, in their order. While a batch is written, another thread begins with the next one. There are never
 * more than two, because other clients want threads, too.
 */
async function* withNextBegun<Batch, Piece>(
  batches: Iterator<Batch, void>,
  write: (batch: Batch) => AsyncGenerator<Piece, void>,
): AsyncGenerator<Piece, void> {
  const begin = () => {
    const batch = batches.next();
    if (batch.done === true) return undefined;
    const pieces = write(batch.value);
    const first = pieces.next();
    // Whoever comes to this batch gets the failure.
    first.catch(() => undefined);
    return { pieces, first };
  };
  let next = begin();
  while (next !== undefined) {
    const { pieces, first } = next;
    next = begin();
    for (let piece = await first; piece.done !== true; piece = await pieces.next()) yield piece.value;
  }
}

function toInstanceFile(file: DicomFile, root: string): InstanceFile {
  return { source: file.source, address: instanceAddress(root, file) };
}

function notFound(catalog: Catalog, what: string): ViewerError {
  if (catalog.progress.scanComplete) return new ViewerError('not_found', `no such ${what} is open`);
  return new ViewerError('still_scanning', `no such ${what} has been found yet; the scan continues`);
}

function listWarnings({ unaddressed, copies }: StudyTree, { ignored }: SearchQuery): string[] {
  const warnings: string[] = [];
  if (ignored.includes('fuzzymatching')) {
    warnings.push('The fuzzymatching parameter is not supported. Only literal matching has been performed.');
  }
  const others = ignored.filter((name) => name !== 'fuzzymatching');
  if (others.length > 0) warnings.push(`These parameters are not supported: ${others.join(', ')}`);
  if (unaddressed > 0) warnings.push(`${unaddressed} open files have no UIDs and cannot be requested`);
  if (copies > 0) warnings.push(`${copies} open files are copies of instances; the first file of each is used`);
  return warnings;
}
