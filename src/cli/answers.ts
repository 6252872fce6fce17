import { buildIdentity } from '../server/doors/http/buildIdentity.ts';
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
    'negato index PATH... --out FILE.parquet [--shard I/N]',
    'negato export nifti|nrrd|npy|labels PATH... --out DIR',
    'negato sheet PATH... --out FILE.html|DIR',
    'negato audit PATH... [--only NAMES] [--out FILE.html]',
    'negato deidentify PATH... --out DIR [--mask-key FILE]',
    'negato compare TRUTH TEST [IMAGES] --out FILE.csv [--report FILE.html]',
    'negato agree A.jsonl B.jsonl',
    '',
    'Opens DICOM files in place and shows them in the browser. A PATH is a file or a folder;',
    'without a PATH, the demo study opens. Not for clinical use.',
    'The second form writes a table of files: negato index --help. The third writes volumes of images,',
    'or labels of what lies over them: negato export --help. The fourth writes key slices of every series',
    'as pictures to look through: negato sheet --help. The fifth looks at all files together, and lists',
    'gaps, copies, deviations and what identifies people: negato audit --help. The sixth writes copies',
    'in which identifiers are removed or replaced: negato deidentify --help. The seventh compares',
    'segmentations with the truth, part by part: negato compare --help. The last one compares what two',
    'readers have decided: negato agree --help.',
    '',
    ...OPTION_GROUPS.flatMap(({ title, options }) => [`${title}:`, ...options.map(toRow), '']),
    'Examples:',
    ...EXAMPLES.map(([command, meaning]) => `  ${command.padEnd(exampleWidth)}${meaning}`),
    '',
    'Exit status: 0 stopped, 1 failed to start, 2 usage error. Press Ctrl+C to stop.',
  ].join('\n');
}

function optionSyntax({ flag, short, value }: Option): string {
  return `${short === undefined ? '    ' : `${short}, `}${flag}${value === undefined ? '' : ` ${value}`}`;
}
