import { ViewerError } from '../../../shared/contract/errors.ts';
import { describeFrameDamage } from '../../../shared/frameDamage.ts';
import { SKIP_REASON_TEXTS } from '../../../shared/skipReasonTexts.ts';
import { isHarmful } from '../../machine/workers/taskErrors.ts';
import type { DicomFile } from '../catalog/dicomFile.ts';
import { decodeCostOf } from '../pixels/decodeCost.ts';
import { type AuditContext, type AuditPart, waitUntilFree, workAhead } from './auditWork.ts';
import { decodeFramesTask, type FrameTrouble } from './decodeTask.ts';
import { countWords, fileUnit, type FindingList, listFoundFiles, toFinding } from './finding.ts';

/** Frames of a file that one task decodes. */
const CHUNK = 8;
/** Tasks at a time. */
const AHEAD = 2;
const MOST_NAMED = 20;

/** Decodes every frame once, and lists what is damaged and what cannot be decoded. */
export const findUnreadable: AuditPart = async (context, run, list) => {
  const { files, signal, onProgress } = run;
  const images = files.filter(({ hasPixels, objectKind }) => hasPixels && objectKind !== 'video');
  const total = images.reduce((sum, { frameCount }) => sum + frameCount, 0);
  let done = 0;
  let current: DicomFile | undefined;
  let troubles: FrameTrouble[] = [];
  const settle = () => {
    if (current !== undefined) describeTroubles(current, troubles, list);
    troubles = [];
  };
  const decode = (chunk: Chunk) => decodeChunk(context, chunk, signal);
  for await (const { item, result } of workAhead(chunksOf(images), AHEAD, decode)) {
    if (item.file !== current) settle();
    current = item.file;
    for (const trouble of result) troubles.push(trouble);
    done += item.count;
    onProgress({ doing: 'frames', done, total });
  }
  settle();
  listSkipped(context, list);
  return true;
};

type Chunk = { readonly file: DicomFile; readonly first: number; readonly count: number };

function* chunksOf(files: readonly DicomFile[]): Generator<Chunk, void> {
  for (const file of files) {
    for (let first = 0; first < file.frameCount; first += CHUNK) {
      yield { file, first, count: Math.min(CHUNK, file.frameCount - first) };
    }
    // A file of which no frame can be found.
    if (file.frameCount === 0) yield { file, first: 0, count: 0 };
  }
}

async function decodeChunk(
  { tasks, memory, catalog }: AuditContext,
  { file, first, count }: Chunk,
  signal: AbortSignal,
): Promise<readonly FrameTrouble[]> {
  if (file.supportState !== 'renderable' || count === 0) {
    const problem = file.supportReason?.replace('.', ': ').replaceAll('_', ' ') ?? 'there is no complete frame';
    return failAll({ first, count: Math.max(1, count) }, problem);
  }
  await catalog.whenRead([file.index]);
  const of = decodeCostOf(file, memory.plan.tasks);
  const options = { of, signal, priority: 'prefetch', isAwaited: true } as const;
  const input = { source: file.source, first, count };
  try {
    return await waitUntilFree(signal, () => tasks.run(decodeFramesTask, input, options));
  } catch (error) {
    if (signal.aborted || !(isHarmful(error) || error instanceof ViewerError)) throw error;
    const problem = error instanceof ViewerError ? error.message : 'decoding was ended: it took too long or failed';
    return failAll({ first, count }, problem);
  }
}

function failAll({ first, count }: Omit<Chunk, 'file'>, problem: string): FrameTrouble[] {
  return Array.from({ length: count }, (_, at) => ({ frame: first + at, problem, damage: undefined }));
}

function describeTroubles(file: DicomFile, troubles: readonly FrameTrouble[], list: FindingList): void {
  const failed = troubles.filter(({ problem }) => problem !== undefined);
  const damaged = troubles.filter(({ damage }) => damage !== undefined);
  const add = (code: 'frame_unreadable' | 'frame_damaged', some: readonly FrameTrouble[], why: string) =>
    list.add(
      toFinding({
        code,
        unit: fileUnit(file),
        files: listFoundFiles([file]),
        count: some.length,
        message: `${countWords(some.length, 'frame')} of ${file.frameCount}: ${why}`,
        values: { frames: some.slice(0, MOST_NAMED).map(({ frame }) => frame), all_frames: file.frameCount },
      }),
    );
  const [first] = failed;
  if (first?.problem !== undefined) add('frame_unreadable', failed, first.problem);
  const [worst] = damaged;
  if (worst?.damage !== undefined) add('frame_damaged', damaged, describeFrameDamage(worst.damage, 'the frame'));
}

/** Files that the scan did not list: with those that are not DICOM, which is no trouble in most folders. */
function listSkipped({ catalog }: AuditContext, list: FindingList): void {
  for (const [reason, count] of catalog.skippedByReason()) {
    const { entries } = catalog.notShown({ reason, offset: 0, limit: MOST_NAMED });
    list.add(
      toFinding({
        code: 'file_skipped',
        ...(reason === 'not_dicom' && { level: 'info' as const }),
        unit: { kind: 'group', id: reason, name: SKIP_REASON_TEXTS[reason] },
        files: [],
        count,
        message: `${countWords(count, 'file')}: ${SKIP_REASON_TEXTS[reason]}`,
        values: { reason, paths: entries.map(({ path }) => path) },
      }),
    );
  }
}
