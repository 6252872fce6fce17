import { userInfo } from 'node:os';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { createServer, type NegatoServer, type ServerAddress } from '../server/doors/http/createServer.ts';
import { isPublicHost } from '../server/doors/http/hostNames.ts';
import { setMaskKey } from '../server/bytes/masking/masker.ts';
import { type CheckedStart, checkStart } from './checkStart.ts';
import { createIdleTimer } from './idleTimer.ts';
import { createLeftovers } from './leftovers.ts';
import { readMaskKey } from './maskKey.ts';
import { toServerLog } from './serverLog.ts';
import type { Environment, Settings } from './settings.ts';
import { StartFailure, toListenFailure } from './startFailure.ts';
import { forwardCommand, launchUrl, serverStarted, SOCKET_FORWARD_PORT } from './startupLines.ts';
import { watchStandardInput, watchStopSignals } from './stopSignals.ts';
import type { Terminal } from './terminal.ts';

export type Surroundings = { readonly environment: Environment; readonly terminal: Terminal };

/**
 * Opens files until it is told to stop, and returns the exit code. For a fast start, the server listens before anything
 * is scanned and before any code is loaded that it does not need yet.
 */
export async function openFiles(settings: Settings, { environment, terminal }: Surroundings): Promise<0 | 1> {
  const stopWishes: Promise<string>[] = [watchStopSignals(terminal)];
  if (settings.stopWithStdin) stopWishes.push(watchStandardInput());
  const leftovers = createLeftovers();
  const idleTimer = settings.timeoutMs === undefined ? undefined : createIdleTimer(settings.timeoutMs);

  const log = toServerLog(terminal);
  let server: NegatoServer;
  let address: ServerAddress;
  let checked: CheckedStart;
  try {
    // Before any thread is started: each inherits the key.
    if (settings.mask !== undefined) setMaskKey(await readMaskKey(settings.mask.keyFile));
    checked = await checkStart(settings);
    server = createServer({
      listen: settings.listen,
      allowHosts: settings.allowHosts,
      embedders: settings.embedders,
      dicomwebOrigins: settings.dicomwebOrigins,
      basePath: settings.basePath,
      tokenMode: settings.tokenMode,
      fixedToken: settings.fixedToken,
      debugBeyondLoopback: settings.debugBeyondLoopback,
      log,
      ...(idleTimer && { requests: idleTimer }),
    });
    address = await listen(server, settings);
  } catch (error) {
    if (!(error instanceof StartFailure)) throw error;
    terminal.error(error.message);
    return 1;
  }
  announce(address, { settings, environment, terminal });

  const { startSession } = await import('./session.ts');
  // Loading took some time. Signals and requests that arrived in the meantime are handled first.
  await nextTurn();
  const session = startSession({
    settings,
    checked,
    server,
    address,
    idleTimer,
    leftovers,
    environment,
    terminal,
    log,
  });
  // A bug in the background must not end the server, because annotations that are not exported yet would be lost.
  process.on('uncaughtException', (error) => log.error('unexpected error; the server continues to run', error));
  if (idleTimer !== undefined) {
    stopWishes.push(idleTimer.whenIdle.then(() => `no request for ${(settings.timeoutMs ?? 0) / 1000} s`));
  }
  terminal.info(`stopping: ${await Promise.race(stopWishes)}`);
  await session.close().catch((error: unknown) => log.error('the server did not shut down cleanly', error));
  return 0;
}

async function listen(server: NegatoServer, { listen: place }: Settings): Promise<ServerAddress> {
  try {
    return await server.listen();
  } catch (error) {
    throw toListenFailure(error, place);
  }
}

function announce(
  address: ServerAddress,
  { settings, environment, terminal }: Surroundings & { settings: Settings },
): void {
  if (settings.startupJson) terminal.emit(serverStarted(address));
  if (address.socket === undefined) terminal.say(`server running at ${launchUrl(address)}`);
  else terminal.say(`server running at ${launchUrl(address)} on the socket ${address.socket}`);
  if (settings.mask !== undefined) {
    terminal.say('identifiers are masked; text that is part of the pixels is not: cover it with redactions');
  }
  if (settings.listen.kind === 'tcp' && isPublicHost(settings.listen.host)) {
    terminal.warn('other machines can reach this server; the traffic is plain HTTP, which the network can read');
  }
  const command = forwardCommand(address, environment, userName(environment));
  if (command === undefined) return;
  terminal.say(`to open it from your own computer, run there: ${command}`);
  if (address.socket !== undefined) {
    terminal.say(
      `then open ${launchUrl({ ...address, baseUrl: `http://localhost:${SOCKET_FORWARD_PORT}${settings.basePath}` })}`,
    );
  }
}

function userName(environment: Environment): string {
  try {
    return userInfo().username;
  } catch {
    // A user id without an entry in the system's user database, as in many containers.
    return environment.USER ?? 'USER';
  }
}
