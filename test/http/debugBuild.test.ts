import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { buildServer } from '../../scripts/build.mjs';
import { createTempFolder } from '../support/tempFolder.ts';

type Build = { readonly outdir: string; readonly warnings: readonly unknown[] };

/** Both kinds of build, made once and shared by all tests. */
const builds = new Map<boolean, Promise<Build>>();

function build({ debugApi }: { debugApi: boolean }): Promise<Build> {
  const made = builds.get(debugApi) ?? makeBuild(debugApi);
  builds.set(debugApi, made);
  return made;
}

async function makeBuild(debugApi: boolean): Promise<Build> {
  const outdir = mkdtempSync(join(process.env['NEGATO_TEST_RUN'] ?? tmpdir(), 'build-'));
  const warn = vi.spyOn(console, 'warn').mockReturnValue();
  try {
    await buildServer({ debugApi, outdir });
    return { outdir, warnings: warn.mock.calls.flat() };
  } finally {
    warn.mockRestore();
  }
}

function readScripts(folder: string): string {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.js'));
  return files.map((name) => readFileSync(join(folder, name), 'utf8')).join('\n');
}

/** Starts the built command with nothing to scan. Returns its address and its stderr output. */
async function start(outdir: string, ...args: string[]): Promise<{ baseUrl: string; warnings: () => string }> {
  const folder = createTempFolder();
  const child = spawn(process.execPath, [join(outdir, 'negato.js'), '--no-browser', '--startup-json', ...args, folder]);
  onTestFinished(() => void child.kill('SIGKILL'));
  let stdout = '';
  let stderr = '';
  child.stderr.on('data', (chunk) => (stderr += chunk));
  for await (const chunk of child.stdout) {
    stdout += chunk;
    if (stdout.includes('\n')) break;
  }
  return { baseUrl: JSON.parse(stdout.split('\n')[0] ?? '').base_url, warnings: () => stderr };
}

/** The exit code and the first line of stderr of a build that refuses to start. */
function run(outdir: string, ...args: string[]): string {
  const command = [join(outdir, 'negato.js'), '--no-browser', ...args, createTempFolder()];
  const { status, stderr } = spawnSync(process.execPath, command, { encoding: 'utf8' });
  return `${status} ${stderr.split('\n')[0]}`;
}

test('a normal build contains no code that answers every origin', async () => {
  const scripts = readScripts((await build({ debugApi: false })).outdir);
  expect(scripts).not.toMatch(/answerEveryOrigin/);
  // Origins that the user names for DICOMweb are named in the answer, one by one.
  expect(scripts).toMatch(/'?"?access-control-allow-origin'?"?, origin/i);
  expect(scripts).not.toMatch(/access-control-[a-z-]+'?"?,\s*['"`]\*/i);
});

test('a normal build cannot be configured to accept another origin', async () => {
  const { baseUrl, warnings } = await start((await build({ debugApi: false })).outdir);

  const response = await fetch(`${baseUrl}/api/health`, { headers: { Origin: 'http://other.example' } });

  expect(response.status).toBe(403);
  expect(warnings()).not.toContain('debug-api');
});

test('a debug-api build accepts every origin, and says so in /health and at startup', async () => {
  const { baseUrl, warnings } = await start((await build({ debugApi: true })).outdir);
  const headers = { Origin: 'http://other.example', 'Access-Control-Request-Method': 'PUT' };

  const preflight = await fetch(`${baseUrl}/api/health`, { method: 'OPTIONS', headers });
  const response = await fetch(`${baseUrl}/api/health`, { headers: { Origin: 'http://other.example' } });

  expect(preflight.status).toBe(204);
  expect(preflight.headers.get('access-control-allow-methods')).toBe('GET, HEAD, PUT, POST, PATCH, DELETE');
  expect(response.headers.get('access-control-allow-origin')).toBe('*');
  expect(await response.json()).toMatchObject({ viewer: { build_profile: 'debug-api' } });
  expect(warnings()).toMatch(/warning: .*debug-api/);
});

test('a debug-api build listens beyond loopback only with an option that a normal build does not have', async () => {
  const debug = (await build({ debugApi: true })).outdir;
  const normal = (await build({ debugApi: false })).outdir;
  const refusal = /^2 negato: (--host 0\.0\.0\.0|--tunnel gateway): .*add --debug-api-beyond-loopback$/;
  expect(run(debug, '--host', '0.0.0.0')).toMatch(refusal);
  expect(run(debug, '--tunnel', 'gateway')).toMatch(refusal);
  expect(run(normal, '--debug-api-beyond-loopback')).toMatch(/^2 negato: unknown option/);
  const { baseUrl } = await start(debug, '--host', '0.0.0.0', '--debug-api-beyond-loopback');
  expect((await fetch(`${baseUrl}/api/health`)).status).toBe(401);
});

test('the build script warns about a debug-api build only', async () => {
  expect((await build({ debugApi: false })).warnings).toEqual([]);
  expect((await build({ debugApi: true })).warnings).toContainEqual(
    expect.stringContaining('warning: this is a debug-api build'),
  );
});
