import type { Shard } from '../server/images/catalog/indexFiles.ts';
import type { TableFormat } from '../server/images/tables/writeTableFile.ts';
import { splitColumnNames } from '../shared/columnNames.ts';
import { TABLE_LEVELS, type TableLevel } from '../shared/tableLevel.ts';
import { isRemoteInput } from '../server/bytes/origins/remote/remoteInput.ts';
import { parseArguments } from './arguments.ts';
import { printable } from './printable.ts';
import { type RemoteSettings, toSettings } from './settings.ts';
import { UsageError } from './usageError.ts';

/** The arguments of `negato index`. */
export type IndexArguments = WriteArguments | MergeArguments | UpdateArguments;

/** Tables become one. */
export type MergeArguments = { readonly kind: 'merge'; readonly tables: readonly string[]; readonly out: string };

/** A table becomes that of the files that are there now. */
export type UpdateArguments = {
  readonly kind: 'update';
  readonly paths: readonly string[];
  readonly table: string;
  /** Undefined: that of the table. */
  readonly shard: Shard | undefined;
};

export type WriteArguments = {
  readonly kind: 'write';
  readonly paths: readonly string[];
  /** Undefined: standard output. */
  readonly out: string | undefined;
  readonly format: TableFormat;
  readonly level: TableLevel;
  readonly where: string | undefined;
  readonly shard: Shard;
  /** Names of columns; undefined for the usual ones. */
  readonly columns: readonly string[] | undefined;
  /** As given: `FIELD=VALUE`. */
  readonly filters: readonly string[];
  readonly recursive: boolean;
  /** How files on other machines are read. */
  readonly remote: RemoteSettings;
};

/** More shards than files of any folder would be a mistake. */
const MOST_SHARDS = 1_000_000;

const OWN_VALUES = ['--out', '--level', '--where', '--columns', '--shard', '--filter', '--update'];
/** Options that mean the same as for the viewer. */
const REMOTE_SWITCHES = ['--anonymous', '--insecure-http'];
const REMOTE_VALUES = [
  '--profile',
  '--endpoint',
  '--region',
  '--bearer-command',
  '--origin-requests',
  '--origin-timeout',
  '--max-objects',
];

export const INDEX_HELP = `negato index PATH... --out FILE [options]
negato index PATH... --update INDEX [--shard I/N]
negato index --merge INDEX... --out FILE

Reads the headers of all files and writes a table with one row for each file, series or study.

    --out FILE           .parquet (negato --index opens the one of files), .csv or .jsonl, which
                         appears when it is complete; - writes CSV to the terminal or a pipe
    --level LEVEL        what a row is: file (default), series or study
    --where CONDITION    only files that meet it, such as "Modality='MR' and EchoTime<30";
                         series and studies of which a file does
    --columns NAMES      instead of the usual elements, separated by commas: EchoTime,
                         (0018,9087), Sequence[0].Keyword, 0019,xx0C@CREATOR; repeatable
    --shard I/N          only part I of N (from 1 to N), to run N commands side by side
    --filter FIELD=VALUE only files whose FIELD contains VALUE; repeat to narrow
    --no-recursive       do not enter subfolders
    --update INDEX       read only files of the PATHs that are new or have changed since the index
                         was written, by path, size and time, and drop those that are gone
    --merge              the PATHs are indexes (.parquet), such as those of all parts; of two rows
                         with one path, that of the later change is taken

A PATH may be an address (s3://, gs://, az://, https://, dicomweb+https://). For these:

    --anonymous          ask object storage without credentials
    --profile NAME       profile of the AWS configuration for s3:// (default: AWS_PROFILE)
    --endpoint URL       server for s3://, gs:// and az:// that is not the public one
    --region NAME        region of the buckets of s3:// (default: AWS_REGION)
    --bearer-command COMMAND
                         program that prints a token for https:// and DICOMweb servers
    --origin-requests N  most requests to another machine at a time (default 64)
    --origin-timeout SECONDS
                         longest wait for one answer to a listing or a search (default 18)
    --max-objects N      most files of each address, of all parts together (default 1000000)
    --insecure-http      allow http:// to other machines, which the network can read

Exit status: 0 written, 1 failed, 2 usage error.`;

