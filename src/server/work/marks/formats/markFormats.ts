import type { LabelScheme, MarkExportQuery } from '../../../../shared/contract/marks.ts';
import { ViewerError } from '../../../../shared/contract/errors.ts';
import { formatOf, type MarkTextFormat, type MarkTextImport } from '../../../../shared/markFormats.ts';
import { isMask, type MarkPlaceType } from '../../../../shared/markTraits.ts';
import { boundsOfFile } from '../../journal/annotatedFiles.ts';
import type { Catalog } from '../../../images/catalog/catalog.ts';
import type { DicomFile } from '../../../images/catalog/dicomFile.ts';
import type { FrameOptions } from '../../../images/pixels/frames.ts';
import type { SeriesList } from '../../../images/series/seriesList.ts';
import { copyInTurns } from '../../../machine/workers/copyInTurns.ts';
import { doInTurns } from '../../../machine/workers/doInTurns.ts';
import { inPieces, writeArray } from '../../../machine/workers/jsonPieces.ts';
import type { TaskRunner } from '../../../machine/workers/task.ts';
import { filesOfMark, listSlices, type MarkContent, renumberFiles, sizeOfMark } from '../markContent.ts';
import type { Software } from '../derivedObject.ts';
import type { MarkStore } from '../marks.ts';
import type { StoredMark } from '../writeMarks.ts';
import { writeCocoCategory, writeCocoImage } from './text/coco.ts';
import { type MarkedFile, type MarkToWrite, readFormatTask, writeFormatTask } from './formatTasks.ts';
import { writeMarkReportTask } from '../report/markReportTask.ts';
import { adoptFoundMarks, findNamedFiles, type ImportedMarks } from './foundMarks.ts';
import { lossOf } from './lossOf.ts';
import { createMarkPlaces, type MarkFrames } from './markPlaces.ts';

export type WrittenMarks = {
  /** Fails if a file cannot be read, which ends it. */
  readonly pieces: AsyncGenerator<Uint8Array<ArrayBuffer>, void>;
  /** What the format cannot hold. */
  readonly leftOut: readonly string[];
  /** The marks that it holds whole. */
  readonly whole: readonly StoredMark[];
};

/** Marks in the formats of other programs. The files of marks are never written. */
export interface MarkFormats {
  /** Written while it is sent. */
  write(query: MarkExportQuery, options: FrameOptions): Promise<WrittenMarks>;
  /** Throws `invalid_json` if the body is not of the format. Marks that cannot be made are listed. */
  read(
    format: MarkTextImport,
    file: number | undefined,
    body: Uint8Array,
    options: FrameOptions,
  ): Promise<ImportedMarks>;
}

export type MarkFormatsContext = {
  readonly catalog: Pick<Catalog, 'files' | 'get'>;
  readonly series: Pick<SeriesList, 'findStack'>;
  readonly tasks: TaskRunner;
  readonly marks: Pick<MarkStore, 'select' | 'adopt' | 'scheme'>;
  /** Name and version of this program, for the files. */
  readonly software: Software;
};

/** What one task writes. It is copied to the thread, so that more would block the event loop. */
const BATCH = { marks: 200, bytes: 2 ** 20, frames: 10_000 };
/** Memory per byte of a mark while it is written. */
const WRITE_FACTOR = 24;

/** The bytes of the coordinates of one graphic are at most 65,534. */
const MOST_REPORT_POINTS = 8_000;
/** More cannot be written at once. */
const MOST_IN_REPORT = { marks: 5_000, bytes: 8 * 2 ** 20 };

