import { buildIdentity } from '../server/doors/http/buildIdentity.ts';
import { SUBCOMMAND_NAMES, SUBCOMMANDS } from './subcommands.ts';
import { KNOWN_OPTIONS, type Option, OPTION_GROUPS } from './options.ts';

/** Commands that print an answer and exit. */
export function answer(kind: 'help' | 'version'): string {
  return kind === 'help' ? helpText() : `negato ${buildIdentity().version}`;
}

const EXAMPLES = [
  ['negato', 'the demo study'],
  ['negato ~/scans/ct ~/scans/one.dcm', 'a folder, with its subfolders, and a file'],
  ['negato --filter modality=CT --filter PatientID=0042 .', 'only the CT files of one patient'],
  ['negato --no-browser --port 8042 /data', 'on a server: prints the ssh command to use'],
  ['negato --tunnel me@gateway --tunnel-port 9000 /data', 'reachable on gateway, port 9000'],
] as const;

/** The output of --help. */
function helpText(): string {
  const width = Math.max(...KNOWN_OPTIONS.map((option) => optionSyntax(option).length)) + 2;
  const toRow = (option: Option) => `  ${optionSyntax(option).padEnd(width)}${option.help}`;
  const exampleWidth = Math.max(...EXAMPLES.map(([command]) => command.length)) + 2;
  return [
    'negato [options] [PATH...]',
    'negato COMMAND [options] ...',
    '',
    'Opens DICOM files in place and shows them in the browser. A PATH is a file or a folder;',
    'without a PATH, the demo study opens. Not for clinical use.',
    '',
    'Commands (negato COMMAND --help says more):',
    ...listCommands(),
    '',
    ...OPTION_GROUPS.flatMap(({ title, options }) => [`${title}:`, ...options.map(toRow), '']),
    'Examples:',
    ...EXAMPLES.map(([command, meaning]) => `  ${command.padEnd(exampleWidth)}${meaning}`),
    '',
    'Exit status: 0 stopped, 1 failed to start, 2 usage error. Press Ctrl+C to stop.',
  ].join('\n');
}

function listCommands(): string[] {
  const rows = SUBCOMMAND_NAMES.map((name) => [`${name} ${SUBCOMMANDS[name][0]}`, SUBCOMMANDS[name][1]] as const);
  const width = Math.max(...rows.map(([syntax]) => syntax.length)) + 2;
  return rows.map(([syntax, help]) => `  ${syntax.padEnd(width)}${help}`);
}

function optionSyntax({ flag, short, value }: Option): string {
  return `${short === undefined ? '    ' : `${short}, `}${flag}${value === undefined ? '' : ` ${value}`}`;
}
