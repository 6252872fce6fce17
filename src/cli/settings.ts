import { isIPv6 } from 'node:net';
import { ANY_HOST, isPublicHost } from '../server/doors/http/hostNames.ts';
import {
  isRemoteInput,
  labelOfInput,
  parseRemoteInput,
  type RemoteInput,
} from '../server/bytes/origins/remote/remoteInput.ts';
import type { RemoteOptions } from '../server/bytes/origins/remote/remoteAccess.ts';
import type { TableLevel } from '../shared/tableLevel.ts';
import type { GivenArguments } from './arguments.ts';
import type { LogLevel } from './optionValues.ts';
import { UsageError } from './usageError.ts';

/** The arguments with all defaults filled in, and checked for consistency. */
export type Settings = {
  readonly source:
    | { readonly kind: 'demo' }
    | { readonly kind: 'paths'; readonly paths: readonly string[] }
    | {
        readonly kind: 'indexes';
        readonly paths: readonly string[];
        /** The machines and places where files of the indexes may be; files on this machine may be anywhere. */
        readonly addresses: readonly string[];
      };
  readonly recursive: boolean;
  /** Whether archives in folders are opened. */
  readonly archives: boolean;
  /** Whether files that appear later are shown; `pollMs` is how often to look, if the user says so. */
  readonly watch: { readonly pollMs: number | undefined } | undefined;
  /** As given: `FIELD=VALUE`. */
  readonly filters: readonly string[];
  /** The condition of `--where`. */
  readonly where: string | undefined;
  /** Model output that lies over the images of the paths. */
  readonly overlays: readonly string[];
  /** Files or folders of layers that are compared. */
  readonly compared: { readonly truth: string; readonly test: string } | undefined;
  /** A file that negato compare has written. */
  readonly scores: string | undefined;
  /** How files on other machines are read. */
  readonly remote: RemoteSettings;
  readonly annotations: string | undefined;
  /** Whether identifiers are masked, and the file with the secret for it; without one, each run has its own. */
  readonly mask: { readonly keyFile: string | undefined } | undefined;
  /** Of `--review`: decisions are written to the first path, others are only read. */
  readonly review:
    | {
        readonly paths: readonly string[];
        readonly reader: string;
        readonly level: TableLevel;
        readonly schemePath: string | undefined;
        readonly seed: string | undefined;
        readonly isSecond: boolean;
      }
    | undefined;
  readonly labels: string | undefined;
  /** The addresses of `--assist`, with their credentials. */
  readonly assistants: readonly string[];
  /** The file with the rules for what a study shows when it is opened. */
  readonly hanging: string | undefined;
  /** What to do with ROIs of these files that were kept by an earlier run. */
  readonly keptRois: 'offer' | 'restore' | 'forget';
  readonly listen:
    | { readonly kind: 'tcp'; readonly host: string; readonly port: number }
    | { readonly kind: 'unix'; readonly path: string };
  /** The prefix of all paths; empty if there is none. */
  readonly basePath: string;
  /** In the form used in a URL. */
  readonly allowHosts: readonly string[];
  /** Sources of a content security policy. */
  readonly embedders: readonly string[];
  /** Whether negato answers DICOMweb, and the origins whose pages may use it. */
  readonly dicomweb: boolean;
  readonly dicomwebOrigins: readonly string[];
  /** `auto`: only clients not known to be the user who started negato need a token. */
  readonly tokenMode: 'auto' | 'required' | 'off';
  /** From NEGATO_TOKEN or DCMVIEW_TOKEN; otherwise the server generates one. */
  readonly fixedToken: string | undefined;
  readonly tunnel: { readonly host: string; readonly port: number | undefined } | undefined;
  readonly timeoutMs: number | undefined;
  readonly memoryBytes: number | undefined;
  /** Maximum memory for cached frames. */
  readonly cacheBytes: number | undefined;
  /** Whether a debug-api build may be reached by other machines. */
  readonly debugBeyondLoopback: boolean;
  readonly openBrowser: boolean;
  readonly startupJson: boolean;
  readonly stopWithStdin: boolean;
  readonly logLevel: LogLevel;
};

export type RemoteSettings = Omit<RemoteOptions, 'inputs' | 'cacheBytes' | 'isWatched' | 'onTrouble'>;

const MOST_REQUESTS = 64;
const MOST_OBJECTS = 1_000_000;
const MOST_CACHED_BYTES = 10 * 1024 ** 3;

export type Environment = Readonly<Record<string, string | undefined>>;

const SHORTEST_TOKEN = 32;