export function createMarkFormats(context: MarkFormatsContext): MarkFormats {
  const { catalog, series, tasks, marks: store, software } = context;
  async function* writeParts(
    chosen: readonly StoredMark[],
    { format, scheme }: { readonly format: MarkTextFormat; readonly scheme: LabelScheme },
    { signal }: FrameOptions,
  ): AsyncGenerator<Uint8Array<ArrayBuffer>, void> {
    const places = createMarkPlaces({ catalog, series, tasks });
    const numbers = createCocoNumbers(scheme);
    const encoder = new TextEncoder();
    const { around: [before, between, ending] = ['', '', ''] } = formatOf(format);
    let isFirst = true;
    let batch = createBatch(catalog);
    const flush = async () => {
      const { input, bytes: markBytes } = batch;
      batch = createBatch(catalog);
      const written = await tasks.run(writeFormatTask, { format, isFirst, ...input }, { of: { markBytes }, signal });
      // The first part is made before anything is sent, so that a failure can still be answered.
      const separated = join(encoder.encode(isFirst ? before : between), written);
      isFirst = false;
      return separated;
    };
    for (const mark of chosen) {
      signal?.throwIfAborted();
      const found = await places.find(mark.content, { signal });
      batch.add(mark, found, format === 'coco' ? numbers.numberMark(mark, found) : NO_NUMBERS, scheme);
      if (batch.isFull()) yield await flush();
    }
    // Without marks, a file has its first line.
    if (!batch.isEmpty() || isFirst) yield await flush();
    const after = format === 'coco' ? writeCocoEnd(numbers, catalog.files, scheme) : [ending];
    for (const piece of inPieces(after)) yield encoder.encode(piece);
  }

  /** Made at once, because a report is one tree. */
  async function* writeReport(
    chosen: readonly StoredMark[],
    scheme: LabelScheme,
    { signal }: FrameOptions,
  ): AsyncGenerator<Uint8Array<ArrayBuffer>, void> {
    const size = chosen.reduce((sum, { content }) => sum + sizeOfMark(content), 0);
    if (chosen.length === 0) throw new ViewerError('mark_not_found', 'there is no mark that a report can hold');
    if (chosen.length > MOST_IN_REPORT.marks || size > MOST_IN_REPORT.bytes) {
      const message = `a report has at most ${MOST_IN_REPORT.marks} marks of ${MOST_IN_REPORT.bytes} bytes; use filters`;
      throw new ViewerError('document_too_large', message);
    }
    const places = createMarkPlaces({ catalog, series, tasks });
    const batch = createBatch(catalog);
    for (const mark of chosen) {
      signal?.throwIfAborted();
      batch.add(mark, await places.find(mark.content, { signal }), NO_NUMBERS, scheme);
    }
    const files = [...batch.indices.keys()].map((index) => catalog.files[index]!);
    const studies = new Set(files.map(({ studyInstanceUid }) => studyInstanceUid));
    if (studies.size > 1) {
      throw new ViewerError(
        'invalid_query',
        `the marks are on images of ${studies.size} studies: choose one with study`,
      );
    }
    const images = files.map((file) => ({
      sopClassUid: file.sopClassUid,
      sopInstanceUid: file.sopInstanceUid,
      seriesInstanceUid: file.seriesInstanceUid,
      studyInstanceUid: file.studyInstanceUid,
      frameCount: boundsOfFile(file).frameCount,
    }));
    const [first] = files;
    if (first === undefined) return;
    yield await tasks.run(
      writeMarkReportTask,
      { source: first.source, images, marks: batch.input.marks, software },
      { of: { file: first, markBytes: batch.bytes }, signal },
    );
  }

  return {
    async write({ format, study, ...query }, options) {
      const { marks, scheme } = await store.select(query);
      const { holds, isByFrame = false, writes } = formatOf(format);
      const chosen: StoredMark[] = [];
      const leftOut = new Map<string, number>();
      const count = (what: string) => leftOut.set(what, (leftOut.get(what) ?? 0) + 1);
      const isInStudy = ({ content }: StoredMark) =>
        filesOfMark(content).some((index) => catalog.files[index]?.studyInstanceUid === study);
      for (const mark of marks) {
        if (study !== undefined && !isInStudy(mark)) continue;
        const { kind, place } = mark.content;
        const isHeld = holds(kind, place.type);
        const isLong = writes === 'study report' && mostPoints(mark.content) > MOST_REPORT_POINTS;
        if (isHeld && !isLong) chosen.push(mark);
        else if (isLong) count(`${kind} with more than ${MOST_REPORT_POINTS} points`);
        else count(nameMark(mark.content));
      }
      const partial = new Set<StoredMark>();
      if (isByFrame) {
        const places = createMarkPlaces({ catalog, series, tasks });
        for (const mark of chosen) {
          const { content } = mark;
          options.signal?.throwIfAborted();
          if (content.place.type !== 'stack' || isMask(content.kind)) continue;
          const { isOrdered, range, frames } = await places.find(content, options);
          if (!isOrdered) {
            count('outlines between drawn ones of a mark whose stack is not known');
            partial.add(mark);
          }
          const drawn = new Set(
            Array.from(listSlices(content.slices), ({ fileIndex, frame }) => `${fileIndex} ${frame}`),
          );
          const framesInOrder = isOrdered ? frames.length / 2 : 0;
          for (let n = 0; n < framesInOrder; n += 1) {
            const isOutside = n < range[0] || n > range[1];
            if (isOutside && drawn.has(`${frames[2 * n]} ${frames[2 * n + 1]}`)) {
              count('outlines outside of the range of their mark');
              partial.add(mark);
            }
          }
        }
      }
      for (const mark of format === 'sr' ? chosen : []) {
        const { content } = mark;
        const loss = lossOf(
          'sr',
          content,
          scheme.classes.find(({ key }) => key === content.class),
        );
        if (loss === undefined) continue;
        count(`${loss} of ${nameMark(content)}`);
        partial.add(mark);
      }
      return {
        whole: chosen.filter((mark) => !partial.has(mark)),
        pieces:
          format === 'sr' ? writeReport(chosen, scheme, options) : writeParts(chosen, { format, scheme }, options),
        leftOut: Array.from(leftOut, ([what, number]) => `${what}: ${number}`),
      };
    },

    async read(format, file, body, { signal }) {
      const chosen = file === undefined ? undefined : catalog.get(file).index;
      const { copy, buffer } = await copyInTurns(body);
      const found = await tasks.run(readFormatTask, { format, body: copy }, { transfer: [buffer], signal });
      const indices = await doInTurns(findNamedFiles(found.files, catalog.files, chosen), signal);
      return adoptFoundMarks(found, { marks: store, files: catalog.files, indices });
    },
  };
}

