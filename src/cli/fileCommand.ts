import { parseArguments } from './arguments.ts';
import { type Flag, KNOWN_OPTIONS } from './options.ts';
import { printable } from './printable.ts';
import { type Settings, toSettings } from './settings.ts';
import { nearestFlag } from './suggestFlag.ts';
import { UsageError } from './usageError.ts';

/** Options that mean the same as for the viewer. */
const SHARED: ReadonlySet<Flag> = new Set<Flag>([
  '--filter',
  '--no-recursive',
  '--no-archives',
  '--overlay',
  '--anonymous',
  '--profile',
  '--endpoint',
  '--region',
  '--bearer-command',
  '--origin-requests',
  '--origin-timeout',
  '--max-objects',
  '--cache-dir',
  '--cache-size',
  '--mask',
  '--mask-key',
  '--index',
  '--where',
  '--memory',
  '--insecure-http',
  '--log-level',
]);

/** A command that opens files as the viewer does, and has options of its own. */
export type FileCommand = {
  /** Such as `negato export`. */
  readonly name: string;
  /** Its own options with a value, and those without. */
  readonly values: readonly string[];
  readonly switches: readonly string[];
};

export type ParsedFileCommand = {
  /** What its own options were given; a switch has an empty text. */
  readonly own: ReadonlyMap<string, string>;
  /** Which files are opened, and how. */
  readonly settings: Settings;
};

/** Parses what follows the name of a command; undefined if only its help is wanted. Throws UsageError. */
export function parseFileCommand(words: readonly string[], command: FileCommand): ParsedFileCommand | undefined {
  const { name, values, switches } = command;
  const own = new Map<string, string>();
  const shared: string[] = [];
  const paths: string[] = [];
  for (let at = 0; at < words.length; at += 1) {
    const word = words[at]!;
    if (word === '--') {
      paths.push(...words.slice(at + 1));
      break;
    }
    if (!word.startsWith('-') || word === '-') {
      paths.push(word);
      continue;
    }
    const equals = word.startsWith('--') ? word.indexOf('=') : -1;
    const flag = equals === -1 ? word : word.slice(0, equals);
    if (flag === '--help' || flag === '-h') return undefined;
    const option = KNOWN_OPTIONS.find((one) => one.flag === flag && SHARED.has(one.flag));
    const isOwn = values.includes(flag) || switches.includes(flag);
    if (option === undefined && !isOwn) throw unknownOption(flag, command);
    const isSwitch = isOwn ? switches.includes(flag) : option?.value === undefined;
    if (isSwitch) {
      if (equals !== -1) throw new UsageError(`${flag} does not take a value`);
      if (isOwn) own.set(flag, '');
      else shared.push(word);
      continue;
    }
    const value = equals === -1 ? words[++at] : word.slice(equals + 1);
    if (value === undefined || value === '') throw new UsageError(`${flag} requires a value`);
    if (isOwn && own.has(flag)) throw new UsageError(`${flag} is given twice`);
    if (isOwn) own.set(flag, value);
    else shared.push(`${flag}=${value}`);
  }
  const parsed = parseArguments([...shared, '--', ...paths]);
  if (parsed.kind !== 'open') throw new Error('these options open files');
  const settings = toSettings(parsed.given, {});
  if (settings.source.kind === 'demo') throw new UsageError(`${name} requires a PATH`);
  return { own, settings };
}

function unknownOption(flag: string, { name, values, switches }: FileCommand): UsageError {
  const isOfViewer = KNOWN_OPTIONS.some((option) => option.flag === flag);
  if (isOfViewer) return new UsageError(`${flag} is no option of ${name}`);
  const suggestion = nearestFlag(flag, [...values, ...switches, ...SHARED]);
  const hint = suggestion === undefined ? '' : `; did you mean ${suggestion}?`;
  return new UsageError(`unknown option ${printable(flag)} of ${name}${hint}`);
}
