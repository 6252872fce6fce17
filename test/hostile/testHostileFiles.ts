import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { expect, test } from 'vitest';
import type { FilesResponse } from '../../src/shared/contract/files.ts';
import { startNegato } from '../cli/negatoProcess.ts';
import { RETURN_FREED_MEMORY } from '../support/allocator.ts';
import { readMemoryMib } from '../support/readMemoryMib.ts';
import { createTempFolder } from '../support/tempFolder.ts';
import { type Answer, askEverything, askOne } from '../support/askEverything.ts';
import { type HostileFile, image } from './hostileFile.ts';
import { type HealthWatch, watchHealth } from './watchHealth.ts';

/** An idle machine with two processors needs only seconds. */
const PATIENCE_MS = 600_000;
/** Number of files that are requested concurrently: more than there are threads. */
const AT_A_TIME = 3;
const CONTROL = 'control.dcm';
/**
 * Each file is sent through a part of the endpoints, another part for the next file, and `npm run check:long` sends it
 * through all. The part is smaller for a file of this size, because each endpoint reads it again, which takes up to a
 * second of a processor.
 */
const LARGE_BYTES = 1_000_000;
const [PARTS, LARGE_PARTS] = process.env['NEGATO_EVERY_ENDPOINT'] === undefined ? [2, 4] : [1, 1];
/** Endpoints whose answers are in the table of the files. */
const EXPECTED: readonly string[] = ['displayFrame', 'presentation', 'layer', 'layerOverPlane'];
/** Growth that is allowed after the grown threads were ended and the main thread has collected its garbage twice. */
const MOST_GROWN_MIB = 64;
/**
 * Threads end after ten idle seconds. The main thread looks for garbage every ten seconds, does not collect at a look
 * that follows load, and a collection runs beside everything else on a busy machine.
 */
const IDLE_MS = 180_000;

/**
 * Declares a test for each kind of hostile files. The kinds are spread over several test files, because a test waits
 * until the server has returned its memory, and other files run in the meantime.
 */
export function testHostileFiles(kinds: Readonly<Record<string, readonly HostileFile[]>>): void {
  test.each(Object.entries(kinds))(
    'hostile %s are answered each as they should be, and harm nobody else',
    async (_, files) => {
      const folder = createTempFolder();
      writeFileSync(join(folder, CONTROL), image());
      const sizes = files.map(({ name, write }) => {
        const bytes = write();
        writeFileSync(join(folder, name), bytes);
        return bytes.length;
      });
      // With 512 MiB beside the 64 MiB of Node, the large files are refused for their size.
      const negato = await startNegato(['--no-token', '--memory', '576M', folder], { env: RETURN_FREED_MEMORY });
      await negato.waitFor('stdout', /"scan_complete"/, PATIENCE_MS);
      const { base_url: baseUrl } = negato.started;
      const scanned = await readScanned(baseUrl);
      const control = scanned.indices.get(CONTROL) ?? -1;
      const controlBefore = await hashFrame(baseUrl, control);
      const memoryBefore = readMemoryMib(negato.pid);
      const health = watchHealth(baseUrl);

      const answers = await inTurns(files, async ({ name, answer }, position) => {
        const index = scanned.indices.get(name);
        if (index === undefined) return { name, answers: [] };
        const parts = sizes[position]! > LARGE_BYTES ? LARGE_PARTS : PARTS;
        const isAsked = (endpoint: string, at: number) =>
          at % parts === position % parts || EXPECTED.includes(endpoint) || endpoint in answer;
        // What a state does to an image is read elsewhere than what it says.
        const applied = await askOne('applied', `${baseUrl}/api/file/${control}/frame/0?presentation=${index}`);
        return { name, answers: [...(await askEverything(baseUrl, index, isAsked)), applied] };
      });

      await health.stop();
      const outside = answers.flatMap(({ name, answers: all }) =>
        all.filter(({ isInContract }) => !isInContract).map(({ endpoint, outcome }) => ({ name, endpoint, outcome })),
      );
      expect(outside).toEqual([]);
      const found = answers.map((asked, at) => [asked.name, summarize(asked, files[at], scanned)]);
      expect(Object.fromEntries(found)).toEqual(Object.fromEntries(files.map(({ name, answer }) => [name, answer])));
      expect(await hashFrame(baseUrl, control)).toEqual(controlBefore);
      expect(negato.output.stderr).toBe('');
      const grownMib = await waitForMemory(() => readMemoryMib(negato.pid) - memoryBefore);
      console.log(describeRun({ answers, health, grownMib }));
      // NaN on systems that do not report memory.
      expect(grownMib).not.toBeGreaterThan(MOST_GROWN_MIB);
    },
    PATIENCE_MS,
  );
}

