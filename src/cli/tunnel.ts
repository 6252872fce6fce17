import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import type { Leftovers } from './leftovers.ts';
import { printable } from './printable.ts';
import type { Terminal } from './terminal.ts';

/** A remote forward maintained by the system's ssh: a port of another host leads to this server. */
export type Tunnel = {
  /** True only while the other side has confirmed the forward and the connection is up. */
  readonly isOpen: boolean;
  close(): void;
};

export type TunnelOptions = {
  readonly sshHost: string;
  /** 0 lets the other side choose a port. */
  readonly remotePort: number;
  /** `127.0.0.1:8042`, `[::1]:8042` or the path of a socket. */
  readonly target: string;
  /** Called when the forward is established, with its port on the other host. */
  readonly onOpen: (remotePort: number) => void;
  readonly leftovers: Leftovers;
  readonly terminal: Terminal;
};

/**
 * Runs ssh, and ends it when the pipe to this process closes, which the system does even if this process is killed. The
 * watcher ends the process group, because the id of an ssh that has ended may already belong to another process.
 */
const WATCHED_SSH = `
exec 3<&0
ssh "$@" 3<&- &
ssh=$!
{ read -r end <&3; kill 0; } >/dev/null 2>&1 &
exec 3<&-
wait "$ssh"
`;
const NOT_FOUND = 127;

export function openTunnel({ sshHost, remotePort, target, onOpen, leftovers, terminal }: TunnelOptions): Tunnel {
  let state: 'opening' | 'open' | 'ended' = 'opening';
  let complaint: string | undefined;

  // Runs in its own session: Ctrl+C in the terminal is for negato, which then ends the tunnel itself, and ssh has no
  // terminal on which to ask for a password.
  const [program, ...before] =
    process.platform === 'win32' ? (['ssh'] as const) : (['/bin/sh', '-c', WATCHED_SSH, 'ssh'] as const);
  const ssh = spawn(program, [...before, ...sshArguments({ sshHost, remotePort, target })], {
    stdio: ['pipe', 'ignore', 'pipe'],
    detached: true,
  });
  ssh.stdin.on('error', () => undefined);
  const close = leftovers.add(() => {
    state = 'ended';
    ssh.stdin.destroy();
    ssh.kill();
  });
  const end = (reason: string) => {
    if (state === 'ended') return;
    terminal.warn(
      `the tunnel to ${printable(sshHost)} ${state === 'open' ? 'has ended' : 'failed'}: ${printable(reason)}`,
    );
    state = 'ended';
  };

  createInterface({ input: ssh.stderr }).on('line', (line) => {
    terminal.debug(`ssh: ${printable(line)}`);
    const report = readSshLine(line);
    if (report.kind === 'complaint') complaint = report.text;
    // With port 0, ssh first reports success for port 0 and then the port that was chosen.
    const isOurs = report.kind === 'forwarded' && report.port !== 0 && (remotePort === 0 || report.port === remotePort);
    if (!isOurs || state !== 'opening') return;
    state = 'open';
    onOpen(report.port);
  });
  ssh.once('error', (error) => end(`ssh cannot be started (${error.message})`));
  ssh.once('exit', (code, signal) => {
    ssh.stdin.destroy();
    const whenSilent = `ssh exited with ${code ?? signal}`;
    if (code === NOT_FOUND) complaint = `ssh cannot be started (${complaint ?? 'it is not installed'})`;
    // A helper process of ssh can keep its stderr open for longer, but the forward is gone when ssh ends.
    if (state === 'open') end(complaint ?? whenSilent);
    else ssh.once('close', () => end(complaint ?? whenSilent));
  });
  return {
    get isOpen() {
      return state === 'open';
    },
    close,
  };
}

export function sshArguments({
  sshHost,
  remotePort,
  target,
}: Pick<TunnelOptions, 'sshHost' | 'remotePort' | 'target'>): string[] {
  const options = [
    'ExitOnForwardFailure=yes',
    // A prompt (password, unknown host key) would need a terminal, which ssh does not have here.
    'BatchMode=yes',
    'ConnectTimeout=15',
    // A dead connection is detected after 3 x 15 seconds.
    'ServerAliveInterval=15',
    'ServerAliveCountMax=3',
    // A shared connection would keep the forward after its ssh has ended.
    'ControlMaster=no',
    'ControlPath=none',
    'ForwardAgent=no',
    'ForwardX11=no',
    'PermitLocalCommand=no',
    'RemoteCommand=none',
    'RequestTTY=no',
  ];
  return [
    // Verbose, because ssh reports in no other way that the other side has accepted the forward.
    '-v',
    '-N',
    ...options.flatMap((option) => ['-o', option]),
    '-R',
    `localhost:${remotePort}:${target}`,
    '--',
    sshHost,
  ];
}

export type SshReport = { kind: 'forwarded'; port: number } | { kind: 'complaint'; text: string } | { kind: 'chatter' };

/** Interprets one line of `ssh -v`. */
export function readSshLine(line: string): SshReport {
  const port =
    /^debug1: remote forward success for: listen (?:\S+:)?(\d+), connect /.exec(line)?.[1] ??
    /^Allocated port (\d+) for remote forward to /.exec(line)?.[1];
  if (port !== undefined) return { kind: 'forwarded', port: Number(port) };
  if (/^(debug\d: |OpenSSH_|Authenticated to |Authenticated using |Transferred: |Bytes per second: |\s*$)/.test(line)) {
    return { kind: 'chatter' };
  }
  return { kind: 'complaint', text: line.trim() };
}
