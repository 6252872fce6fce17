import { ViewerError } from '../../../shared/contract/errors.ts';
import { MIB } from '../../machine/system/mib.ts';
import type { MemoryAccount } from '../../machine/memory/memoryAccount.ts';
import type { TaskRunner } from '../../machine/workers/task.ts';
import { isHarmful } from '../../machine/workers/taskErrors.ts';
import { waitUntilFree, workAhead } from '../audits/auditWork.ts';
import type { Catalog } from '../catalog/catalog.ts';
import type { DicomFile } from '../catalog/dicomFile.ts';
import { decodeCostOf } from '../pixels/decodeCost.ts';
import {
  type CopiedFrame,
  copyFrameTask,
  type CopyName,
  type CopyPiece,
  type CopyPlan,
  type CopyProfile,
  type CopyRefusal,
  type DecodedFrames,
  planCopyTask,
  readStoredTask,
} from './copyTasks.ts';

/** A copy that can be written, or why there is none. */
export type Copy =
  | {
      readonly file: DicomFile;
      readonly name: CopyName;
      readonly isRedacted: boolean;
      readonly pieces: AsyncIterable<Uint8Array>;
    }
  | { readonly file: DicomFile; readonly refusal: CopyRefusal | 'failed'; readonly detail: string };

/** A copy that was begun cannot be finished. */
export class CopyFailure extends Error {
  override readonly name = 'CopyFailure';
}

/** Makes copies of files in which identifiers are replaced by the rules of a masked run. The files are only read. */
export interface Copies {
  /** In the order of the files. The pieces of a copy are read while they are taken, and before the next copy. */
  make(files: readonly DicomFile[], profile: CopyProfile, signal: AbortSignal): AsyncIterable<Copy>;
}

type CopiesContext = {
  readonly tasks: TaskRunner;
  readonly memory: Pick<MemoryAccount, 'plan'>;
  readonly catalog: Pick<Catalog, 'whenRead'>;
};

/** Files whose headers are read ahead. */
const AHEAD = 3;
const PIECE = 4 * MIB;
/** Of a deflated data set, which each task inflates as far as it reads. */
const INFLATED_PIECE = 32 * MIB;

type Planned = { readonly plan: CopyPlan; readonly frames?: DecodedFrames; readonly littleEndian: boolean };
type FrameWish = { readonly frame: number; readonly littleEndian: boolean; readonly signal: AbortSignal };
type Reading = Omit<FrameWish, 'frame'> & { readonly frames: DecodedFrames | undefined };
type StoredPiece = Extract<CopyPiece, { kind: 'stored' }>;

export function createCopies({ tasks, memory, catalog }: CopiesContext): Copies {
  const background = { priority: 'prefetch', isAwaited: true } as const;

  async function plan(file: DicomFile, profile: CopyProfile, signal: AbortSignal): Promise<Planned> {
    await catalog.whenRead([file.index]);
    const { source } = file;
    const make = (frames: DecodedFrames | undefined) =>
      waitUntilFree(signal, () =>
        tasks.run(planCopyTask, { source, profile, frames }, { of: file, signal, ...background }),
      );
    const first = await make(undefined);
    if (first.kind !== 'decode') return { plan: first, littleEndian: true };
    const { frameCount, littleEndian } = first;
    if (frameCount > file.frameCount || file.supportState !== 'renderable') {
      return { plan: { kind: 'refused', refusal: 'not_decoded', detail: '' }, littleEndian };
    }
    const { frameBytes, samplesPerPixel, bitsAllocated, photometricInterpretation } = await decode(file, {
      frame: 0,
      littleEndian,
      signal,
    });
    const same = { count: frameCount, frameBytes, samplesPerPixel, bitsAllocated, photometricInterpretation };
    return { plan: await make(same), frames: same, littleEndian };
  }

  /** A failure is a value: the other files are copied all the same. */
  async function tryPlan(file: DicomFile, profile: CopyProfile, signal: AbortSignal): Promise<Planned> {
    try {
      return await plan(file, profile, signal);
    } catch (error) {
      const detail = explain(error, signal);
      return { plan: { kind: 'refused', refusal: 'failed', detail }, littleEndian: true };
    }
  }

  function decode(file: DicomFile, { frame, littleEndian, signal }: FrameWish): Promise<CopiedFrame> {
    const of = decodeCostOf(file, memory.plan.tasks);
    const input = { source: file.source, frame, littleEndian };
    return waitUntilFree(signal, () => tasks.run(copyFrameTask, input, { of, signal, ...background }));
  }

  async function* readPieces(file: DicomFile, pieces: readonly CopyPiece[], { frames, littleEndian, signal }: Reading) {
    try {
      for (const piece of pieces) {
        if (piece.kind === 'bytes') yield piece.bytes;
        else if (piece.kind === 'stored') yield* readStoredPiece(file, piece, signal);
        else if (frames !== undefined) yield* readFrames(file, frames, { littleEndian, signal });
      }
    } catch (error) {
      throw new CopyFailure(explain(error, signal), { cause: error });
    }
  }

  async function* readStoredPiece(file: DicomFile, piece: StoredPiece, signal: AbortSignal) {
    const { offset, length, isInflated, blanks } = piece;
    const step = isInflated ? INFLATED_PIECE : PIECE;
    for (let at = 0; at < length; at += step) {
      const size = Math.min(step, length - at);
      const inside = blanks.filter((blank) => {
        return blank.offset + blank.length > offset + at && blank.offset < offset + at + size;
      });
      const input = { source: file.source, offset: offset + at, length: size, isInflated, blanks: inside };
      yield await waitUntilFree(signal, () => tasks.run(readStoredTask, input, { of: file, signal, ...background }));
    }
  }

  async function* readFrames(file: DicomFile, frames: DecodedFrames, reading: Omit<Reading, 'frames'>) {
    for (let frame = 0; frame < frames.count; frame += 1) {
      const decoded = await decode(file, { frame, ...reading });
      const isSame =
        decoded.frameBytes === frames.frameBytes &&
        decoded.bitsAllocated === frames.bitsAllocated &&
        decoded.photometricInterpretation === frames.photometricInterpretation;
      if (!isSame) throw new ViewerError('pixel_decode_failed', `frame ${frame} differs from the first one`);
      yield decoded.bytes;
    }
  }

  return {
    async *make(files, profile, signal) {
      const planned = workAhead(files, AHEAD, (file) => tryPlan(file, profile, signal));
      for await (const { item: file, result } of planned) {
        const { plan: made, frames, littleEndian } = result;
        if (made.kind === 'copy') {
          yield {
            file,
            name: made.name,
            isRedacted: frames !== undefined,
            pieces: readPieces(file, made.pieces, { frames, littleEndian, signal }),
          };
        } else if (made.kind === 'refused') yield { file, refusal: made.refusal, detail: made.detail };
      }
    },
  };
}

/** What is wrong with one file; everything else is thrown. */
function explain(error: unknown, signal: AbortSignal): string {
  if (signal.aborted || !(isHarmful(error) || error instanceof ViewerError)) throw error;
  return error instanceof ViewerError ? error.message : 'reading it was ended: it took too long or failed';
}
