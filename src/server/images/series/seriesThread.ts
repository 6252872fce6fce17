import { readPieces, startAskedThread } from '../../machine/workers/askedThread.ts';
import { startThread, type StartThread } from '../../machine/workers/startThread.ts';
import type { KeyFrames } from './keyFrames.ts';
import type {
  AnswerMoment,
  FoundKeyFrames,
  FoundStack,
  InspectedSeries,
  SeriesPiece,
  SeriesReply,
  SeriesRequest,
  WantedInspection,
  WantedKeyFrames,
  WantedStack,
} from './seriesMessages.ts';
import type { LargeStack, PackedStack } from './stackRecord.ts';

/** A thread that builds and writes the series of the files that it receives. */
export interface SeriesThread {
  send(facts: Extract<SeriesRequest, { kind: 'files' | 'read' | 'place' | 'gone' }>): void;
  /** The response of /series with everything sent so far, written as it is read. Rejects if the thread has died. */
  answer(moment: AnswerMoment): Promise<AsyncGenerator<Uint8Array<ArrayBuffer>, void>>;
  /** The stack of a frame of a file, built from everything sent so far. Rejects if the thread has died. */
  findStack(wanted: WantedStack): Promise<PackedStack | LargeStack | undefined>;
  /** The frames that stand for a series; undefined if there is no such series. Rejects if the thread has died. */
  findKeyFrames(wanted: WantedKeyFrames): Promise<KeyFrames | undefined>;
  /** What is odd about the geometry of some series. Rejects if the thread has died. */
  inspect(wanted: WantedInspection): Promise<InspectedSeries>;
  end(): Promise<unknown>;
}

/**
 * What is built is kept, so a larger young generation would only take memory and keep it. The stacks of a million images
 * take half of the old generation; if it runs out, this thread ends and is restarted, but not the process.
 */
const LIMITS = { maxOldGenerationSizeMb: 1024, maxYoungGenerationSizeMb: 4 };

export function startSeriesThread(
  onDeath: (thread: SeriesThread) => void,
  start: StartThread = startThread,
): SeriesThread {
  const worker = startAskedThread<SeriesRequest, SeriesReply>({
    name: 'series.worker',
    limits: LIMITS,
    start,
    onDeath: () => onDeath(thread),
  });
  worker.post({ kind: 'start' });

  const thread: SeriesThread = {
    send: (facts) => worker.post(facts),
    async answer(moment) {
      const first = await worker.ask<SeriesPiece>((answer) => ({ kind: 'begin', answer, ...moment }));
      const { answer } = first;
      return readPieces(first, {
        next: () => worker.askAgain<SeriesPiece>(answer, { kind: 'continue', answer }),
        drop: () => worker.post({ kind: 'drop', answer }),
      });
    },
    async findStack(wanted) {
      return (await worker.ask<FoundStack>((answer) => ({ kind: 'stack', answer, ...wanted }))).stack;
    },
    async findKeyFrames(wanted) {
      return (await worker.ask<FoundKeyFrames>((answer) => ({ kind: 'keyFrames', answer, ...wanted }))).keyFrames;
    },
    inspect: (wanted) => worker.ask<InspectedSeries>((answer) => ({ kind: 'inspect', answer, ...wanted })),
    end: () => worker.end(),
  };
  return thread;
}
