import { isReaderName } from '../../shared/readerName.ts';
import { printable } from '../printable.ts';
import { UsageError } from '../usageError.ts';

/** A file of verdicts, and whose verdicts of it are meant; undefined if it has those of one reader only. */
export type AgreeSide = { readonly path: string; readonly reader: string | undefined };

/** The arguments of `negato agree`. */
export type AgreeArguments = { readonly a: AgreeSide; readonly b: AgreeSide; readonly isJson: boolean };

const VALUES = ['--reader-a', '--reader-b'] as const;
const SWITCHES = ['--json'] as const;

export const AGREE_HELP = `negato agree A.jsonl B.jsonl [options]

Compares what two readers have decided of the same units: files that negato --review has written. Prints
the table of verdicts, Cohen's kappa with its 95 % interval, the same for every score, also with linear
and quadratic weights, and a list of the units of which the readers differ.

    --reader-a NAME      whose verdicts of A, if it has those of several readers
    --reader-b NAME      whose verdicts of B; A and B may be the same file
    --json               all of it as one JSON object

The last line of a reader about a unit counts, and one that takes a decision back is none. The interval
is that of Fleiss, Cohen and Everitt (1969), for large samples. Weights of scores are those of the steps
between them.

Exit status: 0 compared, 1 a file cannot be read or no unit was decided by both, 2 usage error.`;

/** Parses what follows `negato agree`; undefined if only the help is wanted. Throws UsageError. */
export function parseAgreeArguments(words: readonly string[]): AgreeArguments | undefined {
  if (words.length === 0) return undefined;
  const paths: string[] = [];
  const given = new Map<string, string>();
  for (let at = 0; at < words.length; at += 1) {
    const word = words[at]!;
    if (word === '--') {
      paths.push(...words.slice(at + 1));
      break;
    }
    if (!word.startsWith('-')) {
      paths.push(word);
      continue;
    }
    const equals = word.startsWith('--') ? word.indexOf('=') : -1;
    const flag = equals === -1 ? word : word.slice(0, equals);
    if (flag === '--help' || flag === '-h') return undefined;
    if (SWITCHES.some((one) => one === flag)) {
      if (equals !== -1) throw new UsageError(`${flag} does not take a value`);
      given.set(flag, '');
      continue;
    }
    if (!VALUES.some((one) => one === flag)) throw new UsageError(`unknown option ${printable(flag)} of negato agree`);
    const value = equals === -1 ? words[++at] : word.slice(equals + 1);
    if (value === undefined || value === '') throw new UsageError(`${flag} requires a value`);
    if (given.has(flag)) throw new UsageError(`${flag} is given twice`);
    if (!isReaderName(value)) throw new UsageError(`${flag} ${printable(value)}: no name of a reader`);
    given.set(flag, value);
  }
  const [a, b, ...more] = paths;
  if (a === undefined || b === undefined || more.length > 0) {
    throw new UsageError('negato agree requires two files of verdicts: A.jsonl B.jsonl');
  }
  return {
    a: { path: a, reader: given.get('--reader-a') },
    b: { path: b, reader: given.get('--reader-b') },
    isJson: given.has('--json'),
  };
}
