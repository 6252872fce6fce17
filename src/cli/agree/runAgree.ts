import { NoVerdictFile, readVerdicts } from '../../server/work/review/readVerdicts.ts';
import { keyOfReviewed, type VerdictLine } from '../../server/work/review/verdictLine.ts';
import { printable } from '../printable.ts';
import type { Terminal } from '../terminal.ts';
import type { AgreeArguments, AgreeSide } from './agreeArguments.ts';
import { compareReaders, type ReaderDecisions } from './compareReaders.ts';
import { toJson, writeComparison } from './writeComparison.ts';

/** A file that cannot be compared, in words for users. */
class NothingToCompare extends Error {
  override readonly name = 'NothingToCompare';
}

type Output = { readonly terminal: Terminal; readonly write: (text: string) => void };

/** Runs `negato agree` and returns the exit code. */
export async function runAgree({ a, b, isJson }: AgreeArguments, { terminal, write }: Output): Promise<0 | 1> {
  try {
    const [first, second] = [await readReader(a, '--reader-a', terminal), await readReader(b, '--reader-b', terminal)];
    const comparison = compareReaders(first, second);
    if (comparison.both === 0) {
      throw new NothingToCompare(
        `no unit was decided by both ${printable(first.reader)} and ${printable(second.reader)}`,
      );
    }
    write(isJson ? `${JSON.stringify(toJson(comparison))}\n` : `${writeComparison(comparison)}\n`);
    return 0;
  } catch (error) {
    if (!(error instanceof NothingToCompare)) throw error;
    terminal.error(error.message);
    return 1;
  }
}

async function readReader({ path, reader }: AgreeSide, flag: string, terminal: Terminal): Promise<ReaderDecisions> {
  const readers = new Map<string, Map<string, VerdictLine>>();
  const read = await tryRead(path, (line) => {
    const { unit, decision } = line;
    const known = readers.get(decision.reader) ?? new Map<string, VerdictLine>();
    readers.set(decision.reader, known);
    known.set(`${unit.level}\0${keyOfReviewed(unit)}`, line);
  });
  if (read.damage !== undefined) terminal.warn(`${printable(path)}: ${read.damage}`);
  const names = [...readers.keys()];
  if (reader === undefined && names.length > 1) {
    const listed = names.slice(0, 10).map(printable).join(', ');
    throw new NothingToCompare(
      `${printable(path)} has verdicts of ${names.length} readers (${listed}): name one with ${flag}`,
    );
  }
  const wanted = reader ?? names[0];
  const decisions = wanted === undefined ? undefined : readers.get(wanted);
  if (wanted === undefined || decisions === undefined) {
    const whom = reader === undefined ? '' : ` of ${printable(reader)}`;
    throw new NothingToCompare(`${printable(path)} has no verdicts${whom}`);
  }
  return { reader: wanted, decisions };
}

async function tryRead(path: string, take: (line: VerdictLine) => void) {
  try {
    const read = await readVerdicts(path, take);
    if (read !== undefined) return read;
  } catch (error) {
    const isKnown = error instanceof NoVerdictFile || (error instanceof Error && 'code' in error);
    if (!isKnown) throw error;
    throw new NothingToCompare(`${printable(path)} cannot be read: ${printable(error.message)}`);
  }
  throw new NothingToCompare(`${printable(path)} does not exist`);
}
