import type { DicomFile } from '../../images/catalog/dicomFile.ts';
import { stateOf } from '../../bytes/origins/origins.ts';
import { createKeptWork } from '../../images/pixels/keptWork.ts';
import type { MemoryAccount } from '../../machine/memory/memoryAccount.ts';
import type { References, ResolvedReference } from '../../images/references/references.ts';
import type { TaskRunner } from '../../machine/workers/task.ts';
import { type DocumentLink, type DocumentRecord, type DocumentTask, readDocumentTask } from './documentTasks.ts';
import { bytesOfReport, readContentTask, type ReportRecord } from './report/reportTasks.ts';
import { createLentVideo } from './video/lentVideo.ts';
import { type FoundVideo, type PackedVideo, packVideoTask } from './video/videoTasks.ts';

export type ResolvedLink = DocumentLink & Pick<ResolvedReference, 'matches'>;

export type DocumentOptions = {
  readonly signal: AbortSignal | undefined;
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
    task: DocumentTask<Query, Output>,
    file: DicomFile,
    query: Query,
    options: DocumentOptions,
  ): Promise<Output>;
}

/** Copies of one instance that are listed. */
const MOST_MATCHES = 16;

export type DocumentsContext = {
  readonly tasks: TaskRunner;
  readonly references: Pick<References, 'resolve'>;
  readonly memory: MemoryAccount;
};

export function createDocuments({ tasks, references, memory }: DocumentsContext): Documents {
  const reports = createKeptWork({ cache: memory.cache<ReportRecord>('documents'), bytesOf: bytesOfReport });
  const videoCache = memory.cache<PackedVideo>('videos');
  const lentVideo = createLentVideo(memory.tasks);
  const videos = createKeptWork({
    cache: videoCache,
    bytesOf: ({ bytes }: PackedVideo) => bytes.length,
  });
  const run: Documents['run'] = async (task, file, query, { signal }) => {
    const { source, sopClassUid, transferSyntaxUid } = file;
    return tasks.run(
      task,
      { ...query, source, sopClassUid, transferSyntaxUid },
      {
        of: file,
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
      const { value } = await reports.get(key, { signal }, (ending) =>
        run(readContentTask, file, {}, { signal: ending }),
      );
      return value;
    },
    readFirstContent: (file, first, options) => run(readContentTask, file, { first }, options),
    async packVideo({ source, sopClassUid, transferSyntaxUid }, { length }, { signal }) {
      const key = await stateOf(source);
      const lent = lentVideo.find(key);
      if (lent !== undefined) return lent;
      const { value } = await videos.get(key, { signal }, (aborted) =>
        tasks.run(
          packVideoTask,
          { source, sopClassUid, transferSyntaxUid },
          {
            of: { length },
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
