/** All options as the help shows them: the flag, the name of its value, which a switch does not have, and what it does. */
const GROUPS = {
  Files: [
    ['--filter', 'FIELD=VALUE', 'open only files whose FIELD contains VALUE; repeat to narrow'],
    ['--no-recursive', '', 'do not enter subfolders'],
    ['--watch', '', 'show files that appear, change or vanish while negato runs'],
    ['--watch-poll', 'SECONDS', 'the same, by looking every SECONDS'],
    ['--no-archives', '', 'do not open archives in folders (zip, tar, tar.gz)'],
    ['--overlay', 'PATH', 'lay DICOM layers or NIfTI, NRRD, NPY, NPZ and PNG over the images'],
    ['--truth', 'PATH', 'compare with the layers of this file or folder; needs --test'],
    ['--test', 'PATH', 'the layers that are compared with those of --truth'],
    ['--scores', 'FILE', 'add columns of negato compare --out FILE to the table of files'],
    ['--anonymous', '', 'ask object storage without credentials'],
    ['--profile', 'NAME', 'profile of the AWS configuration for s3:// (default: AWS_PROFILE)'],
    ['--endpoint', 'URL', 'server for s3://, gs:// and az:// that is not the public one'],
    ['--region', 'NAME', 'region of the buckets of s3:// (default: AWS_REGION)'],
    ['--bearer-command', 'COMMAND', 'program that prints a token for https:// and DICOMweb servers'],
    ['--origin-requests', 'N', 'most requests to another machine at a time (default 64)'],
    ['--origin-timeout', 'SECONDS', 'longest wait for one answer to a listing or a search (default 18)'],
    ['--max-objects', 'N', 'most files of each address (default 1000000)'],
    ['--cache-dir', 'DIR', 'keep what was read of other machines in DIR (default: in memory)'],
    ['--cache-size', 'SIZE', 'most that DIR may take (default 10G)'],
    ['--mask', '', 'mask names, dates, UIDs and other identifiers in everything shown'],
    ['--mask-key', 'FILE', 'mask with the secret in FILE, in every run in the same way'],
    ['--index', 'PARQUET', 'open the files of an index (negato index --help); repeatable'],
    ['--where', 'CONDITION', 'only files that meet it, such as "Modality=\'MR\' and EchoTime<30"'],
    ['--annotations', 'CSV', 'load ROIs from a CSV file'],
    ['--hanging', 'JSON', 'load rules for what a study shows when it is opened'],
    ['--review', 'FILE', 'decide unit by unit, with verdicts in FILE; repeat to read others'],
    ['--reader', 'NAME', 'who decides'],
    ['--units', 'LEVEL', 'what is decided: series (default), study or file'],
    ['--scheme', 'JSON', 'what can be decided (default: accept, reject, unsure)'],
    ['--blind', 'SEED', 'review in an order of its own, without what others have decided'],
    ['--second', '', 'review what readers differ in, as the reader consensus'],
    ['--assist', 'URL', 'server that makes masks of clicks, boxes and scribbles; repeatable'],
    ['--labels', 'JSON', 'load the classes that marks can have from a JSON file'],
    ['--restore', '', 'restore ROIs and marks of these files that were not exported'],
    ['--forget', '', 'forget ROIs and marks of these files that were not exported'],
    ['--demo', '', 'open the demo study (also when no PATH is given)'],
  ],
  Server: [
    ['--port', 'N', 'port to listen on (default 0: the system picks a free one)'],
    ['--host', 'ADDRESS', 'address to listen on (default 127.0.0.1)'],
    ['--unix-socket', 'PATH', 'listen on a private socket file instead of a port'],
    ['--base-path', 'PREFIX', 'serve below this path, for proxies that do not remove it'],
    ['--tunnel', 'SSH_HOST', 'make the viewer reachable on SSH_HOST by a remote port forward'],
    ['--tunnel-port', 'N', 'port on SSH_HOST (default: the local port)'],
    ['--stop-with-stdin', '', 'stop when standard input ends, for programs that start negato'],
    ['--dicomweb', '', 'answer DICOMweb below /dicomweb: QIDO-RS and WADO-RS, read only'],
    ['--timeout', 'SECONDS', 'stop after this many seconds without a request'],
    ['--memory', 'SIZE', 'memory for decoding and caches, such as 512M or 2G'],
    ['--cache-budget', 'SIZE', 'limit of that memory for cached frames, such as 256MiB'],
  ],
  Trust: [
    ['--insecure-http', '', 'allow http:// to other machines, which the network can read'],
    ['--token', '', 'require a token of every client (NEGATO_TOKEN or DCMVIEW_TOKEN)'],
    ['--no-token', '', 'never require a token; not allowed on a public address'],
    ['--allow-host', 'NAME', 'also accept requests for the host NAME (with a token: *); repeatable'],
    ['--embed', 'ANCESTOR', 'let pages of ANCESTOR, such as self or an origin, frame the viewer'],
    ['--dicomweb-origin', 'ORIGIN', 'let pages of ORIGIN (https://viewer.example) use DICOMweb'],
    ['--debug-api-beyond-loopback', '', 'let other machines reach this debug-api build, which accepts every web page'],
  ],
  Output: [
    ['--no-browser', '', 'do not open the browser'],
    ['--startup-json', '', 'print machine-readable events on stdout'],
    ['--log-level', 'LEVEL', 'silent, error, warn, info or debug (default info)'],
    ['--version', '', 'print the version'],
    ['--help', '', 'print this help'],
  ],
} as const;

const SHORT_FORMS: Readonly<Partial<Record<string, string>>> = { '--port': '-p', '--version': '-V', '--help': '-h' };

type OptionGroup = keyof typeof GROUPS;
type Row = (typeof GROUPS)[OptionGroup][number];
export type Flag = Row[0];
/** All switches except --help and --version, which only print an answer. */
export type SwitchFlag = Exclude<Extract<Row, readonly [string, '', string]>[0], '--help' | '--version'>;
/** Options that take a value. */
export type ValueFlag = Exclude<Flag, SwitchFlag | '--help' | '--version'>;

export type Option = {
  readonly flag: Flag;
  readonly short: string | undefined;
  /** The name of its value in the help. An option without a value is a switch. */
  readonly value: string | undefined;
  readonly help: string;
};

/** Set when the bundle is built: true only in a debug-api build. */
declare const NEGATO_DEBUG_API: boolean;

/** The options that this build supports, in the groups and in the order of the help. */
export const OPTION_GROUPS = Object.entries(GROUPS).map(([title, rows]) => ({ title, options: toOptions(rows) }));
export const KNOWN_OPTIONS = OPTION_GROUPS.flatMap(({ options }) => options);

function toOptions(rows: readonly Row[]): readonly Option[] {
  return rows
    .filter(([flag]) => NEGATO_DEBUG_API || flag !== '--debug-api-beyond-loopback')
    .map(([flag, value, help]) => ({ flag, short: SHORT_FORMS[flag], value: value === '' ? undefined : value, help }));
}
