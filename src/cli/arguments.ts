import type { TableLevel } from '../shared/tableLevel.ts';
import { ANY_HOST } from '../server/doors/http/hostNames.ts';
import { type Subcommand, SUBCOMMAND_NAMES } from './subcommands.ts';
import { type Flag, KNOWN_OPTIONS, type Option, type SwitchFlag, type ValueFlag } from './options.ts';
import {
  parseAncestor,
  parseAssistant,
  parseCount,
  parseEndpoint,
  parseBasePath,
  parseHostName,
  parseLogLevel,
  parseMemory,
  parseOrigin,
  parsePort,
  parseReader,
  parseRegion,
  parseSshHost,
  parseTimeout,
  parseUnits,
  type LogLevel,
} from './optionValues.ts';
import { suggestFlag } from './suggestFlag.ts';
import { printable } from './printable.ts';
import { UsageError } from './usageError.ts';

/** The arguments as given: each validated separately, without defaults. */
export type GivenArguments = {
  paths: string[];
  filters: string[];
  overlays: string[];
  truth?: string;
  test?: string;
  scores?: string;
  allowHosts: string[];
  embedders: string[];
  dicomwebOrigins: string[];
  indexes: string[];
  reviews: string[];
  assistants: string[];
  reader?: string;
  units?: TableLevel;
  scheme?: string;
  blind?: string;
  second?: true;
  where?: string;
  port?: number;
  host?: string;
  unixSocket?: string;
  basePath?: string;
  tunnel?: string;
  tunnelPort?: number;
  timeoutSeconds?: number;
  memoryBytes?: number;
  cacheBytes?: number;
  annotations?: string;
  mask?: true;
  maskKey?: string;
  labels?: string;
  hanging?: string;
  logLevel?: LogLevel;
  anonymous?: true;
  profile?: string;
  endpoint?: string;
  region?: string;
  bearerCommand?: string;
  originRequests?: number;
  originTimeoutSeconds?: number;
  maxObjects?: number;
  cacheFolder?: string;
  cacheFolderBytes?: number;
  insecureHttp?: true;
  recursive?: false;
  archives?: false;
  watch?: true;
  watchPollSeconds?: number;
  browser?: false;
  demo?: true;
  /** --token or --no-token. */
  token?: boolean;
  startupJson?: true;
  dicomweb?: true;
  stopWithStdin?: true;
  /** --restore or --forget. */
  keptRois?: 'restore' | 'forget';
  debugBeyondLoopback?: true;
};

export type ParsedCommand =
  | { kind: 'help' }
  | { kind: 'version' }
  | { kind: 'open'; given: GivenArguments }
  | { kind: Subcommand; words: readonly string[] };

/** Parses the command line. Throws UsageError. */
export function parseArguments(argv: readonly string[]): ParsedCommand {
  const words = withoutBridgeClient(argv);
  // A folder of this name is opened as ./index, ./export and so on.
  const [first] = words;
  const command = SUBCOMMAND_NAMES.find((name) => name === first);
  if (command !== undefined) return { kind: command, words: words.slice(1) };
  const given: GivenArguments = {
    paths: [],
    filters: [],
    overlays: [],
    allowHosts: [],
    embedders: [],
    dicomwebOrigins: [],
    indexes: [],
    reviews: [],
    assistants: [],
  };
  for (let position = 0; position < words.length; position++) {
    const word = words[position]!;
    if (word === '--') {
      given.paths.push(...words.slice(position + 1).map(toPath));
      break;
    }
    if (!word.startsWith('-') || word === '-') {
      given.paths.push(toPath(word));
      continue;
    }
    const { option, attached } = findOption(word);
    const { flag } = option;
    if (flag === '--help') return { kind: 'help' };
    if (flag === '--version') return { kind: 'version' };
    if (!isSwitch(flag)) takeValue(given, flag, attached ?? followingValue(option, words[++position]));
    else if (attached === undefined) takeSwitch(given, flag);
    else throw new UsageError(`${flag} ${printable(attached)}: this option does not take a value`);
  }
  return { kind: 'open', given };
}

/** The launcher of an editor's integrated terminal prepends this pair to every command that it starts. */
function withoutBridgeClient(argv: readonly string[]): readonly string[] {
  return argv[0] === '--vscode-bridge-client' ? argv.slice(2) : argv;
}

function toPath(word: string): string {
  if (word === '') throw new UsageError("PATH '': the path is empty; use . for the current folder");
  if (word === '-')
    throw new UsageError('PATH -: reading from standard input is not supported; use ./- for a file named -');
  return word;
}

/** `--flag`, `--flag=value`, `-p` and `-p8080`. */
function findOption(word: string): { option: Option; attached: string | undefined } {
  const equals = word.indexOf('=');
  const name = word.startsWith('--') && equals > 0 ? word.slice(0, equals) : word;
  const named = findByName(name);
  if (named) return { option: named, attached: name === word ? undefined : word.slice(equals + 1) };
  const short = findByName(word.slice(0, 2));
  if (short?.value !== undefined && !word.startsWith('--'))
    return { option: short, attached: word.slice(2).replace(/^=/, '') };
  const suggestion = suggestFlag(name);
  throw new UsageError(`unknown option ${printable(name)}${suggestion ? `; did you mean ${suggestion}?` : ''}`);
}

function findByName(name: string): Option | undefined {
  return KNOWN_OPTIONS.find((option) => option.flag === name || option.short === name);
}

function followingValue({ flag, value }: Option, next: string | undefined): string {
  if (next === undefined) throw new UsageError(`${flag} requires a value: ${flag} ${value}`);
  if (findByName(next)) throw new UsageError(`${flag} requires a value before ${next}: ${flag} ${value}`);
  return next;
}

