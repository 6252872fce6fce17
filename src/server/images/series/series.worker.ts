import { type MessagePort, parentPort } from 'node:worker_threads';
import { PackedFile } from '../catalog/packedFile.ts';
import { inPieces } from '../../machine/workers/jsonPieces.ts';
import { standBack } from '../../machine/workers/standBack.ts';
import { type GeometryFinding, inspectGeometry } from './inspectGeometry.ts';
import type { InspectedSeries, SeriesReply, SeriesRequest } from './seriesMessages.ts';
import { createSeriesStacks, type SeriesStacks } from './seriesStacks.ts';
import { buffersOf, packStack } from './stackRecord.ts';
import { writeSeries } from './writeSeries.ts';

/** Large enough that the messages cost little, and small enough for slow clients. */
const PIECE = { length: 256 * 1024, ms: Infinity };

// Entry point of the thread that builds and writes the series: for many files both take long and create much garbage,
// whose collection would delay other requests.
function serve(port: MessagePort): void {
  standBack();
  let stacks = createSeriesStacks();
  const answers = new Map<number, Iterator<string, void>>();
  const text = new TextEncoder();

  function sendNext(answer: number): void {
    const next = answers.get(answer)?.next();
    if (next === undefined) return;
    if (next.done) {
      answers.delete(answer);
      port.postMessage({ answer, piece: undefined } satisfies SeriesReply);
      return;
    }
    const piece = text.encode(next.value);
    port.postMessage({ answer, piece } satisfies SeriesReply, [piece.buffer]);
  }

  port.on('message', (request: SeriesRequest) => {
    switch (request.kind) {
      case 'start':
        stacks = createSeriesStacks();
        answers.clear();
        return;
      case 'files':
        for (const file of PackedFile.ofRows(request.rows, stacks.files.length)) stacks.add(file);
        return;
      case 'read':
        for (const file of PackedFile.ofRows(request.rows, request.fileIndex)) stacks.replace(file);
        return;
      case 'place':
        stacks.place(request.fileIndex, request.geometry);
        return;
      case 'gone':
        stacks.leaveOut(request.files);
        return;
      case 'begin':
        answers.set(request.answer, inPieces(writeSeries(stacks.build(), request, stacks), PIECE));
        sendNext(request.answer);
        return;
      case 'continue':
        sendNext(request.answer);
        return;
      case 'stack': {
        const found = stacks.findStack(request);
        const stack = found === undefined || found.kind === 'too_many_frames' ? found : packStack(found);
        const moved = stack === undefined || stack.kind === 'too_many_frames' ? [] : buffersOf(stack);
        port.postMessage({ answer: request.answer, stack } satisfies SeriesReply, moved);
        return;
      }
      case 'keyFrames':
        port.postMessage({ answer: request.answer, keyFrames: stacks.findKeyFrames(request) } satisfies SeriesReply);
        return;
      case 'inspect': {
        const inspected = inspectFrom(stacks, request.from);
        port.postMessage({ answer: request.answer, ...inspected } satisfies SeriesReply);
        return;
      }
      case 'drop':
        answers.delete(request.answer);
    }
  });
}

/** Other questions wait for a part no longer than this. */
const INSPECT_MS = 50;

function inspectFrom(stacks: SeriesStacks, from: number): Omit<InspectedSeries, 'answer'> {
  const all = stacks.build();
  const until = performance.now() + INSPECT_MS;
  const findings: GeometryFinding[] = [];
  let next = from;
  do {
    const series = all[next];
    if (series === undefined) break;
    findings.push(...inspectGeometry(series, stacks));
    next += 1;
  } while (performance.now() < until);
  return { findings, next, total: all.length };
}

if (parentPort !== null) serve(parentPort);
