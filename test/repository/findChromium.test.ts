import { execFile } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { createTempFolder, writeBelow } from '../support/tempFolder.ts';

const run = promisify(execFile);
const script = fileURLToPath(new URL('../../scripts/findChromium.mjs', import.meta.url));
const program = `
  const { unpackChromium } = await import(process.argv[1]);
  console.log(unpackChromium(process.argv[2]));
`;

/** Unpacks the browser in a separate process, as each test file does. Returns the version that the browser reports. */
async function unpackAndAsk(folder: string): Promise<string> {
  const { stdout } = await run(process.execPath, ['--input-type=module', '--eval', program, script, folder]);
  const { stdout: version } = await run(stdout.trim(), ['--version']);
  return version.trim();
}

test('two that unpack the browser at the same time both get a whole one, and nothing else is left', async () => {
  const parent = createTempFolder();
  // Left behind by a process that was ended while unpacking.
  writeBelow(parent, 'chromium.Ended1/chromium', 'half of it');
  const folder = join(parent, 'chromium');
  const versions = await Promise.all([unpackAndAsk(folder), unpackAndAsk(folder)]);
  expect(versions).toEqual([expect.stringMatching(/^(Chromium|HeadlessChrome) \d+/), versions[0]]);
  expect(readdirSync(parent).toSorted()).toEqual(['chromium', 'chromium.Ended1']);
}, 180_000);
