import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Readable } from 'node:stream';
import { expect, onTestFinished, test } from 'vitest';
import { needs } from '../support/needs.ts';
import { findFreePort } from '../support/orthanc.ts';
import { serveShared } from '../support/serve.ts';
import { writeSlice } from '../support/sliceFiles.ts';
import { createTempFolder, writeBelow } from '../support/tempFolder.ts';
import { runNegato } from './negatoProcess.ts';

const NAME = 'viewer.example';
const TOKEN = 'a-token-of-more-than-16-characters';

/** What docs/remote.md tells users of nginx. */
function readDocumentedLocation(): string {
  const text = readFileSync(fileURLToPath(new URL('../../docs/remote.md', import.meta.url)), 'utf8');
  return /```nginx\n(.*?)```/s.exec(text)![1]!;
}

/** Starts nginx with a location before negato at a port, and its workers as this user. */
async function startNginx(location: string, user: string): Promise<number> {
  const folder = createTempFolder();
  const port = await findFreePort();
  mkdirSync(join(folder, 'logs'));
  const paths = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (kind) => `${kind}_temp_path ${folder}/${kind};`,
  );
  const server = `server { listen 127.0.0.1:${port}; server_name ${NAME}; ${location} }`;
  const http = `http { access_log off; ${paths.join(' ')} ${server} }`;
  const owner = process.getuid?.() === 0 ? `user ${user};` : '';
  writeFileSync(join(folder, 'nginx.conf'), `${owner} pid ${folder}/pid; error_log ${folder}/log; events {} ${http}`);
  const child = spawn('nginx', ['-p', folder, '-c', join(folder, 'nginx.conf'), '-g', 'daemon off;'], {
    stdio: 'ignore',
  });
  onTestFinished(async () => {
    child.kill('SIGTERM');
    await once(child, 'close');
  });
  await expect
    .poll(() =>
      ask(port, '/').then(
        ({ status }) => status,
        () => 0,
      ),
    )
    .toBeGreaterThan(0);
  return port;
}

/** `fetch` does not send another host name. */
async function ask(port: number, path: string, headers: Record<string, string> = {}): Promise<Response> {
  const sent = request({ host: '127.0.0.1', port, path, headers: { Host: `${NAME}:${port}`, ...headers } }).end();
  onTestFinished(() => void sent.destroy());
  const [incoming] = await once(sent, 'response');
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the two kinds of streams are the same
  return new Response(Readable.toWeb(incoming) as ReadableStream, { status: incoming.statusCode });
}

async function readUntil(response: Response, wanted: string): Promise<string> {
  let text = '';
  for await (const chunk of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
    text += chunk;
    if (text.includes(wanted)) break;
  }
  return text;
}

async function startNegato(...options: readonly string[]): Promise<number> {
  const folder = createTempFolder();
  writeBelow(folder, 'a', writeSlice({ number: 0 }));
  const all = ['--no-browser', '--allow-host', NAME, ...options, folder];
  const negato = await runNegato(all, { env: { NEGATO_TOKEN: TOKEN } });
  return Number((await negato.waitFor('stdout', /http:\/\/127\.0\.0\.1:(\d+)/))[1]);
}

test('events tell nginx not to hold them back', async () => {
  const server = await serveShared(writeSlice({ number: 0 }));
  const leaving = new AbortController();
  const { headers } = await server.request('/api/events', { signal: leaving.signal });
  leaving.abort();
  expect(headers.get('x-accel-buffering')).toBe('no');
});

test.each([
  ['without the prefix', (location: string) => location, []],
  ['with the prefix', (location: string) => location.replace(/(:8123)\/;/, '$1;'), ['--base-path', '/negato']],
])(
  'with the documented settings, nginx passes events and changes on, %s',
  needs('the web server nginx'),
  async (_, change, options) => {
    const negato = await startNegato(...options);
    const location = change(readDocumentedLocation()).replace('8123', String(negato));
    // The documents say that nginx is another user.
    const port = await startNginx(location, 'nobody nogroup');

    expect((await ask(port, '/negato/api/files')).status).not.toBe(200);
    const Authorization = `Bearer ${TOKEN}`;
    const countFiles = async () =>
      (await (await ask(port, '/negato/api/files', { Authorization })).json()).files.length;
    await expect.poll(countFiles).toBe(1);
    const events = await ask(port, '/negato/api/events', { Authorization });
    // What is said when there is nothing new is the last thing that a buffer would hold back.
    expect(await readUntil(events, ': nothing new')).toContain('event: ');
    const foreign = await ask(port, '/negato/api/files', { Authorization, Origin: 'http://elsewhere.example' });
    expect(foreign.status).toBe(403);
  },
);