/** Throws UsageError if options contradict each other. */
export function toSettings(given: GivenArguments, environment: Environment): Settings {
  refuseContradictions(given);
  const host = given.host ?? '127.0.0.1';
  return {
    source: toSource(given),
    recursive: given.recursive ?? true,
    archives: given.archives ?? true,
    watch: watchOf(given),
    filters: given.filters,
    where: given.where,
    overlays: given.overlays,
    compared: comparedOf(given),
    scores: given.scores,
    remote: {
      anonymous: given.anonymous ?? false,
      profile: given.profile,
      endpoint: given.endpoint,
      region: given.region,
      bearerCommand: given.bearerCommand,
      requests: given.originRequests ?? MOST_REQUESTS,
      listingMs: given.originTimeoutSeconds && given.originTimeoutSeconds * 1000,
      maxObjects: given.maxObjects ?? MOST_OBJECTS,
      cacheFolder: given.cacheFolder,
      cacheFolderBytes: given.cacheFolderBytes ?? MOST_CACHED_BYTES,
    },
    annotations: given.annotations,
    mask: isMaskedRun(given) ? { keyFile: given.maskKey } : undefined,
    review: reviewOf(given),
    labels: given.labels,
    assistants: given.assistants,
    hanging: given.hanging,
    keptRois: given.keptRois ?? 'offer',
    listen:
      given.unixSocket === undefined
        ? { kind: 'tcp', host, port: given.port ?? 0 }
        : { kind: 'unix', path: given.unixSocket },
    basePath: given.basePath ?? '',
    allowHosts: given.allowHosts.map((name) => (isIPv6(name) ? `[${name}]` : name)),
    embedders: given.embedders,
    dicomweb: given.dicomweb ?? false,
    dicomwebOrigins: given.dicomwebOrigins,
    tokenMode: tokenMode(given),
    fixedToken: fixedToken('NEGATO_TOKEN', environment) ?? fixedToken('DCMVIEW_TOKEN', environment),
    tunnel: given.tunnel === undefined ? undefined : { host: given.tunnel, port: given.tunnelPort },
    timeoutMs: given.timeoutSeconds === undefined ? undefined : given.timeoutSeconds * 1000,
    memoryBytes: given.memoryBytes,
    cacheBytes: given.cacheBytes,
    debugBeyondLoopback: given.debugBeyondLoopback ?? false,
    openBrowser: given.browser ?? true,
    startupJson: given.startupJson ?? false,
    stopWithStdin: given.stopWithStdin ?? false,
    logLevel: given.logLevel ?? 'info',
  };
}

function toSource({ paths, indexes }: GivenArguments): Settings['source'] {
  if (indexes.length > 0) return { kind: 'indexes', paths: indexes, addresses: paths };
  return paths.length > 0 ? { kind: 'paths', paths } : { kind: 'demo' };
}

function isMaskedRun({ mask, maskKey }: GivenArguments): boolean {
  return mask === true || maskKey !== undefined;
}

/** Who decides where others differ. */
const CONSENSUS = 'consensus';

/** Throws UsageError for options that only a review has. */
function reviewOf(given: GivenArguments): Settings['review'] {
  const { reviews, reader, units, scheme, blind, second = false } = given;
  if (reviews.length === 0) {
    const options = { '--reader': reader, '--units': units, '--scheme': scheme, '--blind': blind };
    const other =
      Object.entries(options).find(([, value]) => value !== undefined)?.[0] ?? (second ? '--second' : undefined);
    if (other !== undefined) throw new UsageError(`${other} requires --review FILE`);
    return undefined;
  }
  if (second && reader !== undefined)
    throw new UsageError(`--reader cannot be used with --second, whose reader is ${CONSENSUS}`);
  if (!second && reader === undefined) throw new UsageError('--review requires --reader NAME');
  // Verdicts are kept by UIDs, which would be others in the next run.
  if (given.mask === true && given.maskKey === undefined) {
    throw new UsageError('--review with --mask requires --mask-key FILE, so that the next run has the same UIDs');
  }
  return {
    paths: reviews,
    reader: reader ?? CONSENSUS,
    level: units ?? 'series',
    schemePath: scheme,
    seed: blind,
    isSecond: second,
  };
}

/** Throws UsageError if there is nothing to compare with. */
function comparedOf({ truth, test, paths, indexes }: GivenArguments): Settings['compared'] {
  if (truth === undefined && test === undefined) return undefined;
  if (truth === undefined) throw new UsageError('--test requires --truth PATH, which it is compared with');
  if (test === undefined) throw new UsageError('--truth requires --test PATH, which is compared with it');
  if (indexes.length > 0) throw new UsageError('--truth cannot be used with --index');
  if (paths.length === 0) throw new UsageError('--truth needs a PATH with the images that both lie over');
  if (truth === test) throw new UsageError('--truth and --test are the same path');
  return { truth, test };
}

/** All paths whose layers are shown: those that are compared come first, because a file may be in a folder of others. */
export function layerPathsOf({ overlays, compared }: Pick<Settings, 'overlays' | 'compared'>): readonly string[] {
  return compared === undefined ? overlays : [compared.truth, compared.test, ...overlays];
}

function watchOf({ watch, watchPollSeconds }: GivenArguments): Settings['watch'] {
  if (watch !== true && watchPollSeconds === undefined) return undefined;
  return { pollMs: watchPollSeconds === undefined ? undefined : watchPollSeconds * 1000 };
}