const SWITCHES: { readonly [Switch in SwitchFlag]: Partial<GivenArguments> } = {
  '--no-recursive': { recursive: false },
  '--anonymous': { anonymous: true },
  '--insecure-http': { insecureHttp: true },
  '--watch': { watch: true },
  '--no-archives': { archives: false },
  '--no-browser': { browser: false },
  '--mask': { mask: true },
  '--demo': { demo: true },
  '--second': { second: true },
  '--startup-json': { startupJson: true },
  '--dicomweb': { dicomweb: true },
  '--stop-with-stdin': { stopWithStdin: true },
  '--restore': { keptRois: 'restore' },
  '--forget': { keptRois: 'forget' },
  '--debug-api-beyond-loopback': { debugBeyondLoopback: true },
  '--token': { token: true },
  '--no-token': { token: false },
};

function isSwitch(flag: Flag): flag is SwitchFlag {
  return flag in SWITCHES;
}

function takeSwitch(given: GivenArguments, flag: SwitchFlag): void {
  const { keptRois = given.keptRois, token = given.token } = SWITCHES[flag];
  if ((given.keptRois ?? keptRois) !== keptRois) throw new UsageError('--restore and --forget cannot be used together');
  if ((given.token ?? token) !== token) throw new UsageError('--token and --no-token cannot be used together');
  Object.assign(given, SWITCHES[flag]);
}

type Take = (given: GivenArguments, value: string, flag: Flag) => unknown;

const VALUES: { readonly [Name in ValueFlag]: Take } = {
  '--filter': (given, value) => given.filters.push(value),
  '--overlay': (given, value) => given.overlays.push(toPath(value)),
  '--truth': (given, value) => {
    if (given.truth !== undefined) throw new UsageError('--truth is given twice; name a folder with all files');
    given.truth = toPath(value);
  },
  '--test': (given, value) => {
    if (given.test !== undefined) throw new UsageError('--test is given twice; name a folder with all files');
    given.test = toPath(value);
  },
  '--scores': (given, value) => {
    if (given.scores !== undefined) throw new UsageError('--scores is given twice');
    given.scores = toPath(value);
  },
  '--allow-host': (given, value, flag) =>
    given.allowHosts.push(value === ANY_HOST ? value : parseHostName(flag, value)),
  '--embed': (given, value, flag) => given.embedders.push(parseAncestor(flag, value)),
  '--assist': (given, value, flag) => given.assistants.push(parseAssistant(flag, value)),
  '--profile': (given, value) => (given.profile = value),
  '--endpoint': (given, value, flag) => (given.endpoint = parseEndpoint(flag, value)),
  '--region': (given, value, flag) => (given.region = parseRegion(flag, value)),
  '--bearer-command': (given, value) => (given.bearerCommand = value),
  '--origin-requests': (given, value, flag) => (given.originRequests = parseCount(flag, value, 128)),
  '--origin-timeout': (given, value, flag) => (given.originTimeoutSeconds = parseCount(flag, value, 3_600)),
  '--max-objects': (given, value, flag) => (given.maxObjects = parseCount(flag, value, 10_000_000)),
  '--cache-dir': (given, value) => (given.cacheFolder = toPath(value)),
  '--cache-size': (given, value, flag) => (given.cacheFolderBytes = parseMemory(flag, value, 16)),
  '--index': (given, value) => given.indexes.push(toPath(value)),
  '--where': (given, value) => {
    if (given.where !== undefined) throw new UsageError('--where is given twice; combine the conditions with AND');
    given.where = value;
  },
  '--dicomweb-origin': (given, value, flag) => given.dicomwebOrigins.push(parseOrigin(flag, value)),
  '--mask-key': (given, value) => (given.maskKey = toPath(value)),
  '--annotations': (given, value) => (given.annotations = value),
  '--review': (given, value) => given.reviews.push(toPath(value)),
  '--reader': (given, value, flag) => (given.reader = parseReader(flag, value)),
  '--units': (given, value, flag) => (given.units = parseUnits(flag, value)),
  '--scheme': (given, value) => (given.scheme = toPath(value)),
  '--blind': (given, value) => (given.blind = value),
  '--labels': (given, value) => (given.labels = value),
  '--hanging': (given, value) => (given.hanging = value),
  '--port': (given, value, flag) => (given.port = parsePort(flag, value, 0)),
  '--host': (given, value, flag) => (given.host = parseHostName(flag, value)),
  '--unix-socket': (given, value) => (given.unixSocket = value),
  '--base-path': (given, value, flag) => (given.basePath = parseBasePath(flag, value)),
  '--tunnel': (given, value, flag) => (given.tunnel = parseSshHost(flag, value)),
  '--tunnel-port': (given, value, flag) => (given.tunnelPort = parsePort(flag, value, 1)),
  '--watch-poll': (given, value, flag) => (given.watchPollSeconds = parseTimeout(flag, value)),
  '--timeout': (given, value, flag) => (given.timeoutSeconds = parseTimeout(flag, value)),
  '--memory': (given, value, flag) => (given.memoryBytes = parseMemory(flag, value, 64)),
  '--cache-budget': (given, value, flag) => (given.cacheBytes = parseMemory(flag, value, 16)),
  '--log-level': (given, value, flag) => (given.logLevel = parseLogLevel(flag, value)),
};

function takeValue(given: GivenArguments, flag: ValueFlag, value: string): void {
  if (value === '') throw new UsageError(`${flag} '': the value is empty`);
  VALUES[flag](given, value, flag);
}
