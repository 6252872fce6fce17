import type { DicomFile } from '../catalog/dicomFile.ts';
import { stateOf } from '../origins/origins.ts';
import { readMemoryOf } from '../pixels/decodeCost.ts';
import { createKeptWork } from '../pixels/keptWork.ts';
import type { MemoryAccount } from '../memory/memoryAccount.ts';
import type { References, ResolvedReference } from '../references/references.ts';
import type { Task, TaskRunner } from '../workers/task.ts';
import { type DocumentFile, type DocumentLink, type DocumentRecord, readDocumentTask } from './documentTasks.ts';
import { bytesOfReport, readContentTask, type ReportRecord } from './report/reportTasks.ts';
import { createLentVideo } from './video/lentVideo.ts';
import { type FoundVideo, MOST_PACKED_BYTES, type PackedVideo, packVideoTask } from './video/videoTasks.ts';

export type ResolvedLink = DocumentLink & Pick<ResolvedReference, 'matches'>;

export type DocumentOptions = {
  readonly signal: AbortSignal | undefined;
  /** Memory beyond that for reading a header, of a task that reads more elements. */
  readonly moreBytes?: number | undefined;
};

/** What objects say, in a form for people. */
export interface Documents {
  read(file: DicomFile, options: DocumentOptions): Promise<DocumentRecord>;
  /** The video of a file in a form that browsers play; kept, because they ask for it in parts. */
  packVideo(file: DicomFile, found: FoundVideo, options: DocumentOptions): Promise<PackedVideo>;
  /** Which open files a link leads to, up to `MOST_MATCHES`. */
  resolve(link: DocumentLink): ResolvedLink;
  /** The content tree of a report, read once for all of its pages. `bad_request` for other objects. */
  readContent(file: DicomFile, options: DocumentOptions): Promise<ReportRecord>;
  /** The first items of a report, without reading the rest of it. */
  readFirstContent(file: DicomFile, first: number, options: DocumentOptions): Promise<ReportRecord>;
  /**
   * Runs a task of a kind of document, such as reading a page of a report. `query` is everything that its answer depends
   * on apart from the file.
   */
  run<Query extends object, Output>(
    task: Task<Query & DocumentFile, Output>,
    file: DicomFile,
    query: Query,
    options: DocumentOptions,
  ): Promise<Output>;
}

/** Copies of one instance that are listed. */
const MOST_MATCHES = 16;
const READ_TIMEOUT_MS = 30_000;
const PACK_TIMEOUT_MS = 120_000;
/** The stream, its packets, and the file that is made of them, which grows by doubling. */
const PACKED_COPIES = 5;
const PACK_BYTES = 32 * 2 ** 20;

export type DocumentsContext = {
  readonly tasks: TaskRunner;
  readonly references: Pick<References, 'resolve'>;
  readonly memory: MemoryAccount;
};

/** Reports are read up to twice as many elements as other objects. */
const MORE_REPORT_BYTES = 40 * 2 ** 20;
const OBJECTS_FACTOR = 12;

export function createDocuments({ tasks, references, memory }: DocumentsContext): Documents {
  const reports = createKeptWork({ cache: memory.cache<ReportRecord>('documents'), bytesOf: bytesOfReport });
  const videoCache = memory.cache<PackedVideo>('videos');
  const lentVideo = createLentVideo(memory.tasks);
  const videos = createKeptWork({
    cache: videoCache,
    bytesOf: ({ bytes }: PackedVideo) => bytes.length,
  });
  const run: Documents['run'] = async (task, file, query, { signal, moreBytes = 0 }) => {
    const { bytes } = readMemoryOf(file);
    const { source, sopClassUid, transferSyntaxUid } = file;
    return tasks.run(
      task,
      { ...query, source, sopClassUid, transferSyntaxUid },
      {
        timeoutMs: READ_TIMEOUT_MS,
        memory: { bytes: bytes + moreBytes, isUpperBound: true },
        shareKey: `${task.name}\0${await stateOf(source)}\0${JSON.stringify(query)}`,
        signal,
      },
    );
  };
  return {
    run,
    read: (file, options) => run(readDocumentTask, file, {}, options),
    async readContent(file, { signal }) {
      const key = await stateOf(file.source);
      const moreBytes = moreBytesOf(file);
      const { value } = await reports.get(key, { signal }, (ending) =>
        run(readContentTask, file, {}, { signal: ending, moreBytes }),
      );
      return value;
    },
    readFirstContent: (file, first, { signal }) =>
      run(readContentTask, file, { first }, { signal, moreBytes: moreBytesOf(file) }),
    async packVideo({ source, sopClassUid, transferSyntaxUid }, { length }, { signal }) {
      const key = await stateOf(source);
      const lent = lentVideo.find(key);
      if (lent !== undefined) return lent;
      const { value } = await videos.get(key, { signal }, (aborted) =>
        tasks.run(
          packVideoTask,
          { source, sopClassUid, transferSyntaxUid },
          {
            timeoutMs: PACK_TIMEOUT_MS,
            memory: { bytes: PACK_BYTES + PACKED_COPIES * Math.min(length, MOST_PACKED_BYTES) },
            key,
            signal: aborted,
          },
        ),
      );
      if (value.bytes.length > videoCache.budgetBytes) lentVideo.keep(key, value);
      return value;
    },
    resolve: (link) => ({ ...link, matches: references.resolve(link, MOST_MATCHES).matches }),
  };
}

/** Memory for the elements of a report beyond those of a header. */
export function moreBytesOf({ fileBytes }: Pick<DicomFile, 'fileBytes'>): number {
  return Math.min(OBJECTS_FACTOR * fileBytes, MORE_REPORT_BYTES);
}
