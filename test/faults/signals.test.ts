import { fork } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { describe, expect, test, vi } from 'vitest';
import { COMMAND, listLeftovers, runNegato, startNegato } from '../cli/negatoProcess.ts';
import { writeDicomFiles } from '../cli/dicomFiles.ts';
import { faultRuns, randomFaults } from '../support/faultRuns.ts';
import { sendRaw } from '../support/rawHttp.ts';
import { createTempFolder } from '../support/tempFolder.ts';

const PATIENCE_MS = 60_000;
const RUNS = 20;
const HEALTH = 'GET /api/health HTTP/1.1\r\nHost: localhost\r\n\r\n';

test(
  'SIGTERM ends it at random moments, with nothing left behind',
  async () => {
    const folder = createTempFolder();
    await writeDicomFiles(folder, ...Array.from({ length: 30 }, (_, index) => `${index}.dcm`));
    for (const { random } of randomFaults(RUNS)) {
      const negato = await runNegato(['--startup-json', '--no-browser', '--no-token', folder]);
      const requests = negato.waitFor('stdout', /"base_url":"([^"]+)"/, PATIENCE_MS).then(
        ([, baseUrl]) =>
          Promise.allSettled(
            ['files', 'series', 'file/0/frame/0', 'events'].map((path) => fetch(`${baseUrl}/api/${path}`)),
          ),
        () => undefined,
      );
      // Covers all phases: before the first line of code, listening, scanning, answering and idle.
      await wait(random.below(1_000));
      negato.signal('SIGTERM');
      const exit = await negato.exit;
      // Before the server listens there is nothing to clean up, and the system ends the process.
      const wasEarly = negato.output.stdout === '' && exit.code === null;
      expect(exit).toEqual(wasEarly ? { code: null, signal: 'SIGTERM' } : { code: 0, signal: null });
      expect(await listLeftovers(negato)).toEqual([]);
      await requests;
    }
  },
  PATIENCE_MS + faultRuns(RUNS) * 3_000,
);

test('with --stop-with-stdin it ends with the program that holds its standard input', async () => {
  const holder = fork(join(import.meta.dirname, 'holdStandardInput.mjs'), [COMMAND, createTempFolder()]);
  const [{ pid }] = await once(holder, 'message');
  expect(isRunning(pid)).toBe(true);

  holder.kill('SIGKILL');

  await vi.waitFor(() => expect(isRunning(pid)).toBe(false), { timeout: PATIENCE_MS });
});

describe('after SIGKILL with a request in flight the next start', () => {
  test('listens on the same port', async () => {
    const folder = createTempFolder();
    const first = await startNegato(['--no-token', folder]);
    const port = String(first.started.port);
    await holdRequest(connect(first.started.port, '127.0.0.1'));
    first.signal('SIGKILL');
    await first.exit;

    const second = await startNegato(['--no-token', '--port', port, folder]);

    expect(String(second.started.port)).toBe(port);
    expect((await sendRaw({ port: second.started.port }, HEALTH))?.status).toBe(200);
  });

  test('replaces the socket file, and refuses to take one that is in use', async () => {
    const socket = join(createTempFolder(), 'private', 'n.sock');
    const first = await startNegato(['--unix-socket', socket, createTempFolder()]);
    await holdRequest(connect(socket));
    const beside = await runNegato(['--unix-socket', socket, createTempFolder()]);
    expect(await beside.exit).toEqual({ code: 1, signal: null });
    first.signal('SIGKILL');
    await first.exit;

    await startNegato(['--unix-socket', socket, createTempFolder()]);

    expect((await sendRaw({ path: socket }, HEALTH))?.status).toBe(200);
  });
});

test(
  'with 64 open files allowed it serves what it can, says what it cannot, and recovers',
  async () => {
    const folder = createTempFolder();
    await writeDicomFiles(folder, 'a.dcm', 'b.dcm');
    const limited = ['bash', '-c', 'ulimit -n 64; exec "$0" "$@"', process.execPath, COMMAND];
    const negato = await startNegato(['--no-token', folder], { command: limited });
    await negato.waitFor('stdout', /scan_complete","file_count":2/, PATIENCE_MS);
    const { port, base_url: baseUrl } = negato.started;
    expect((await fetch(`${baseUrl}/api/file/0/frame/0`)).status).toBe(200);

    const sockets = Array.from({ length: 100 }, () => connect(port, '127.0.0.1').on('error', () => undefined));
    // A connection that was accepted before file descriptors ran out requests a frame that must be read from disk.
    const answer = await Promise.race(sockets.map((socket) => ask(socket, '/api/file/1/frame/0')));
    expect(answer).toMatch(/^HTTP\/1\.1 200|"(file_read_failed|pixel_decode_failed)"/);
    for (const socket of sockets) socket.destroy();

    await expect
      .poll(async () => (await fetch(`${baseUrl}/api/file/1/frame/0?wc=1&ww=2`)).status, { timeout: PATIENCE_MS })
      .toBe(200);
    negato.signal('SIGTERM');
    expect(await negato.exit).toEqual({ code: 0, signal: null });
  },
  PATIENCE_MS,
);

async function holdRequest(socket: ReturnType<typeof connect>): Promise<void> {
  socket.on('error', () => undefined);
  socket.write('GET /api/events HTTP/1.1\r\nHost: localhost\r\n\r\n');
  await new Promise((resolve) => socket.once('data', resolve));
}

function ask(socket: ReturnType<typeof connect>, path: string): Promise<string> {
  return new Promise((resolve) => {
    socket.setEncoding('latin1').once('data', (text: string) => resolve(text));
    socket.once('connect', () => void socket.write(`GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`));
  });
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