/** How messages say where a mark is. */
const WHERE: Readonly<Record<MarkPlaceType, string>> = {
  frame: 'on a frame',
  stack: 'through a stack',
  plane: 'on a plane',
  volume: 'in a volume',
  slide: 'on a slide',
};

export function nameMark({ kind, place }: MarkContent): string {
  return `${kind} ${WHERE[place.type]}`;
}

function join(first: Uint8Array, second: Uint8Array): Uint8Array<ArrayBuffer> {
  const joined = new Uint8Array(first.length + second.length);
  joined.set(first);
  joined.set(second, first.length);
  return joined;
}

type MarkNumbers = Pick<MarkToWrite, 'categoryId' | 'imageIds' | 'firstId'>;
const NO_NUMBERS: MarkNumbers = { categoryId: 0, imageIds: new Uint32Array(0), firstId: 0 };

/** The numbers of images, categories and annotations, each from 1. */
function createCocoNumbers({ classes }: LabelScheme) {
  const images = new Map<string, { readonly id: number; readonly file: number; readonly frame: number }>();
  const categories = new Map<string | null, number>(classes.map(({ key }, n) => [key, n + 1]));
  let nextId = 1;
  return {
    images,
    categories,
    numberMark({ content }: StoredMark, { frames }: MarkFrames): MarkNumbers {
      const imageIds = new Uint32Array(frames.length / 2);
      for (let n = 0; n < imageIds.length; n += 1) {
        const [file = 0, frame = 0] = frames.subarray(2 * n, 2 * n + 2);
        const key = `${file} ${frame}`;
        const known = images.get(key) ?? { id: images.size + 1, file, frame };
        images.set(key, known);
        imageIds[n] = known.id;
      }
      const categoryId = categories.get(content.class) ?? categories.size + 1;
      categories.set(content.class, categoryId);
      const firstId = nextId;
      // As many as the mark may have.
      nextId += imageIds.length;
      return { categoryId, imageIds, firstId };
    },
  };
}

function* writeCocoEnd(
  { images, categories }: ReturnType<typeof createCocoNumbers>,
  files: readonly DicomFile[],
  { classes }: LabelScheme,
): Generator<string> {
  yield '\n],"images":';
  yield* writeArray(images.values(), ({ id, file, frame }) => writeCocoImage(id, toMarkedFile(files[file]!), frame));
  yield ',"categories":';
  yield* writeArray(categories, ([key, id]) =>
    writeCocoCategory(
      id,
      key,
      classes.find((one) => one.key === key),
    ),
  );
  yield '}\n';
}

function toMarkedFile(file: DicomFile): MarkedFile {
  const { path, studyInstanceUid, seriesInstanceUid, sopInstanceUid, rows, columns, placement } = file;
  return {
    path,
    studyInstanceUid,
    seriesInstanceUid,
    sopInstanceUid,
    rows: placement?.slide?.totalRows ?? rows,
    columns: placement?.slide?.totalColumns ?? columns,
  };
}

/** Collects marks for one task, with the files that they name. */
function createBatch({ files: all }: MarkFormatsContext['catalog']) {
  const files: MarkedFile[] = [];
  const places = new Map<number, number>();
  const marks: MarkToWrite[] = [];
  let [bytes, frameCount, maskPixels] = [0, 0, 0];
  const placeOf = (index: number): number => {
    const known = places.get(index);
    if (known !== undefined) return known;
    places.set(index, files.length);
    return files.push(toMarkedFile(all[index]!)) - 1;
  };
  return {
    input: { files, marks },
    /** The numbers of these files in the catalog. */
    indices: places,
    get bytes() {
      return bytes * WRITE_FACTOR + frameCount * 1_000 + maskPixels;
    },
    isEmpty: () => marks.length === 0,
    isFull: () => marks.length >= BATCH.marks || bytes >= BATCH.bytes || frameCount >= BATCH.frames,
    add(mark: StoredMark, found: MarkFrames, numbers: MarkNumbers, { classes }: LabelScheme) {
      const { uid, createdAtMs, modifiedAtMs } = mark;
      for (const index of filesOfMark(mark.content)) placeOf(index);
      const content = renumberFiles(mark.content, placeOf);
      const frames = found.frames.map((value, n) => (n % 2 === 0 ? placeOf(value) : value));
      const regions = found.regions.map((one) => ({ ...one, file: placeOf(one.file) }));
      const labelClass = classes.find(({ key }) => key === content.class) ?? null;
      marks.push({ uid, createdAtMs, modifiedAtMs, content, labelClass, ...found, frames, regions, ...numbers });
      bytes += sizeOfMark(content);
      frameCount += frames.length / 2;
      for (const { rectangle } of listSlices(content.slices)) {
        maskPixels = Math.max(maskPixels, (rectangle[2] ?? 0) * (rectangle[3] ?? 0));
      }
    },
  };
}

/** Of the longest of its outlines. */
function mostPoints({ points, slices }: MarkContent): number {
  let most = points.length;
  for (const slice of listSlices(slices)) most = Math.max(most, slice.points.length);
  return most / 2;
}
