import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { expect, onTestFinished, test } from 'vitest';
import type { WireMark } from '../../src/shared/contract/marks.ts';
import { countMaskPixels } from '../../src/shared/maskRuns.ts';
import { findViolationsInBoth } from '../support/axe.ts';
import { type AskedQuestion, type FakeOptions, sendMask, serveFakeAssistant } from '../support/fakeAssistant.ts';
import { startNegato } from '../cli/negatoProcess.ts';
import { openTab } from '../support/browser.ts';
import { needs } from '../support/needs.ts';
import { SLICE_SIZE, writeSlices } from '../support/segmentedSlices.ts';
import { serve, serveWith, type TestServer } from '../support/serve.ts';
import { createTempFolder, writeBelow } from '../support/tempFolder.ts';
import { drag, isHeld, openViewer, projectionOf, showsImage } from '../support/viewerPage.ts';

const SLICES = 9;
const AXIAL = { rows: SLICE_SIZE, columns: SLICE_SIZE };
/** 9 slices, 3 mm apart, with pixels of 1 by 1 mm. */
const UPRIGHT = { rows: SLICES, columns: SLICE_SIZE, aspect: 3 };

type Voxel = readonly [slice: number, row: number, column: number];

/** Where the last prompt begins. */
function lastVoxel({ prompts }: AskedQuestion): Voxel {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a prompt of this form
  const { at, from, points } = prompts.at(-1) as { at?: Voxel; from?: Voxel; points?: Voxel[] };
  return at ?? from ?? points![0]!;
}

/** Answers with a column of voxels: that of the last prompt, in all slices. */
function answerColumn(question: AskedQuestion, response: ServerResponse): void {
  const [, row, column] = lastVoxel(question);
  sendMask(response, new Uint8Array(SLICES).fill(1), { from: [0, row, column], size: [SLICES, 1, 1] });
}

async function prepare(options: FakeOptions = {}) {
  const assistant = await serveFakeAssistant({ answer: answerColumn, ...options });
  const server = await serveWith({ inputs: writeSlices(SLICES), assistants: [assistant.address] });
  const opened = await openViewer(server, { width: 1600 });
  return { assistant, server, ...opened };
}

/** How many pixels each mask has in each slice. */
async function countsOf(server: TestServer): Promise<readonly (readonly number[])[]> {
  const { marks }: { marks: WireMark[] } = await (await server.request('/api/marks?kind=brush')).json();
  return marks.map(({ slices }) => slices.map(({ mask }) => (mask === undefined ? 0 : countMaskPixels(mask.runs))));
}

/** The first column of each mask. */
async function columnsOf(server: TestServer): Promise<readonly (number | undefined)[]> {
  const { marks }: { marks: WireMark[] } = await (await server.request('/api/marks?kind=brush')).json();
  return marks.map(({ slices }) => slices[0]?.mask?.left);
}

const says = (page: Page, text: string) => page.getByRole('status').getByText(text, { exact: true }).waitFor();
const barOf = (page: Page) => page.getByRole('group', { name: 'Lesion' });
const ones = Array.from({ length: SLICES }, () => 1);

test('a click asks, the next one replaces its answer, Esc throws it away, and Enter takes it as one step', async () => {
  const { assistant, server, page, cell, complaints } = await prepare();
  const at = await projectionOf(cell, AXIAL, {});
  await page.keyboard.press('Alt+3');
  await page.getByRole('button', { name: 'Assistant', exact: true }).click();
  await page.getByRole('menuitemradio', { name: 'Lesion' }).click();
  await page.mouse.click(...at(7.5, 4.5));
  await says(page, '9 voxels more in 9 images. 9 in all.');
  expect(await findViolationsInBoth(page)).toEqual([]);
  await page.keyboard.down('Alt');
  await page.mouse.click(...at(20.5, 11.5));
  await page.keyboard.up('Alt');
  await expect
    .poll(() => assistant.questions.at(-1)?.prompts)
    .toEqual([
      { kind: 'point', positive: true, at: [0, 4, 7] },
      { kind: 'point', positive: false, at: [0, 11, 20] },
    ]);
  await says(page, '9 voxels more in 9 images. 9 in all.');
  await expect.poll(() => cell.locator('[data-prompt]').count()).toBe(2);
  await page.keyboard.press('Escape');
  await expect.poll(() => barOf(page).count()).toBe(0);
  expect(await cell.locator('[data-prompt]').count()).toBe(0);
  expect(await countsOf(server)).toEqual([]);

  // A drag is a scribble, with Shift a box. Both begin anew.
  await drag(page, at(5.5, 5.5), at(9.5, 5.5));
  await says(page, '9 voxels more in 9 images. 9 in all.');
  const row = [5, 6, 7, 8, 9].map((column) => [0, 5, column]);
  expect(assistant.questions.at(-1)?.prompts).toEqual([{ kind: 'scribble', positive: true, points: row }]);
  await page.keyboard.down('Shift');
  await drag(page, at(12.5, 3.5), at(10.5, 8.5));
  await page.keyboard.up('Shift');
  await expect
    .poll(() => assistant.questions.at(-1)?.prompts.at(-1))
    .toEqual({ kind: 'box', positive: true, from: [0, 3, 10], to: [0, 8, 12] });
  await says(page, '9 voxels more in 9 images. 9 in all.');
  await page.keyboard.press('Enter');
  await expect.poll(() => countsOf(server)).toEqual([ones]);

  // The next answer is added to the mask, unless the user says that it begins from it and replaces it.
  await page.mouse.click(...at(20.5, 11.5));
  await says(page, '9 voxels more in 9 images. 18 in all.');
  expect(assistant.questions.at(-1)?.mask).toBe(null);
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Assistant', exact: true }).click();
  await page.getByRole('menuitemradio', { name: 'Begin from the selected mask, and replace it' }).click();
  await page.mouse.click(...at(20.5, 11.5));
  await says(page, '9 voxels in 9 images, in place of the mask.');
  expect(assistant.questions.at(-1)?.mask).toHaveLength(SLICES);
  await page.keyboard.press('Enter');
  await expect.poll(() => columnsOf(server)).toEqual([20]);
  await page.keyboard.press('Control+z');
  await expect.poll(() => columnsOf(server)).toEqual([10]);
  await page.keyboard.press('Control+z');
  await expect.poll(() => countsOf(server)).toEqual([]);
  expect(complaints).toEqual([]);
});

