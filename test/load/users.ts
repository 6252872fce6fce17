import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { get } from 'node:http';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { writeDicom } from '../../src/server/standard/dicom/writeDicom.ts';
import { type BuiltServer, listFiles, startBuiltServer } from '../support/builtServer.ts';
import { ctRow } from '../support/imageElements.ts';

export type UsersOptions = { readonly rounds: number; readonly floodSeconds: number };

const NOBODY = 65_534;
const TOKEN = 'a-token-of-the-owner-that-nobody-else-may-see-0123456789';

/**
 * Another user of the host takes the port of the server, connects to it in thousands, and looks for its files. Needs root,
 * who starts processes of both users. Returns whether anything was accepted, sent or found.
 */
export async function attackAsOtherUser({ rounds, floodSeconds }: UsersOptions): Promise<boolean> {
  if (process.getuid?.() !== 0) throw new Error('--users needs root, to start processes of another user');
  const folder = mkdtempSync(join(tmpdir(), 'negato-users-'));
  try {
    const files = join(folder, 'files');
    mkdirSync(files);
    writeFileSync(join(files, 'a.dcm'), writeDicom(ctRow()), { mode: 0o600 });
    const hasTaken = await takePorts(files, folder, rounds);
    const hasEntered = await floodServer(files, folder, floodSeconds);
    return hasTaken || hasEntered;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Of races, the other user begins at another moment in each round, so that both sides win some. */
const DELAYS_MS = [0, 300, 600, 1_000, 1_500, 2_500];

/** Programs of the other user. Each prints one line of JSON for everything that it finds. */
const OCCUPY = `
  const { createServer } = require('node:net');
  const [port, host, isRace, delayMs] = JSON.parse(process.argv[1]);
  const say = (event) => console.log(JSON.stringify(event));
  const server = createServer((socket) => {
    socket.on('error', () => {});
    socket.on('data', (bytes) => {
      say({ received: bytes.toString('latin1') });
      socket.end('HTTP/1.1 200 OK\\r\\nContent-Length: 6\\r\\nConnection: close\\r\\n\\r\\nstolen');
    });
  });
  server.on('listening', () => say({ listening: port }));
  let isBusy = false;
  server.on('error', () => { if (!isBusy) say({ busy: port }); isBusy = true; if (isRace) setImmediate(listen); });
  const listen = () => server.listen(port, host);
  setTimeout(listen, delayMs);`;

const FLOOD = `
  const { connect } = require('node:net');
  const [port, seconds] = JSON.parse(process.argv[1]);
  const counts = { opened: 0, plain: 0, halfOpen: 0, slow: 0, answered: 0, refused: 0 };
  const until = Date.now() + 1000 * seconds;
  const kinds = ['plain', 'halfOpen', 'slow'];
  let open = 0;
  let first;
  const start = () => {
    const kind = kinds[counts.opened % kinds.length];
    counts.opened += 1;
    counts[kind] += 1;
    open += 1;
    const socket = connect(port, '127.0.0.1');
    let timer;
    socket.on('connect', () => {
      if (kind === 'plain') socket.write('GET /api/files HTTP/1.1\\r\\nHost: 127.0.0.1:' + port + '\\r\\n\\r\\n');
      if (kind === 'slow') {
        socket.write('GET /api/files HTTP/1.1\\r\\n');
        timer = setInterval(() => socket.write('X: y\\r\\n'), 100);
      }
      setTimeout(() => socket.destroy(), 2000).unref();
    });
    socket.on('data', (bytes) => { counts.answered += 1; first ??= bytes.toString('latin1').slice(0, 200); });
    socket.on('error', () => { counts.refused += 1; });
    socket.on('close', () => { clearInterval(timer); open -= 1; });
  };
  const pump = setInterval(() => {
    for (let n = 0; n < 100 && open < 2000; n += 1) start();
    if (Date.now() < until) return;
    clearInterval(pump);
    console.log(JSON.stringify({ counts, first }));
    process.exit();
  }, 10);`;

const LOOK = `
  const fs = require('node:fs');
  const { connect } = require('node:net');
  const { pid, folders, socket, token } = JSON.parse(fs.readFileSync(0, 'utf8'));
  const found = [];
  const attempt = (name, look) => { try { if (look() !== false) found.push(name); } catch {} };
  for (const file of ['environ', 'mem', 'maps']) attempt('/proc ' + file, () => void fs.readFileSync('/proc/' + pid + '/' + file));
  attempt('/proc fd', () => void fs.readdirSync('/proc/' + pid + '/fd'));
  attempt('/proc cmdline', () => fs.readFileSync('/proc/' + pid + '/cmdline', 'latin1').includes(token));
  for (const folder of folders) {
    attempt('list ' + folder, () => void fs.readdirSync(folder));
    attempt('write ' + folder, () => void fs.writeFileSync(folder + '/x', ''));
  }
  const done = () => { console.log(JSON.stringify({ found })); process.exit(); };
  const client = connect(socket);
  client.on('connect', () => { found.push('connect to the socket'); done(); });
  client.on('error', done);`;

type OtherUser = {
  readonly child: ChildProcess;
  readonly said: Record<string, unknown>[];
  readonly ended: Promise<unknown>;
};

function startAsOther(program: string, input?: unknown, stdin?: unknown): OtherUser {
  const child = spawn(process.execPath, ['-e', program, JSON.stringify(input ?? null)], {
    uid: NOBODY,
    gid: NOBODY,
    cwd: '/',
    env: {},
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  child.stdin.end(stdin === undefined ? '' : JSON.stringify(stdin));
  const said: Record<string, unknown>[] = [];
  createInterface({ input: child.stdout }).on('line', (line) => said.push(JSON.parse(line)));
  return { child, said, ended: once(child, 'close') };
}

async function stopOther({ child, ended }: OtherUser): Promise<void> {
  child.kill('SIGKILL');
  await ended;
}

async function findFreePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  return typeof address === 'object' && address !== null ? address.port : 0;
}

const WAYS = [
  { name: 'taken on loopback', host: '127.0.0.1', isRace: false },
  { name: 'taken on all addresses', host: '0.0.0.0', isRace: false },
  { name: 'raced for on loopback', host: '127.0.0.1', isRace: true },
  { name: 'raced for on all addresses', host: '0.0.0.0', isRace: true },
] as const;

async function takePorts(files: string, folder: string, rounds: number): Promise<boolean> {
  const counts = { rounds: 0, 'server elsewhere': 0, 'server on the port': 0, 'port in use': 0, 'other failure': 0 };
  let stolen = 0;
  for (let round = 0; round < rounds; round += 1) {
    const way = WAYS[round % WAYS.length]!;
    const port = await findFreePort();
    const other = startAsOther(OCCUPY, [
      port,
      way.host,
      way.isRace,
      way.isRace ? DELAYS_MS[(round >> 2) % DELAYS_MS.length] : 0,
    ]);
    while (!way.isRace && other.said.length === 0) await new Promise((next) => setTimeout(next, 5));
    const server = await startBuiltServer(['--port', String(port), '--token', files], {
      NEGATO_TOKEN: TOKEN,
      XDG_STATE_HOME: join(folder, 'state'),
    }).catch((error: unknown) => String(error));
    counts.rounds += 1;
    if (typeof server === 'string') {
      const isInUse = server.includes(`port ${port} on 127.0.0.1 is in use`);
      counts[isInUse ? 'port in use' : 'other failure'] += 1;
      if (!isInUse) console.log(`did not start: ${server}`);
    } else {
      // The other user goes on trying while the owner asks.
      if (way.isRace) await new Promise((next) => setTimeout(next, 500));
      const own = Number(new URL(server.baseUrl).port);
      counts[own === port ? 'server on the port' : 'server elsewhere'] += 1;
      const { body } = await ask(`${server.baseUrl}/api/health`);
      const isListening = other.said.some((event) => 'listening' in event);
      if (body === 'stolen' || !body.includes('"masked"') || (own === port && isListening)) {
        stolen += 1;
        console.log(`STOLEN: port ${port} ${way.name}: ${body.slice(0, 80)}`);
      }
      await server.stop();
    }
    await stopOther(other);
    const leaks = other.said.filter((event) => 'received' in event);
    if (leaks.length > 0) {
      stolen += 1;
      console.log(`SENT TO THE OTHER USER (${way.name}): ${JSON.stringify(leaks).slice(0, 300)}`);
    }
  }
  console.log(`ports: ${JSON.stringify(counts)}, served or received by the other user: ${stolen}`);
  if (counts['server on the port'] === 0) console.log('the server never had a port that the other wanted: more rounds');
  return stolen > 0 || counts['other failure'] > 0 || counts['server on the port'] === 0;
}

function ask(url: string): Promise<{ readonly status: number; readonly body: string; readonly ms: number }> {
  const begun = performance.now();
  return new Promise((resolve, reject) => {
    get(url, { agent: false, headers: { Authorization: `Bearer ${TOKEN}` } }, (response) => {
      let body = '';
      response.setEncoding('utf8').on('data', (text: string) => (body += text));
      response.on('end', () => resolve({ status: response.statusCode ?? 0, body, ms: performance.now() - begun }));
      response.on('error', reject);
    }).on('error', reject);
  });
}

type Asked = { readonly times: readonly number[]; readonly failures: readonly string[] };

/** The owner asks, one request after another. */
async function askUntil(server: BuiltServer, end: Promise<unknown>): Promise<Asked> {
  const times: number[] = [];
  const failures: string[] = [];
  const state = { hasEnded: false };
  void end.then(() => (state.hasEnded = true));
  while (!state.hasEnded) {
    try {
      const { status, ms } = await ask(`${server.baseUrl}/api/file/0/frame/0/raw`);
      times.push(ms);
      if (status !== 200) failures.push(String(status));
    } catch (error) {
      failures.push(String(error));
    }
  }
  return { times, failures };
}

function describe({ times, failures }: Asked): string {
  const sorted = times.toSorted((one, other) => one - other);
  const [median = NaN, slowest = NaN] = [sorted[sorted.length >> 1], sorted.at(-1)];
  return `${times.length} answers, median ${median.toFixed()} ms, slowest ${slowest.toFixed()} ms, ${failures.length} failed ${failures[0] ?? ''}`;
}

async function floodServer(files: string, folder: string, seconds: number): Promise<boolean> {
  const state = join(folder, 'state');
  const cache = join(folder, 'cache');
  const temporary = join(folder, 'tmp');
  mkdirSync(temporary, { mode: 0o700 });
  // Without a token, who connects is all that the server goes by.
  const server = await startBuiltServer(['--port', '0', '--cache-dir', cache, files], {
    XDG_STATE_HOME: state,
    TMPDIR: temporary,
  });
  const socket = join(temporary, 'negato.sock');
  let onSocket: BuiltServer | undefined;
  try {
    onSocket = await startBuiltServer(['--unix-socket', socket, files], { XDG_STATE_HOME: state }).catch(
      () => undefined,
    );
    await listFiles(server.baseUrl);
    const port = Number(new URL(server.baseUrl).port);
    const quiet = await askUntil(server, new Promise((end) => setTimeout(end, 10_000)));
    const other = startAsOther(FLOOD, [port, seconds]);
    const { times, failures } = await askUntil(server, other.ended);
    const [{ counts, first } = { counts: undefined, first: undefined }] = other.said;
    console.log(
      `foreign connections: ${JSON.stringify(counts)}${first === undefined ? '' : ` ${JSON.stringify(first)}`}`,
    );
    console.log(`the owner before: ${describe(quiet)}`);
    console.log(`the owner meanwhile: ${describe({ times, failures })}`);
    const look = startAsOther(LOOK, null, {
      pid: server.pid,
      folders: [state, cache, temporary],
      socket,
      token: TOKEN,
    });
    await look.ended;
    const found = look.said[0]?.['found'];
    console.log(
      `found by the other user (socket server ${onSocket === undefined ? 'not started' : 'started'}): ${JSON.stringify(found)}`,
    );
    const answered = Object(counts)['answered'];
    return answered !== 0 || failures.length > 0 || !Array.isArray(found) || found.length > 0;
  } finally {
    await onSocket?.stop();
    await server.stop();
  }
}
