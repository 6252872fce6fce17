import type { CopyOptions } from '../../server/bytes/masking/copyRule.ts';
import { parseFileCommand } from '../fileCommand.ts';
import { printable } from '../printable.ts';
import type { Settings } from '../settings.ts';
import { UsageError } from '../usageError.ts';

/** The arguments of `negato deidentify`. */
export type DeidentifyArguments = {
  readonly out: string;
  readonly options: CopyOptions;
  /** The file of the report; undefined: text on standard output. */
  readonly report: string | undefined;
  readonly form: 'text' | 'json';
  readonly hasAudits: boolean;
  /** The secret for the pseudonyms; undefined: those of this run only. */
  readonly keyFile: string | undefined;
  /** Which files are opened, as for the viewer. */
  readonly settings: Settings;
};

const VALUES = ['--out', '--report', '--retain-dates'] as const;
const SWITCHES = [
  '--retain-uids',
  '--retain-device',
  '--clean-descriptors',
  '--retain-safe-private',
  '--no-audit',
] as const;

export const DEIDENTIFY_HELP = `negato deidentify PATH... --out DIR [options]

Writes copies of DICOM files in which identifiers are removed or replaced by the rules of --mask
(PS3.15 Basic Profile and stricter). Looks at the files before, at the copies afterwards, and says
what has changed and what is still there. The files themselves are never changed.

    --out DIR            folder for the copies: none of the folders that are read; files are never replaced
    --mask-key FILE      secret for pseudonyms: the same in every run with it (default: of this run only)
    --report FILE        what was copied and what was not, as .json or .txt: it names the files that were
                         read, so keep it as you keep these (default: a summary, on standard output)
    --no-audit           look neither before nor afterwards

Options of the profile, which keep more:

    --retain-dates=shift dates are moved by one number of days a patient, and times are kept
                         (default: no dates; without times there are no uptake values)
    --retain-uids        UIDs are kept
    --retain-device      serial numbers and names of devices and stations are kept
    --clean-descriptors  in descriptions, words are kept that are in a list of parts of the body and techniques
    --retain-safe-private
                         private elements are kept that PS3.15 lists as safe, such as b values and SUV factors

Boxes of redactions are filled in the pixels. Without one, pixels are the same bit by bit: text in
them is not found. Documents, models, videos and labels of slides are not copied, nor is a file that
cannot be read to its end.

Files are chosen as for the viewer (negato --help): --filter, --where, --index, --no-recursive,
--no-archives, and the options for other machines. --memory and --log-level are those of the viewer.

Copies may still say whose they are: look at them before you give them away.
Exit status: 0 everything was copied, 1 failed, 2 usage error, 3 some DICOM files were not copied.`;

/** Parses what follows `negato deidentify`; undefined if only the help is wanted. Throws UsageError. */
export function parseDeidentifyArguments(words: readonly string[]): DeidentifyArguments | undefined {
  if (words.length === 0) return undefined;
  const command = parseFileCommand(words, { name: 'negato deidentify', values: VALUES, switches: SWITCHES });
  if (command === undefined) return undefined;
  const { own, settings } = command;
  const out = own.get('--out');
  if (out === undefined) throw new UsageError('negato deidentify requires --out DIR');
  if (settings.overlays.length > 0) throw new UsageError('--overlay is no option of negato deidentify');
  const report = own.get('--report');
  return {
    out,
    options: {
      retainsUids: own.has('--retain-uids'),
      shiftsDates: parseDates(own.get('--retain-dates')),
      retainsDevice: own.has('--retain-device'),
      cleansDescriptors: own.has('--clean-descriptors'),
      retainsSafePrivate: own.has('--retain-safe-private'),
    },
    report,
    form: report === undefined ? 'text' : parseForm(report),
    hasAudits: !own.has('--no-audit'),
    keyFile: settings.mask?.keyFile,
    // What is looked at beforehand are the files as they are.
    settings: { ...settings, mask: undefined },
  };
}

function parseDates(text: string | undefined): boolean {
  if (text === undefined) return false;
  if (text === 'shift') return true;
  throw new UsageError(`--retain-dates ${printable(text)}: only shift`);
}

function parseForm(report: string): 'text' | 'json' {
  if (/\.json$/i.test(report)) return 'json';
  if (/\.txt$/i.test(report)) return 'text';
  throw new UsageError(`--report ${printable(report)}: a name that ends in .json or .txt`);
}
