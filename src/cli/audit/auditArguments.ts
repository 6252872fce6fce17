import { AUDIT_LEVELS, AUDIT_NAMES, type AuditLevel, type AuditName } from '../../shared/contract/audits.ts';
import { parseFileCommand } from '../fileCommand.ts';
import { printable } from '../printable.ts';
import type { Settings } from '../settings.ts';
import { UsageError } from '../usageError.ts';

export const REPORT_FORMS = ['text', 'json', 'csv', 'html'] as const;
export type ReportForm = (typeof REPORT_FORMS)[number];

/** The arguments of `negato audit`. */
export type AuditArguments = {
  readonly names: readonly AuditName[];
  readonly report: ReportForm;
  /** Undefined: standard output. */
  readonly out: string | undefined;
  readonly failOn: AuditLevel;
  readonly showsValues: boolean;
  readonly comparesPixels: boolean;
  /** Which files are opened, as for the viewer. */
  readonly settings: Settings;
};

const VALUES = ['--only', '--report', '--out', '--fail-on'] as const;
const SWITCHES = ['--show-values', '--pixels'] as const;

/** Decoding all frames takes long, so it has to be asked for. */
const USUAL = AUDIT_NAMES.filter((name) => name !== 'readable');

export const AUDIT_HELP = `negato audit PATH... [options]

Looks at all files together and lists what is odd about them. Nothing is changed.

    --only NAMES         audits, separated by commas (default: all but readable):
                           geometry      missing, doubled and uneven slices
                           protocol      series that differ from others of their protocol
                           duplicates    the same object several times, one UID for several objects
                           completeness  objects that name others that are not there
                           identifiers   elements, texts and paths that can identify people
                           burned-in     where text in the pixels is likely
                           readable      decodes every frame; takes long
    --report FORM        text (default), json, csv or html; by default what the name of OUT says
    --out OUT            write the report to a file, which must not exist
    --fail-on LEVEL      info, warning (default) or error: from which level on the exit status is 3
    --show-values        list identifying values as they are, and not only their form; an HTML report then
                         has an image of each series in which text is likely or possible
    --pixels             duplicates: compare the stored pixels of all files, which reads all of them

Files are chosen as for the viewer (negato --help): --filter, --where, --index, --overlay,
--no-recursive, --no-archives, --mask, --mask-key, and the options for other machines. --memory
and --log-level are those of the viewer, too. Without --index, objects that other files name
are found also if --where does not choose them.

No finding does not mean that there is nothing to find.
Exit status: 0 nothing at or above LEVEL, 1 failed, 2 usage error, 3 findings at or above LEVEL.`;

/** Parses what follows `negato audit`; undefined if only the help is wanted. Throws UsageError. */
export function parseAuditArguments(words: readonly string[]): AuditArguments | undefined {
  if (words.length === 0) return undefined;
  const command = parseFileCommand(words, { name: 'negato audit', values: VALUES, switches: SWITCHES });
  if (command === undefined) return undefined;
  const { own, settings } = command;
  const out = own.get('--out');
  return {
    names: parseNames(own.get('--only')),
    report: parseReport(own.get('--report'), out),
    out,
    failOn: parseChoice('--fail-on', own.get('--fail-on') ?? 'warning', AUDIT_LEVELS),
    showsValues: own.has('--show-values'),
    comparesPixels: own.has('--pixels'),
    settings,
  };
}

function parseNames(text: string | undefined): readonly AuditName[] {
  if (text === undefined) return USUAL;
  const given = text.split(',').map((name) => parseChoice('--only', name.trim(), AUDIT_NAMES));
  // In the order of the help, each once.
  return AUDIT_NAMES.filter((name) => given.includes(name));
}

function parseReport(text: string | undefined, out: string | undefined): ReportForm {
  if (text !== undefined) return parseChoice('--report', text, REPORT_FORMS);
  if (out === undefined) return 'text';
  const [, ending = ''] = /\.([a-z]+)$/i.exec(out) ?? [];
  const form = { json: 'json', csv: 'csv', html: 'html', htm: 'html', txt: 'text' }[ending.toLowerCase()];
  const known = REPORT_FORMS.find((one) => one === form);
  if (known !== undefined) return known;
  throw new UsageError(`--out ${printable(out)}: a name that ends in .json, .csv, .html or .txt, or --report`);
}

function parseChoice<Choice extends string>(flag: string, text: string, choices: readonly Choice[]): Choice {
  const choice = choices.find((one) => one === text);
  if (choice !== undefined) return choice;
  throw new UsageError(`${flag} ${printable(text)}: one of ${choices.join(', ')}`);
}
