import type { SkipReason } from '../shared/contract/files.ts';
import type { ServerAddress } from '../server/doors/http/createServer.ts';
import type { Environment } from './settings.ts';

/** The first event of --startup-json. A server on a socket file has host `localhost` and port 0. */
export type ServerStarted = {
  readonly type: 'server_started';
  readonly url: string;
  readonly base_url: string;
  readonly host: string;
  readonly port: number;
  readonly token: string | null;
  readonly socket: string | null;
  readonly protocol: 1;
};

export function serverStarted(address: ServerAddress): ServerStarted {
  const { baseUrl, host, port, token, socket } = address;
  return {
    type: 'server_started',
    url: launchUrl(address),
    base_url: baseUrl,
    host,
    port,
    token: token ?? null,
    socket: socket ?? null,
    protocol: 1,
  };
}

/** The URL of the page, with the token in the fragment, which browsers do not send. */
export function launchUrl({ baseUrl, token }: Pick<ServerAddress, 'baseUrl' | 'token'>): string {
  return `${baseUrl}/${token === undefined ? '' : `#token=${encodeURIComponent(token)}`}`;
}

/** The target of an ssh forward. */
export function forwardTarget({ baseUrl, socket }: ServerAddress): string {
  // A colon or a backslash would end the field, and a percent sign would start an ssh token.
  return socket?.replaceAll(/[\\:]/g, '\\$&').replaceAll('%', '%%') ?? new URL(baseUrl).host;
}

/**
 * The command to run on the user's computer if this one was reached by SSH, or is a node of a cluster, which is reached
 * through the host where its job was submitted. SSH_CONNECTION holds the address and port of the client, then those of the
 * server. Undefined if this computer is the user's own.
 */
export function forwardCommand(
  address: ServerAddress,
  { SSH_CONNECTION, SLURM_JOB_ID, SLURM_SUBMIT_HOST, SLURMD_NODENAME }: Environment,
  user: string,
): string | undefined {
  const forward = `${address.port === 0 ? SOCKET_FORWARD_PORT : address.port}:${forwardTarget(address)}`;
  if (SLURM_JOB_ID && SLURMD_NODENAME && SLURMD_NODENAME !== SLURM_SUBMIT_HOST) {
    const jump = `${user}@${SLURM_SUBMIT_HOST || 'LOGIN_HOST'}`;
    return toCommand(['ssh', '-N', '-L', forward, '-J', jump, `${user}@${SLURMD_NODENAME}`]);
  }
  if (!SSH_CONNECTION) return undefined;
  const [, , sshAddress = 'HOST', sshPort] = SSH_CONNECTION.split(' ');
  const portOption = sshPort === undefined || sshPort === '22' ? [] : ['-p', sshPort];
  return toCommand(['ssh', '-N', ...portOption, '-L', forward, `${user}@${sshAddress}`]);
}

function toCommand(words: readonly string[]): string {
  return words.map(shellWord).join(' ');
}

/** The port on the user's computer for a server without a port of its own. */
export const SOCKET_FORWARD_PORT = 8042;

/** As a word of a command line. */
export function shellWord(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

export type ScanTotals = {
  readonly files: number;
  readonly skipped: number;
  readonly filtered: number;
  readonly byReason: ReadonlyMap<SkipReason, number>;
};

const IN_WORDS: Readonly<Record<SkipReason, string>> = {
  input_path_unavailable: 'not found',
  directory_entry_unreadable: 'in unreadable folders',
  not_dicom: 'not DICOM',
  dicom_parse_failed: 'damaged',
  media_directory: 'DICOMDIR',
  media_file_missing: 'missing, though a DICOMDIR names them',
  unreadable: 'unreadable',
  filter_mismatch: 'filtered out',
  limit_exceeded: 'beyond the limit',
  origin_denied: 'refused by their server',
  origin_failed: 'not sent by their server',
  archive_encrypted: 'encrypted',
  archive_damaged: 'in damaged archives',
  archive_unsupported: 'in unsupported archives',
  archive_limit: 'beyond the limits of archives',
  index_damaged: 'damaged in the index',
};

/** What the scan found, and what it skipped and why. */
export function scanSummary({ files, skipped, filtered, byReason }: ScanTotals): string {
  const reasons = [...byReason]
    .filter(([reason, count]) => count > 0 && reason !== 'filter_mismatch')
    .toSorted(([, a], [, b]) => b - a)
    .map(([reason, count]) => `${count} ${IN_WORDS[reason]}`);
  const others = [
    ...(skipped > 0 ? [`${skipped} skipped: ${reasons.join(', ')}`] : []),
    ...(filtered > 0 ? [`${filtered} filtered out`] : []),
  ];
  const found = files === 0 ? 'no DICOM files found' : `${files} DICOM ${files === 1 ? 'file' : 'files'}`;
  return [found, ...others].join('; ');
}

export function progressText({ files, skipped, filtered }: Omit<ScanTotals, 'byReason'>): string {
  const others = [
    ...(skipped > 0 ? [`${skipped} skipped`] : []),
    ...(filtered > 0 ? [`${filtered} filtered out`] : []),
  ];
  return `scanning: ${[`${files} DICOM ${files === 1 ? 'file' : 'files'}`, ...others].join(', ')}`;
}