type Scanned = { readonly indices: ReadonlyMap<string, number>; readonly reasons: ReadonlyMap<string, string> };
type Asked = { readonly name: string; readonly answers: readonly Answer[] };

async function readScanned(baseUrl: string): Promise<Scanned> {
  const { files, discovery }: FilesResponse = await (await fetch(`${baseUrl}/api/files`)).json();
  return {
    indices: new Map(files.map(({ path, index }) => [basename(path), index])),
    reasons: new Map(discovery.map(({ path, reason }) => [basename(path), reason])),
  };
}

/** Requests the files in order, a few at a time. */
async function inTurns(
  files: readonly HostileFile[],
  ask: (file: HostileFile, position: number) => Promise<Asked>,
): Promise<readonly Asked[]> {
  const asked: Asked[] = [];
  const waiting = files.entries();
  const askNext = async () => {
    for (const [position, file] of waiting) asked[position] = await ask(file, position);
  };
  await Promise.all(Array.from({ length: AT_A_TIME }, askNext));
  return asked;
}

/** Returns the answer in the form of the table of hostile files. */
function summarize({ name, answers }: Asked, file: HostileFile | undefined, { reasons }: Scanned): unknown {
  const frame = answers.find(({ endpoint }) => endpoint === 'displayFrame')?.outcome;
  if (frame === undefined) return { skipped: reasons.get(name) };
  const outcomeOf = (wanted: string) => answers.find(({ endpoint }) => endpoint === wanted)?.outcome;
  if (file !== undefined && 'presentation' in file.answer) {
    return { presentation: outcomeOf('presentation'), applied: outcomeOf('applied') };
  }
  if (file !== undefined && 'layer' in file.answer) {
    return { layer: outcomeOf('layer'), plane: outcomeOf('layerOverPlane') };
  }
  if (file !== undefined && 'document' in file.answer) {
    return Object.fromEntries(Object.keys(file.answer).map((endpoint) => [endpoint, outcomeOf(endpoint)]));
  }
  const isSlow = file !== undefined && 'frame' in file.answer && file.answer.frame === 'shown in time';
  return {
    frame: isSlow && ['shown', 'shown damaged', 'pixel_decode_failed'].includes(frame) ? 'shown in time' : frame,
  };
}

async function hashFrame(baseUrl: string, index: number): Promise<string[]> {
  const forms = ['', '/raw', '/thumbnail'].map(async (form) => {
    const response = await fetch(`${baseUrl}/api/file/${index}/frame/0${form}`);
    return createHash('sha256')
      .update(Buffer.from(await response.arrayBuffer()))
      .digest('hex');
  });
  return Promise.all(forms);
}

/** Returns the lowest growth; stops waiting as soon as it is within the limit. */
async function waitForMemory(readGrownMib: () => number): Promise<number> {
  const end = performance.now() + IDLE_MS;
  let least = readGrownMib();
  while (least > MOST_GROWN_MIB && performance.now() < end) {
    await new Promise((next) => setTimeout(next, 250));
    least = Math.min(least, readGrownMib());
  }
  return least;
}

const DECODES: readonly string[] = ['displayFrame', 'rawFrame', 'thumbnail', 'segmentationOverlay'];

function describeRun({
  answers,
  health,
  grownMib,
}: {
  answers: readonly Asked[];
  health: HealthWatch;
  grownMib: number;
}) {
  const all = answers.flatMap((asked) => asked.answers.map((answer) => ({ name: asked.name, ...answer })));
  const slowest = (isDecode: boolean) =>
    all
      .filter(({ endpoint }) => DECODES.includes(endpoint) === isDecode)
      .reduce((worst, answer) => (answer.ms > worst.ms ? answer : worst), { name: 'none', endpoint: '', ms: 0 });
  const lines = [true, false].map((isDecode) => {
    const { name, endpoint, ms } = slowest(isDecode);
    return `slowest ${isDecode ? 'frame' : 'reading'}: ${ms.toFixed()} ms (${endpoint} of "${name}")`;
  });
  return [
    `${answers.length} hostile files, ${all.length} answers`,
    ...lines,
    `health: ${health.count()} answers, the slowest ${health.worstMs().toFixed()} ms`,
    `memory afterwards: ${grownMib.toFixed()} MiB more than before`,
  ].join('\n');
}
