import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { createTempFolder } from '../support/tempFolder.ts';
import { createPrograms, listLeftovers, runNegato } from './negatoProcess.ts';
import { needs } from '../support/needs.ts';

// Records what it was asked to open, and the modes of that file and its folder. The last line marks completion.
const OPENER = `
{ echo "target $1"; case "$1" in /*) stat -c 'mode %a' "$1" "$(dirname "$1")"; cat "$1";; esac; echo done; } > "$OPENER_LOG.part"
mv "$OPENER_LOG.part" "$OPENER_LOG"`;

async function openWith(args: string[], env: Record<string, string> = {}) {
  const log = join(createTempFolder(), 'opened');
  const negato = await runNegato([...args, '--log-level', 'debug', createTempFolder()], {
    env: { ...(await createPrograms({ 'xdg-open': OPENER })), OPENER_LOG: log, ...env },
  });
  const opened = () => readFile(log, 'utf8').catch(() => '');
  return { negato, opened };
}

// xdg-open and /proc are specific to Linux.
describe('opening the browser on Linux', needs('Linux'), () => {
  test('if the user is identified without a token, the browser opens the plain URL', async () => {
    const { negato, opened } = await openWith(['--no-token'], { DISPLAY: ':0' });
    const [, url] = await negato.waitFor('stdout', /running at (\S+)/);
    await expect.poll(opened).toBe(`target ${url}\ndone\n`);
  });

  test('a token reaches the browser by a private file that is gone afterwards, never by an argument', async () => {
    const { negato, opened } = await openWith(['--token'], { DISPLAY: ':0' });
    const [, url = '', token = ''] = await negato.waitFor('stdout', /running at (\S+#token=(\S+))/);
    await expect.poll(opened).toContain('done');
    const [target, fileMode, folderMode, ...page] = (await opened()).split('\n');
    expect(target).toMatch(/^target \/.*\/open\.html$/);
    expect([fileMode, folderMode]).toEqual(['mode 600', 'mode 700']);
    expect(page.join('\n')).toContain(`location.replace("${url}")`);

    expect(await commandLinesOfAllProcesses()).not.toContain(token);
    expect(negato.output.stderr).not.toContain(token);
    negato.signal('SIGTERM');
    expect(await negato.exit).toEqual({ code: 0, signal: null });
    expect(await listLeftovers(negato)).toEqual([]);
  });

  test.each([
    ['--no-browser', ['--no-browser'], { DISPLAY: ':0' }],
    ['an SSH session', [], { DISPLAY: ':0', SSH_CONNECTION: 'a 1 b 22' }],
    ['no display', [], {}],
  ] as const)('%s: nothing is opened', async (_reason, args, env) => {
    const { negato, opened } = await openWith([...args], env);
    await negato.waitFor('stdout', /no DICOM files found/);
    negato.signal('SIGTERM');
    await negato.exit;
    expect(await opened()).toBe('');
  });

  test('an opener that fails or is missing does not fail the start', async () => {
    const failing = await createPrograms({ 'xdg-open': 'exit 3' });
    const { negato } = await openWith(['--token'], { DISPLAY: ':0', ...failing });
    await negato.waitFor('stderr', /the browser was not opened: xdg-open exited with 3/);
    await negato.waitFor('stdout', /no DICOM files found/);
    expect(await listLeftovers(negato)).toEqual([]);
  });
});

async function commandLinesOfAllProcesses(): Promise<string> {
  const processes = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const lines = await Promise.all(processes.map((pid) => readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')));
  return lines.join('\n');
}
