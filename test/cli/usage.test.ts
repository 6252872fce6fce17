import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { KNOWN_OPTIONS } from '../../src/cli/options.ts';
import { runNegato } from './negatoProcess.ts';

test.each([
  [['--prot', '80'], /^negato: unknown option --prot; did you mean --port\?$/m],
  [['--port', '65536'], /^negato: --port 65536: a port is a whole number from 0 to 65535$/m],
  [['--no-token', '--host', '0.0.0.0'], /^negato: --no-token is not allowed with --host 0\.0\.0\.0: /m],
  [['--filter', 'Shoe=42', '.'], /^negato: --filter: .*Shoe.*PatientID.*modality/m],
  [['--overlay', 'labels.nii'], /^negato: --overlay needs a PATH with the images that it lies over$/m],
  [['--filter', 'Modality=', '.'], /^negato: --filter: .*Modality/m],
])('%j is refused with exit code 2 and a hint', async (args, message) => {
  const { exit, output } = await runNegato(args);
  expect(await exit).toEqual({ code: 2, signal: null });
  expect(output.stderr).toMatch(message);
  expect(output.stderr.trimEnd().split('\n').at(-1)).toBe('Try: negato --help');
  expect(output.stdout).toBe('');
});

test('--help lists every option once, in lines of at most 100 characters', async () => {
  const { exit, output } = await runNegato(['--help']);
  expect(await exit).toEqual({ code: 0, signal: null });
  for (const { flag } of KNOWN_OPTIONS) {
    expect(output.stdout.match(new RegExp(`^ +(-\\w, )? *${flag}( |$)`, 'gm'))).toHaveLength(1);
  }
  expect(output.stdout.split('\n').filter((line) => line.length > 100)).toEqual([]);
  // What users draw is called a ROI everywhere. Buckets are in regions.
  expect(output.stdout.replace(/^ +--region .*$/m, '')).not.toMatch(/region/i);
});

test.each(['--version', '-V'])('%s prints the version of the package', async (flag) => {
  const manifest = await readFile(new URL('../../package.json', import.meta.url), 'utf8');
  const { version }: { version: string } = JSON.parse(manifest);
  const { exit, output } = await runNegato(['--vscode-bridge-client', 'code', flag]);
  expect(await exit).toEqual({ code: 0, signal: null });
  expect(output.stdout).toBe(`negato ${version}\n`);
});
