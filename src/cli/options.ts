export type OptionGroup = 'Files' | 'Server' | 'Trust' | 'Output';

export type Option = {
  readonly flag: `--${string}`;
  readonly short?: `-${string}`;
  /** The name of its value in the help. An option without a value is a switch. */
  readonly value?: string;
  readonly group: OptionGroup;
  readonly help: string;
  /** Only available in a debug-api build. */
  readonly ofDebugBuild?: true;
};

/** Set when the bundle is built: true only in a debug-api build. */
declare const NEGATO_DEBUG_API: boolean;

/** All options, in the order of the help. */
const OPTIONS = [
  {
    flag: '--filter',
    value: 'FIELD=VALUE',
    group: 'Files',
    help: 'open only files whose FIELD contains VALUE; repeat to narrow',
  },
  { flag: '--no-recursive', group: 'Files', help: 'do not enter subfolders' },
  { flag: '--watch', group: 'Files', help: 'show files that appear, change or vanish while negato runs' },
  {
    flag: '--watch-poll',
    value: 'SECONDS',
    group: 'Files',
    help: 'the same, by looking every SECONDS',
  },
  { flag: '--no-archives', group: 'Files', help: 'do not open archives in folders (zip, tar, tar.gz)' },
  {
    flag: '--overlay',
    value: 'PATH',
    group: 'Files',
    help: 'lay model output (NIfTI, NRRD, NPY, NPZ, PNG) over the images',
  },
  { flag: '--anonymous', group: 'Files', help: 'ask object storage without credentials' },
  {
    flag: '--profile',
    value: 'NAME',
    group: 'Files',
    help: 'profile of the AWS configuration for s3:// (default: AWS_PROFILE)',
  },
  {
    flag: '--endpoint',
    value: 'URL',
    group: 'Files',
    help: 'server for s3://, gs:// and az:// that is not the public one',
  },
  { flag: '--region', value: 'NAME', group: 'Files', help: 'region of the buckets of s3:// (default: AWS_REGION)' },
  {
    flag: '--bearer-command',
    value: 'COMMAND',
    group: 'Files',
    help: 'program that prints a token for https:// and DICOMweb servers',
  },
  {
    flag: '--origin-requests',
    value: 'N',
    group: 'Files',
    help: 'most requests to another machine at a time (default 64)',
  },
  {
    flag: '--origin-timeout',
    value: 'SECONDS',
    group: 'Files',
    help: 'longest wait for one answer to a listing or a search (default 18)',
  },
  { flag: '--max-objects', value: 'N', group: 'Files', help: 'most files of each address (default 1000000)' },
  {
    flag: '--cache-dir',
    value: 'DIR',
    group: 'Files',
    help: 'keep what was read of other machines in DIR (default: in memory)',
  },
  { flag: '--cache-size', value: 'SIZE', group: 'Files', help: 'most that DIR may take (default 10G)' },
  { flag: '--insecure-http', group: 'Trust', help: 'allow http:// to other machines, which the network can read' },
  { flag: '--mask', group: 'Files', help: 'mask names, dates, UIDs and other identifiers in everything shown' },
  {
    flag: '--mask-key',
    value: 'FILE',
    group: 'Files',
    help: 'mask with the secret in FILE, in every run in the same way',
  },
  {
    flag: '--index',
    value: 'PARQUET',
    group: 'Files',
    help: 'open the files of an index (negato index --help); repeatable',
  },
  {
    flag: '--where',
    value: 'CONDITION',
    group: 'Files',
    help: 'only these rows of the index, such as "Modality=\'MR\'"',
  },
  { flag: '--annotations', value: 'CSV', group: 'Files', help: 'load ROIs from a CSV file' },
  { flag: '--labels', value: 'JSON', group: 'Files', help: 'load the classes that marks can have from a JSON file' },
  {
    flag: '--restore',
    group: 'Files',
    help: 'restore ROIs and marks of these files that were not exported',
  },
  { flag: '--forget', group: 'Files', help: 'forget ROIs and marks of these files that were not exported' },
  { flag: '--demo', group: 'Files', help: 'open the demo study (also when no PATH is given)' },
  {
    flag: '--port',
    short: '-p',
    value: 'N',
    group: 'Server',
    help: 'port to listen on (default 0: the system picks a free one)',
  },
  { flag: '--host', value: 'ADDRESS', group: 'Server', help: 'address to listen on (default 127.0.0.1)' },
  { flag: '--unix-socket', value: 'PATH', group: 'Server', help: 'listen on a private socket file instead of a port' },
  {
    flag: '--base-path',
    value: 'PREFIX',
    group: 'Server',
    help: 'serve below this path, for proxies that do not remove it',
  },
  {
    flag: '--tunnel',
    value: 'SSH_HOST',
    group: 'Server',
    help: 'make the viewer reachable on SSH_HOST by a remote port forward',
  },
  { flag: '--tunnel-port', value: 'N', group: 'Server', help: 'port on SSH_HOST (default: the local port)' },
  {
    flag: '--stop-with-stdin',
    group: 'Server',
    help: 'stop when standard input ends, for programs that start negato',
  },
  { flag: '--dicomweb', group: 'Server', help: 'answer DICOMweb below /dicomweb: QIDO-RS and WADO-RS, read only' },
  { flag: '--timeout', value: 'SECONDS', group: 'Server', help: 'stop after this many seconds without a request' },
  { flag: '--memory', value: 'SIZE', group: 'Server', help: 'memory for decoding and caches, such as 512M or 2G' },
  {
    flag: '--cache-budget',
    value: 'SIZE',
    group: 'Server',
    help: 'limit of that memory for cached frames, such as 256MiB',
  },
  {
    flag: '--token',
    group: 'Trust',
    help: 'require a token of every client (NEGATO_TOKEN or DCMVIEW_TOKEN)',
  },
  { flag: '--no-token', group: 'Trust', help: 'never require a token; not allowed on a public address' },
  {
    flag: '--allow-host',
    value: 'NAME',
    group: 'Trust',
    help: 'also accept requests for the host NAME (with a token: *); repeatable',
  },
  {
    flag: '--embed',
    value: 'ANCESTOR',
    group: 'Trust',
    help: 'let pages of ANCESTOR, such as self or an origin, frame the viewer',
  },
  {
    flag: '--dicomweb-origin',
    value: 'ORIGIN',
    group: 'Trust',
    help: 'let pages of ORIGIN (https://viewer.example) use DICOMweb',
  },
  {
    flag: '--debug-api-beyond-loopback',
    group: 'Trust',
    help: 'let other machines reach this debug-api build, which accepts every web page',
    ofDebugBuild: true,
  },
  { flag: '--no-browser', group: 'Output', help: 'do not open the browser' },
  { flag: '--startup-json', group: 'Output', help: 'print machine-readable events on stdout' },
  { flag: '--log-level', value: 'LEVEL', group: 'Output', help: 'silent, error, warn, info or debug (default info)' },
  { flag: '--version', short: '-V', group: 'Output', help: 'print the version' },
  { flag: '--help', short: '-h', group: 'Output', help: 'print this help' },
] as const satisfies readonly Option[];

/** The options that this build supports. */
export const KNOWN_OPTIONS: readonly KnownOption[] = OPTIONS.filter(
  (option) => NEGATO_DEBUG_API || !('ofDebugBuild' in option),
);

export type KnownOption = (typeof OPTIONS)[number];
export type Flag = KnownOption['flag'];
/** Options that take a value. */
export type ValueFlag = Extract<KnownOption, { value: string }>['flag'];
/** All switches except --help and --version, which only print an answer. */
export type SwitchFlag = Exclude<Flag, ValueFlag | '--help' | '--version'>;
