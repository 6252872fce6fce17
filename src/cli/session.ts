import { rmSync } from 'node:fs';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { JournalSettings } from '../server/work/journal/keptStore.ts';
import { createDomains } from '../server/createDomains.ts';
import type { NegatoServer, ServerAddress } from '../server/doors/http/createServer.ts';
import type { ServerLog } from '../server/doors/http/serverContext.ts';
import { createDemoFeed } from '../demo/demoFeed.ts';
import { startGarbageCollection } from './collectGarbage.ts';
import type { CheckedStart } from './checkStart.ts';
import type { IdleTimer } from './idleTimer.ts';
import type { Leftovers } from './leftovers.ts';
import { openBrowser } from './openBrowser.ts';
import { createTemporaryFolder, removeAbandonedFolders } from './privateFolders.ts';
import { printable, printableLine } from './printable.ts';
import {
  reportImport,
  reportKept,
  reportScan,
  reportScores,
  reportUnexported,
  reportUnexportedMarks,
  reportUnread,
} from './sessionReports.ts';
import { type Environment, layerPathsOf, type Settings } from './settings.ts';
import { forwardTarget, launchUrl } from './startupLines.ts';
import { stateFolder } from './stateFolder.ts';
import type { Terminal } from './terminal.ts';
import { openTunnel, type Tunnel } from './tunnel.ts';

export type SessionContext = {
  readonly settings: Settings;
  readonly checked: CheckedStart;
  readonly server: NegatoServer;
  readonly address: ServerAddress;
  readonly idleTimer: IdleTimer | undefined;
  readonly leftovers: Leftovers;
  readonly environment: Environment;
  readonly terminal: Terminal;
  readonly log: ServerLog;
};

/** Everything behind the listening server, from the first scan to the final cleanup. */
export type Session = { close(): Promise<void> };

// The server drains for 3 s. If anything after that hangs, the process still ends within 5 s.
const LAST_MOMENT_MS = 4_500;

function inputsOf(settings: Settings): readonly string[] {
  const { source } = settings;
  if (source.kind === 'indexes') return source.addresses;
  return source.kind === 'paths' ? [...source.paths, ...layerPathsOf(settings)] : [];
}

export function startSession(context: SessionContext): Session {
  const { settings, checked, server, address, idleTimer, leftovers, environment, terminal, log } = context;
  const stopping = new AbortController();
  // The server removes its socket file when it closes; this covers exits that do not wait for that.
  const removeSocket = leftovers.add(() => {
    if (address.socket !== undefined) rmSync(address.socket, { force: true });
  });
  const isDemo = settings.source.kind === 'demo';
  const demo = isDemo ? createDemoFeed(createTemporaryFolder(leftovers).path) : undefined;
  const { recursive, archives, watch, memoryBytes, cacheBytes, dicomweb } = settings;
  const onPolling = (reason: string) => terminal.info(`folders are looked at every few seconds: ${reason}`);
  const domains = createDomains({
    inputs: inputsOf(settings),
    requested: layerPathsOf(settings),
    areCompared: settings.compared !== undefined,
    indexes: checked.indexes,
    catalog: {
      recursive,
      archives,
      filters: checked.filters,
      feed: demo?.feed,
      watch: watch && { ...watch, onPolling },
    },
    remote: { ...settings.remote, onTrouble: (message) => terminal.warn(printable(message)) },
    memoryBytes,
    cacheBytes,
    instance: String(server.startedAtMs),
    // The demo study is deleted when the process ends, and so are its ROIs.
    journal: isDemo ? undefined : journalSettings(context),
    csv: settings.annotations === undefined ? undefined : { path: settings.annotations, startDirectory: process.cwd() },
    scheme: checked.scheme,
    hangingRules: checked.hanging,
    review: checked.review && { ...checked.review, onTrouble: (message) => terminal.warn(printableLine(message)) },
    scoresPath: checked.scoresPath,
    dicomweb,
    assistants: settings.assistants,
    demoProgress: () => demo?.progress(),
    onUnread: (unread) => reportUnread(unread, terminal),
    createSpoolFolder: isDemo ? undefined : () => createTemporaryFolder(leftovers).path,
  });
  const tunnel = settings.tunnel && startTunnel(settings.tunnel, context);
  server.serve({ ...domains, tunnelHost: () => (tunnel?.isOpen ? settings.tunnel?.host : undefined) });
  if (settings.openBrowser && address.socket === undefined) {
    openBrowser(launchUrl(address), { environment, platform: process.platform, leftovers, terminal });
  }

  const reportFailure = (what: string) => (error: unknown) => {
    if (!stopping.signal.aborted) log.error(what, error);
  };
  const scanFiles = async () => {
    const reported = reportScan(domains.catalog, { terminal, startupJson: settings.startupJson });
    // Starting the scan threads takes some milliseconds, in addition to the many that the code above took.
    await nextTurn();
    // What is redacted is known before the first file is listed. That takes no time if there is none.
    await domains.redactions.ready;
    if (!stopping.signal.aborted) domains.catalog.start();
    const made = demo?.make(stopping.signal).catch(reportFailure('the demo study could not be written'));
    await reported.catch(reportFailure('the scan failed'));
    await made;
    idleTimer?.start();
    startGarbageCollection();
    await Promise.all([
      reportImport(domains.annotations, terminal),
      domains.scores && reportScores(domains.scores, terminal),
      reportKept(domains.annotations, 'ROI', terminal),
      reportKept(domains.marks, 'mark', terminal),
      reportKept(domains.redactions, 'redaction', terminal),
    ]);
  };
  const scanning = scanFiles();
  removeAbandonedFolders().catch((error: unknown) =>
    terminal.debug(`temporary folders of earlier runs could not be removed: ${String(error)}`),
  );

  return {
    async close() {
      setTimeout(() => process.exit(0), LAST_MOMENT_MS).unref();
      stopping.abort();
      idleTimer?.stop();
      tunnel?.close();
      await Promise.all([server.close().then(removeSocket), domains.stop(), scanning]);
      await domains.close();
      reportUnexported(domains.annotations, terminal);
      reportUnexportedMarks(domains.marks, terminal);
      leftovers.removeAll();
    },
  };
}

function journalSettings({ settings, environment, terminal }: SessionContext): JournalSettings {
  const folder = stateFolder({ environment, platform: process.platform });
  const named = settings.mask !== undefined ? 'the state folder' : printable(folder);
  return {
    folder,
    kept: settings.keptRois,
    onTrouble: (reason) => {
      if (reason === undefined) terminal.warn(`ROIs and marks are saved in ${named} again`);
      else terminal.warn(`ROIs and marks cannot be saved in ${named} (${reason}): export them before you stop negato`);
    },
  };
}

/** If the server has no port of its own, the other side chooses one. */
function startTunnel({ host, port }: NonNullable<Settings['tunnel']>, context: SessionContext): Tunnel {
  const { address, leftovers, terminal } = context;
  return openTunnel({
    sshHost: host,
    remotePort: port ?? address.port,
    target: forwardTarget(address),
    onOpen: (remotePort) => {
      const url = launchUrl({
        baseUrl: `http://localhost:${remotePort}${context.settings.basePath}`,
        token: address.token,
      });
      terminal.say(`the tunnel is open: on ${host}, open ${url}`);
    },
    leftovers,
    terminal,
  });
}