/** Parses what follows `negato index`; undefined if only the help is wanted. Throws UsageError. */
export function parseIndexArguments(words: readonly string[]): IndexArguments | undefined {
  const paths: string[] = [];
  const columns: string[] = [];
  const filters: string[] = [];
  const remote: string[] = [];
  let out: string | undefined;
  let level: TableLevel = 'file';
  let where: string | undefined;
  let shard: Shard | undefined;
  let table: string | undefined;
  let isMerge = false;
  let recursive = true;
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
    if (flag === '--no-recursive' && equals === -1) {
      recursive = false;
      continue;
    }
    if (flag === '--merge' && equals === -1) {
      isMerge = true;
      continue;
    }
    if (REMOTE_SWITCHES.includes(flag)) {
      remote.push(word);
      continue;
    }
    if (![...OWN_VALUES, ...REMOTE_VALUES].includes(flag)) {
      throw new UsageError(`unknown option ${printable(flag)} of negato index`);
    }
    const value = equals === -1 ? words[++at] : word.slice(equals + 1);
    if (value === undefined || value === '') throw new UsageError(`${flag} requires a value`);
    if (flag === '--out') out = value;
    else if (flag === '--level') level = parseLevel(value);
    else if (flag === '--where') {
      if (where !== undefined) throw new UsageError('--where is given twice; combine the conditions with AND');
      where = value;
    } else if (flag === '--columns') columns.push(...splitColumnNames(value));
    else if (flag === '--shard') shard = parseShard(value);
    else if (flag === '--filter') filters.push(value);
    else if (flag === '--update') table = value;
    else remote.push(`${flag}=${value}`);
  }
  if (isMerge) return mergeArguments(paths, out, words);
  if (paths.length === 0) throw new UsageError('negato index requires a PATH');
  if (table !== undefined) return updateArguments({ paths, table, shard }, words);
  if (out === undefined) throw new UsageError('negato index requires --out FILE');
  if (level !== 'file' && (shard?.count ?? 1) > 1)
    throw new UsageError('--shard needs rows of files: a series may be in several parts');
  return {
    kind: 'write',
    paths,
    out: out === '-' ? undefined : out,
    format: formatOf(out),
    level,
    where,
    columns: columns.length === 0 ? undefined : columns,
    shard: shard ?? { number: 1, count: 1 },
    filters,
    recursive,
    remote: readRemoteOptions(remote, paths),
  };
}

function mergeArguments(tables: readonly string[], out: string | undefined, words: readonly string[]): MergeArguments {
  refuseOthers('--merge', words, ['--merge', '--out']);
  if (tables.length < 2) throw new UsageError('--merge requires two indexes');
  if (out === undefined) throw new UsageError('negato index requires --out FILE');
  if (out === '-' || formatOf(out) !== 'parquet') throw new UsageError('--merge writes a .parquet file');
  return { kind: 'merge', tables, out };
}

function updateArguments(given: Omit<UpdateArguments, 'kind'>, words: readonly string[]): UpdateArguments {
  refuseOthers('--update', words, ['--update', '--shard']);
  if (given.paths.some(isRemoteInput)) {
    throw new UsageError('--update is for files of this machine; write the index of an address again');
  }
  return { kind: 'update', ...given };
}

/** The index has what other options would say. */
function refuseOthers(mode: string, words: readonly string[], allowed: readonly string[]): void {
  const end = words.indexOf('--');
  const flags = words.slice(0, end === -1 ? words.length : end).filter((word) => /^-./.test(word));
  const other = flags.map((word) => word.split('=')[0]!).find((flag) => !allowed.includes(flag));
  if (other !== undefined) throw new UsageError(`${other} cannot be used with ${mode}`);
}

function formatOf(out: string): TableFormat {
  if (out === '-' || /\.csv$/i.test(out)) return 'csv';
  return /\.(?:jsonl|ndjson)$/i.test(out) ? 'jsonl' : 'parquet';
}

function parseLevel(value: string): TableLevel {
  const level = TABLE_LEVELS.find((one) => one === value);
  if (level !== undefined) return level;
  throw new UsageError(`--level ${printable(value)}: one of ${TABLE_LEVELS.join(', ')}`);
}

/** As the viewer reads them, with its checks of addresses. */
function readRemoteOptions(options: readonly string[], paths: readonly string[]): RemoteSettings {
  const command = parseArguments([...options, '--', ...paths]);
  if (command.kind !== 'open') throw new Error('these options open files');
  return toSettings(command.given, {}).remote;
}

function parseShard(value: string): Shard {
  const [, number, count] = /^(\d{1,7})\/(\d{1,7})$/.exec(value) ?? [];
  const shard = { number: Number(number ?? 0), count: Number(count ?? 0) };
  if (shard.number >= 1 && shard.number <= shard.count && shard.count <= MOST_SHARDS) return shard;
  throw new UsageError(`--shard ${printable(value)}: I/N, where I is from 1 to N, such as 3/8`);
}