test('a click lands on the voxel under it in every orientation', async () => {
  const { assistant, page, complaints } = await prepare();
  await page.keyboard.press('y');
  for (const cell of [0, 1, 2]) await page.locator(`[data-cell="${cell}"][data-status="ready"]`).waitFor();
  await page.keyboard.press('Alt+q');
  await page.getByText('Lesion: click or drag a scribble').waitFor();
  // Slice 0 is that of the image before; row 15 and column 15 are the middle. The first row of upright planes is the slice at the head, which is the last one.
  const clicks = [
    { cell: 0, image: AXIAL, x: 10, y: 8, voxel: [0, 8, 10] },
    { cell: 1, image: UPRIGHT, x: 6, y: 2, voxel: [6, 15, 6] },
    { cell: 2, image: UPRIGHT, x: 7, y: 3, voxel: [5, 7, 15] },
  ];
  for (const { cell, image, x, y, voxel } of clicks) {
    const at = await projectionOf(page.locator(`[data-cell="${cell}"]`), image, {});
    // With Alt, a plane would turn under other tools.
    await page.keyboard.down('Alt');
    await page.mouse.click(...at(x + 0.5, y + 0.5));
    await page.keyboard.up('Alt');
    await expect
      .poll(() => assistant.questions.at(-1)?.prompts.at(-1))
      .toEqual({ kind: 'point', positive: false, at: voxel });
  }
  expect(assistant.questions.at(-1)?.prompts).toHaveLength(3);
  expect(complaints).toEqual([]);
});

test('what goes wrong is a sentence, nothing is lost by it, and a second prompt gives up the first', async () => {
  const waiting: ServerResponse[] = [];
  const answers: NonNullable<FakeOptions['answer']>[] = [
    (_, response) => waiting.push(response),
    answerColumn,
    (_, response) => response.writeHead(500).end('{"error":"the network has no memory left"}'),
    answerColumn,
  ];
  const { assistant, server, page, cell } = await prepare({
    answer: (question, response) => answers.shift()!(question, response),
  });
  const at = await projectionOf(cell, AXIAL, {});
  await page.keyboard.press('Alt+q');
  await page.getByText('Lesion: click or drag a scribble').waitFor();
  await page.mouse.click(...at(7.5, 4.5));
  await expect.poll(() => waiting.length).toBe(1);
  await page.mouse.click(...at(8.5, 4.5));
  await says(page, '9 voxels more in 9 images. 9 in all.');
  expect(assistant.left()).toBe(1);
  await page.mouse.click(...at(9.5, 4.5));
  await page.getByRole('alert').getByText('Lesion: the network has no memory left').waitFor();
  await page.mouse.click(...at(10.5, 4.5));
  await says(page, '9 voxels more in 9 images. 9 in all.');
  expect(assistant.questions.at(-1)?.prompts).toHaveLength(4);
  await page.keyboard.press('Enter');
  await expect.poll(() => countsOf(server)).toEqual([ones]);

  await assistant.close();
  await page.mouse.click(...at(20.5, 20.5));
  await page.getByRole('alert').getByText('nothing listens at its address').waitFor();
  await page.keyboard.press('Escape');
  expect(await countsOf(server)).toEqual([ones]);
});

