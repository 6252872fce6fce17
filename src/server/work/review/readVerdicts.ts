import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { readTextLines } from '../journal/readTextLines.ts';
import { parseVerdictLine, type VerdictLine } from './verdictLine.ts';

/** No line is longer. */
export const LONGEST_VERDICT_LINE = 2 ** 18;
const BOUNDS = { longestBytes: LONGEST_VERDICT_LINE, mostBytes: 2 ** 30 };
/** Well below the 10 ms for which a request may be delayed. */
const TURN_MS = 2;

/** What a file of verdicts has beside its decisions. */
export type ReadVerdicts = {
  readonly decisions: number;
  /** What could not be read, and why; undefined if all of it was. */
  readonly damage: string | undefined;
};

/** The file is none of verdicts, or one of a later version: it is not written to. */
export class NoVerdictFile extends Error {
  override readonly name = 'NoVerdictFile';
}

/**
 * Reads the decisions of a file in their order. A line that was cut off when its process ended is left out and reported, and
 * so is any other that cannot be read. Undefined if there is no file. Throws the system's error, and NoVerdictFile for one
 * that has something else in it. `take` may say that it has enough.
 */
export async function readVerdicts(
  path: string,
  take: (line: VerdictLine) => unknown,
): Promise<ReadVerdicts | undefined> {
  let file;
  try {
    file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
  let decisions = 0;
  let others = 0;
  let first: string | undefined;
  const report = (reason: string) => {
    if (first === undefined) first = reason;
    else others += 1;
  };
  try {
    if (!(await file.stat()).isFile()) throw new NoVerdictFile('it is not a regular file');
    let until = performance.now() + TURN_MS;
    for await (const { number, text, isCut } of readTextLines(file, BOUNDS)) {
      if (performance.now() > until) {
        await nextTurn();
        until = performance.now() + TURN_MS;
      }
      if (text?.trim() === '') continue;
      const line = text === undefined ? 'is too long' : parseVerdictLine(text);
      if (typeof line !== 'string') {
        decisions += 1;
        if (take(line) === 'enough') break;
        continue;
      }
      if (line === 'is of a later version of negato') throw new NoVerdictFile(`line ${number} ${line}`);
      // The first line of a file may be all that a process could write before it ended.
      const isStart = decisions === 0 && number === 1;
      if (isStart && !(text ?? '').startsWith(START) && !START.startsWith(text ?? ' ')) {
        throw new NoVerdictFile('it is no file of verdicts');
      }
      report(`line ${number} ${isCut ? 'was cut off' : line}`);
    }
  } finally {
    await file.close();
  }
  return { decisions, damage: others === 0 ? first : `${first}, and ${others} more` };
}

/** Every line begins like this. */
const START = '{"v":';
