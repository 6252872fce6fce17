import { ANY_HOST } from '../server/doors/http/hostNames.ts';
import { KNOWN_OPTIONS, type KnownOption, type SwitchFlag, type ValueFlag } from './options.ts';
import {
  parseAncestor,
  parseCount,
  parseEndpoint,
  parseBasePath,
  parseHostName,
  parseLogLevel,
  parseMemory,
  parseOrigin,
  parsePort,
  parseRegion,
  parseSshHost,
  parseTimeout,
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
  allowHosts: string[];
  embedders: string[];
  dicomwebOrigins: string[];
  indexes: string[];
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
  | { kind: 'index'; words: readonly string[] };

/** Parses the command line. Throws UsageError. */
export function parseArguments(argv: readonly string[]): ParsedCommand {
  const words = withoutBridgeClient(argv);
  // A folder of this name is opened as ./index.
  if (words[0] === 'index') return { kind: 'index', words: words.slice(1) };
  const given: GivenArguments = {
    paths: [],
    filters: [],
    overlays: [],
    allowHosts: [],
    embedders: [],
    dicomwebOrigins: [],
    indexes: [],
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
    if (option.flag === '--help') return { kind: 'help' };
    if (option.flag === '--version') return { kind: 'version' };
    if ('value' in option) {
      takeValue(given, option.flag, attached ?? followingValue(option, words[++position]));
    } else if (attached === undefined) {
      takeSwitch(given, option.flag);
    } else {
      throw new UsageError(`${option.flag} ${printable(attached)}: this option does not take a value`);
    }
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
function findOption(word: string): { option: KnownOption; attached: string | undefined } {
  const equals = word.indexOf('=');
  const name = word.startsWith('--') && equals > 0 ? word.slice(0, equals) : word;
  const named = findByName(name);
  if (named) return { option: named, attached: name === word ? undefined : word.slice(equals + 1) };
  const short = findByName(word.slice(0, 2));
  if (short && 'value' in short && !word.startsWith('--'))
    return { option: short, attached: word.slice(2).replace(/^=/, '') };
  const suggestion = suggestFlag(name);
  throw new UsageError(`unknown option ${printable(name)}${suggestion ? `; did you mean ${suggestion}?` : ''}`);
}

function findByName(name: string): KnownOption | undefined {
  return KNOWN_OPTIONS.find((option) => option.flag === name || ('short' in option && option.short === name));
}

function followingValue({ flag, value }: { flag: ValueFlag; value: string }, next: string | undefined): string {
  if (next === undefined) throw new UsageError(`${flag} requires a value: ${flag} ${value}`);
  if (findByName(next)) throw new UsageError(`${flag} requires a value before ${next}: ${flag} ${value}`);
  return next;
}

function takeSwitch(given: GivenArguments, flag: SwitchFlag): void {
  switch (flag) {
    case '--no-recursive':
      given.recursive = false;
      return;
    case '--anonymous':
      given.anonymous = true;
      return;
    case '--insecure-http':
      given.insecureHttp = true;
      return;
    case '--watch':
      given.watch = true;
      return;
    case '--no-archives':
      given.archives = false;
      return;
    case '--no-browser':
      given.browser = false;
      return;
    case '--mask':
      given.mask = true;
      return;
    case '--demo':
      given.demo = true;
      return;
    case '--startup-json':
      given.startupJson = true;
      return;
    case '--dicomweb':
      given.dicomweb = true;
      return;
    case '--stop-with-stdin':
      given.stopWithStdin = true;
      return;
    case '--restore':
    case '--forget': {
      const wish = flag === '--restore' ? 'restore' : 'forget';
      if (given.keptRois !== undefined && given.keptRois !== wish) {
        throw new UsageError('--restore and --forget cannot be used together');
      }
      given.keptRois = wish;
      return;
    }
    case '--debug-api-beyond-loopback':
      given.debugBeyondLoopback = true;
      return;
    case '--token':
    case '--no-token': {
      const token = flag === '--token';
      if (given.token === !token) throw new UsageError('--token and --no-token cannot be used together');
      given.token = token;
      return;
    }
  }
}

function takeValue(given: GivenArguments, flag: ValueFlag, value: string): void {
  if (value === '') throw new UsageError(`${flag} '': the value is empty`);
  switch (flag) {
    case '--filter':
      given.filters.push(value);
      return;
    case '--overlay':
      given.overlays.push(toPath(value));
      return;
    case '--allow-host':
      given.allowHosts.push(value === ANY_HOST ? value : parseHostName(flag, value));
      return;
    case '--embed':
      given.embedders.push(parseAncestor(flag, value));
      return;
    case '--profile':
      given.profile = value;
      return;
    case '--endpoint':
      given.endpoint = parseEndpoint(flag, value);
      return;
    case '--region':
      given.region = parseRegion(flag, value);
      return;
    case '--bearer-command':
      given.bearerCommand = value;
      return;
    case '--origin-requests':
      given.originRequests = parseCount(flag, value, 128);
      return;
    case '--origin-timeout':
      given.originTimeoutSeconds = parseCount(flag, value, 3_600);
      return;
    case '--max-objects':
      given.maxObjects = parseCount(flag, value, 10_000_000);
      return;
    case '--cache-dir':
      given.cacheFolder = toPath(value);
      return;
    case '--cache-size':
      given.cacheFolderBytes = parseMemory(flag, value, 16);
      return;
    case '--index':
      given.indexes.push(toPath(value));
      return;
    case '--where':
      if (given.where !== undefined) throw new UsageError('--where is given twice; combine the conditions with AND');
      given.where = value;
      return;
    case '--dicomweb-origin':
      given.dicomwebOrigins.push(parseOrigin(flag, value));
      return;
    case '--mask-key':
      given.maskKey = toPath(value);
      return;
    case '--annotations':
      given.annotations = value;
      return;
    case '--labels':
      given.labels = value;
      return;
    case '--port':
      given.port = parsePort(flag, value, 0);
      return;
    case '--host':
      given.host = parseHostName(flag, value);
      return;
    case '--unix-socket':
      given.unixSocket = value;
      return;
    case '--base-path':
      given.basePath = parseBasePath(flag, value);
      return;
    case '--tunnel':
      given.tunnel = parseSshHost(flag, value);
      return;
    case '--tunnel-port':
      given.tunnelPort = parsePort(flag, value, 1);
      return;
    case '--watch-poll':
      given.watchPollSeconds = parseTimeout(flag, value);
      return;
    case '--timeout':
      given.timeoutSeconds = parseTimeout(flag, value);
      return;
    case '--memory':
      given.memoryBytes = parseMemory(flag, value, 64);
      return;
    case '--cache-budget':
      given.cacheBytes = parseMemory(flag, value, 16);
      return;
    case '--log-level':
      given.logLevel = parseLogLevel(flag, value);
      return;
  }
}