test('when negato is killed while an assistant works, the page says so, and what was taken is there after the next start', async () => {
  const waiting: ServerResponse[] = [];
  const assistant = await serveFakeAssistant({
    answer: (question, response) =>
      question.prompts.length > 1 ? void waiting.push(response) : answerColumn(question, response),
  });
  const folder = createTempFolder();
  for (const [n, bytes] of writeSlices(SLICES).entries()) writeBelow(folder, `study/${n}.dcm`, bytes);
  const env = { HOME: folder, XDG_STATE_HOME: join(folder, 'state') };
  const words = [join(folder, 'study'), '--assist', assistant.address];
  const { started, signal, exit } = await startNegato(words, { env });
  const { page } = await openTab({ baseUrl: started.base_url });
  await page.goto(started.url);
  await showsImage(page);
  const at = await projectionOf(page.locator('[data-cell="0"]'), AXIAL, {});
  await page.keyboard.press('Alt+q');
  await page.getByText('Lesion: click or drag a scribble').waitFor();
  await page.mouse.click(...at(7.5, 4.5));
  await says(page, '9 voxels more in 9 images. 9 in all.');
  await page.keyboard.press('Enter');
  await expect.poll(() => isHeld(page)).toBe(false);
  await page.mouse.click(...at(12.5, 4.5));
  await says(page, '9 voxels more in 9 images. 18 in all.');
  await page.mouse.click(...at(13.5, 4.5));
  await expect.poll(() => waiting.length).toBe(1);

  signal('SIGKILL');
  await exit;
  await page.getByRole('group', { name: 'Lesion' }).getByRole('alert').waitFor();
  await expect.poll(() => assistant.left()).toBe(1);
  const port = String(started.port);
  const again = await startNegato([...words, '--port', port, '--restore'], { env });
  // What was taken, and not what was only previewed.
  const marks = async () => {
    const response = await fetch(`${again.started.base_url}/api/marks?kind=brush`);
    const { marks: listed }: { marks: WireMark[] } = await response.json();
    return listed.map(({ slices }) => slices.length);
  };
  await expect.poll(marks, { timeout: 30_000 }).toEqual([SLICES]);
});

const PROGRAM = `
import json, sys
from negato._assistants import AssistantServer

def segment(volume, prompts):
    slice_, row, column = prompts[0].points[0]
    mask = volume.array < 0
    mask[slice_ : slice_ + 2, row : row + 3, column : column + 4] = True
    return mask

server = AssistantServer(segment, "Block", ("point",), True, "stored", 3, 60)
print(json.dumps({"address": server.address, "secret": server.secret}), flush=True)
sys.stdin.read()
`;

test(
  'a function of a real Python is asked by a click, its mask is in the export, and when it is killed the page says so',
  {
    ...needs('Python 3.9 with numpy'),
  },
  async () => {
    const server = await serve(...writeSlices(SLICES));
    const cwd = fileURLToPath(new URL('../../python', import.meta.url));
    const python = spawn(process.env['PYTHON'] ?? 'python3', ['-c', PROGRAM], {
      cwd,
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    onTestFinished(() => void python.kill());
    const [line] = await once(createInterface(python.stdout), 'line');
    const { page, cell } = await openViewer(server, { width: 1600 });
    const button = page.getByRole('button', { name: 'Assistant', exact: true });
    await page.keyboard.press('Alt+3');
    expect(await button.count()).toBe(0);
    // The page hears of it.
    const headers = { 'Content-Type': 'application/json' };
    expect((await server.request('/api/assistants', { method: 'POST', body: String(line), headers })).status).toBe(200);
    await button.waitFor();
    await page.keyboard.press('Alt+q');
    await page.getByText('Block: click on what is inside').waitFor();
    const at = await projectionOf(cell, AXIAL, {});
    await page.mouse.click(...at(7.5, 4.5));
    // 2 slices of 3 rows of 4 columns.
    await says(page, '24 voxels more in 2 images. 24 in all.');
    await page.keyboard.press('Enter');
    await expect.poll(() => countsOf(server)).toEqual([[12, 12]]);

    const file = Buffer.from(await (await server.request('/api/file/0/volume/marks?format=nii')).arrayBuffer());
    // NIfTI-1: vox_offset is a float at 108. Rows run up there.
    const labels = file.subarray(file.readFloatLE(108));
    const inside = [...labels.entries()].flatMap(([n, label]) => (label === 0 ? [] : [n]));
    const size = SLICE_SIZE * SLICE_SIZE;
    const expected = [0, 1].flatMap((slice) =>
      [6, 5, 4].flatMap((row) =>
        [7, 8, 9, 10].map((column) => slice * size + (SLICE_SIZE - 1 - row) * SLICE_SIZE + column),
      ),
    );
    expect(inside).toEqual(expected);

    python.kill('SIGKILL');
    await once(python, 'exit');
    await page.mouse.click(...at(20.5, 20.5));
    await page.getByRole('alert').getByText('Block: no mask: nothing listens at its address').waitFor();
    await page.keyboard.press('Escape');
    expect(await countsOf(server)).toEqual([[12, 12]]);
  },
);