function refuseContradictions(given: GivenArguments): void {
  const layerPaths = [...given.overlays, given.truth, given.test].filter((path) => path !== undefined);
  for (const path of [...given.paths, ...layerPaths].filter(isRemoteInput)) refuseBadAddress(path, given);
  for (const assistant of given.assistants) refusePlainHttp(new URL(assistant), '--assist', given);
  if (given.endpoint !== undefined) refusePlainHttp(new URL(given.endpoint), '--endpoint', given);
  if (given.indexes.length > 0) {
    const other = given.paths.some((path) => !isRemoteInput(path)) ? 'a PATH' : given.demo ? '--demo' : undefined;
    if (other !== undefined) throw new UsageError(`--index cannot be used with ${other}`);
    if (given.overlays.length > 0) throw new UsageError('--overlay cannot be used with --index');
    // An index has the identifiers of the files.
    if (isMaskedRun(given)) throw new UsageError('--index cannot be used with --mask');
  }
  if (given.keptRois !== undefined && given.paths.length === 0 && given.indexes.length === 0) {
    throw new UsageError(`--${given.keptRois} requires a PATH: ROIs of the demo study are not saved`);
  }
  if (given.overlays.length > 0 && given.paths.length === 0) {
    throw new UsageError('--overlay needs a PATH with the images that it lies over');
  }
  if (given.scores !== undefined && given.paths.length === 0 && given.indexes.length === 0) {
    throw new UsageError('--scores needs a PATH with the images that the scores are about');
  }
  if (given.demo && given.paths.length > 0) throw new UsageError('--demo cannot be used with a PATH');
  if (given.cacheFolderBytes !== undefined && given.cacheFolder === undefined) {
    throw new UsageError('--cache-size requires --cache-dir');
  }
  if (given.tunnelPort !== undefined && given.tunnel === undefined) {
    throw new UsageError(`--tunnel-port ${given.tunnelPort}: requires --tunnel SSH_HOST`);
  }
  for (const [flag, value] of [['--port', given.port] as const, ['--host', given.host] as const]) {
    if (given.unixSocket !== undefined && value !== undefined) {
      throw new UsageError(`${flag} ${value}: cannot be used with --unix-socket`);
    }
  }
  if (given.token === false && given.host !== undefined && isPublicHost(given.host)) {
    throw new UsageError(`--no-token is not allowed with --host ${given.host}: other machines can reach that address`);
  }
  // Files that appear later are listed by their own paths.
  if (watchOf(given) !== undefined && isMaskedRun(given)) throw new UsageError('--watch cannot be used with --mask');
  // DICOMweb sends instances as they are stored.
  if (given.dicomweb === true && isMaskedRun(given)) throw new UsageError('--dicomweb cannot be used with --mask');
  if (given.dicomwebOrigins.length > 0 && !given.dicomweb) {
    throw new UsageError('--dicomweb-origin requires --dicomweb');
  }
  const opened = findOpening(given);
  if (given.token === false && opened !== undefined) {
    throw new UsageError(`--no-token is not allowed with ${opened}: other web pages can then reach the server`);
  }
  if (given.token === false && given.tunnel !== undefined) {
    throw new UsageError(
      `--no-token is not allowed with --tunnel ${given.tunnel}: every user of that host can reach the port`,
    );
  }
}

function refuseBadAddress(path: string, given: GivenArguments): void {
  let input: RemoteInput;
  try {
    input = parseRemoteInput(path);
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
  if ('url' in input) refusePlainHttp(input.url, labelOfInput(input), given);
}

/** The network can read and change what is sent without encryption. */
function refusePlainHttp({ protocol, hostname }: URL, what: string, { insecureHttp }: GivenArguments): void {
  if (protocol !== 'http:' || insecureHttp === true || !isPublicHost(hostname.replace(/^\[|\]$/g, ''))) return;
  throw new UsageError(`${what}: use https, or add --insecure-http`);
}

/** The option that lets other web pages reach the server. */
function findOpening({ embedders, allowHosts }: GivenArguments): string | undefined {
  if (embedders.length > 0) return '--embed';
  return allowHosts.includes(ANY_HOST) ? "--allow-host '*'" : undefined;
}

function tokenMode(given: GivenArguments): Settings['tokenMode'] {
  if (given.token === false) return 'off';
  // Clients that come through the tunnel arrive as the user's own ssh, and requests of other pages as the user's own
  // browser, so their identity proves nothing.
  const isOpened = given.tunnel !== undefined || findOpening(given) !== undefined;
  return given.token || isOpened ? 'required' : 'auto';
}

/**
 * Scripts written for dcmview set the second one. The token must be stronger than dcmview requires, because others may
 * be able to reach the server.
 */
export const TOKEN_VARIABLES = ['NEGATO_TOKEN', 'DCMVIEW_TOKEN'] as const;

function fixedToken(name: (typeof TOKEN_VARIABLES)[number], environment: Environment): string | undefined {
  const token = environment[name];
  if (token === undefined || token === '') return undefined;
  // The message omits the value, because it is a secret.
  if (token.length < SHORTEST_TOKEN || !/^[\x21-\x7e]+$/.test(token)) {
    throw new UsageError(`${name}: must have at least ${SHORTEST_TOKEN} visible ASCII characters and no spaces`);
  }
  return token;
}
