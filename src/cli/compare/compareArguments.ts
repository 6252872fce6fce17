import { TABLE_FORMATS, type TableFormat } from '../../server/images/tables/writeTableFile.ts';
import type { AgreementQuery } from '../../shared/contract/comparison.ts';
import { parseFileCommand } from '../fileCommand.ts';
import { printable } from '../printable.ts';
import type { Settings } from '../settings.ts';
import { UsageError } from '../usageError.ts';

/** The arguments of `negato compare`. */
export type CompareArguments = {
  /** Files and folders: the truth, the test, and the images that they lie over. */
  readonly inputs: readonly [truth: string, test: string, images?: string];
  readonly out: string;
  readonly format: TableFormat;
  /** A name that ends in .html; undefined without a report. */
  readonly report: string | undefined;
  readonly query: AgreementQuery;
  /** Which files are opened, as for the viewer. */
  readonly settings: Settings;
};

const VALUES = ['--out', '--report', '--tolerance', '--overlap', '--connectivity', '--threshold', '--numbers'] as const;
type CompareFlag = (typeof VALUES)[number];

export const COMPARE_HELP = `negato compare TRUTH TEST [IMAGES] --out FILE.csv|FILE.parquet [options]

Compares segmentations with the truth, case by case and part by part: Dice, IoU, volumes,
precision, recall, surface distances, components. TRUTH and TEST are files or folders of DICOM
SEG, RTSTRUCT, NIfTI, NRRD or NumPy labels. IMAGES are the DICOM images that they lie over, which
structure sets need, and comparisons of DICOM objects with other files. They may also lie in the
other two folders. Nothing is overwritten.

    --out FILE           .csv, .parquet or .jsonl: a row for each part of each case
    --report FILE.html   a page with a summary and all cases, the worst first; without script
    --tolerance MM       surfaces that are at most so far apart agree (default 1)
    --overlap X          part of a component that must be exceeded for it to be found (default 0)
    --connectivity N     6, 18 or 26 (default) neighbours belong to a component
    --threshold X        fractions and probabilities from X on are inside (default 0.5)
    --numbers WHICH      all (default), or overlap: without components and distances

Cases are paired by the series that they reference, else by the names of files without endings,
else by where they lie. What has no partner is listed. What could be several cases is
refused and listed. Files are chosen as for the viewer (negato --help): --filter, --no-recursive,
--no-archives, --mask, --mask-key, and the options for other machines. --memory and --log-level are
those of the viewer, too. docs/compare.md says what the numbers are.

negato IMAGES --truth TRUTH --test TEST --scores FILE shows the scores of a file in the table of
files, where series can be sorted by them, and draws the errors.

Exit status: 0 all cases are compared, 1 some are not, or there was none, 2 usage error.`;

/** Parses what follows `negato compare`; undefined if only the help is wanted. Throws UsageError. */
export function parseCompareArguments(words: readonly string[]): CompareArguments | undefined {
  if (words.length === 0) return undefined;
  const command = parseFileCommand(words, { name: 'negato compare', values: VALUES, switches: [] });
  if (command === undefined) return undefined;
  const { own, settings } = command;
  const paths = settings.source.kind === 'paths' ? settings.source.paths : [];
  const [truth, test, images, ...more] = paths;
  if (truth === undefined || test === undefined || more.length > 0) {
    throw new UsageError('negato compare takes TRUTH, TEST and, if they are needed, IMAGES');
  }
  const out = own.get('--out');
  if (out === undefined) throw new UsageError('negato compare requires --out FILE.csv or FILE.parquet');
  const format = TABLE_FORMATS.find((name) => out.toLowerCase().endsWith(`.${name}`));
  if (format === undefined) throw new UsageError(`--out ${printable(out)}: the name ends in .csv, .parquet or .jsonl`);
  const report = own.get('--report');
  if (report !== undefined && !/\.html?$/i.test(report)) {
    throw new UsageError(`--report ${printable(report)}: the name ends in .html`);
  }
  const number = (flag: CompareFlag, least: number, most: number) => parseNumber(own, flag, least, most);
  const tolerance = number('--tolerance', 0, 1_000);
  const overlap = number('--overlap', 0, 0.999_999);
  const threshold = number('--threshold', 0.001, 1);
  const connectivity = choose(own, '--connectivity', ['6', '18', '26']);
  const numbers = choose(own, '--numbers', ['all', 'overlap']);
  return {
    inputs: images === undefined ? [truth, test] : [truth, test, images],
    out,
    format,
    report,
    query: {
      ...(tolerance !== undefined && { tolerance }),
      ...(overlap !== undefined && { overlap }),
      ...(threshold !== undefined && { threshold }),
      ...(connectivity !== undefined && { connectivity }),
      ...(numbers !== undefined && { numbers }),
    },
    settings,
  };
}

function parseNumber(
  own: ReadonlyMap<string, string>,
  flag: CompareFlag,
  least: number,
  most: number,
): number | undefined {
  const text = own.get(flag);
  if (text === undefined) return undefined;
  const value = Number(text);
  if (text.trim() !== '' && value >= least && value <= most) return value;
  throw new UsageError(`${flag} ${printable(text)}: a number from ${least} to ${most}`);
}

function choose<Name extends string>(
  own: ReadonlyMap<string, string>,
  flag: CompareFlag,
  names: readonly Name[],
): Name | undefined {
  const text = own.get(flag);
  const name = names.find((one) => one === text);
  if (text === undefined || name !== undefined) return name;
  throw new UsageError(`${flag} ${printable(text)}: ${names.slice(0, -1).join(', ')} or ${names.at(-1)}`);
}
