// A real JupyterLab below a base URL, in a real browser: PYTHON=VENV/bin/python node python/tests/jupyter.mjs [--direct | --tile | --assistant]
//
// Needs `npm run build`, and a Python with jupyterlab, jupyter-server-proxy and pandas. It runs cells as a user does, and ends
// with an error at the first thing that is not as it should be. With --direct the viewer is framed from its own port. With
// --tile it opens the viewer from the launcher instead; for this, the wheel must be installed. With --assistant, a function of the
// notebook makes a mask of a click, also without jupyter-server-proxy.
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';
import { findChromium } from '../../scripts/findChromium.mjs';

const PATIENCE_MS = 240_000;
/** Of JupyterLab, not of negato. */
const TOKEN = randomBytes(16).toString('hex');
const AUTHORIZED = { headers: { Authorization: `token ${TOKEN}` } };
const isAssisted = process.argv.includes('--assistant');
const isDirect = isAssisted || process.argv.includes('--direct');
const python = process.env.PYTHON ?? 'python3';
const packages = fileURLToPath(new URL('..', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'negato-jupyter-'));
const port = await freePort();
const base = `http://127.0.0.1:${port}/user/ana/`;
const path = (name) => join(folder, name);

mkdirSync(path('study'));
mkdirSync(path('home'));
await run(python, ['-c', WRITE_STUDY(), path('study')]);
writeFileSync(
  path('view.ipynb'),
  isAssisted ? notebook(OPEN_CELL(), ASSISTANT_CELL(), EXPORT_CELL()) : notebook(OPEN_CELL(), RESULT_CELL()),
);
const jupyter = spawn(
  python,
  [
    '-m',
    'jupyterlab',
    '--no-browser',
    '--allow-root',
    '--ip=127.0.0.1',
    `--port=${port}`,
    '--ServerApp.port_retries=0',
    '--ServerApp.base_url=/user/ana/',
    `--IdentityProvider.token=${TOKEN}`,
    `--ServerApp.root_dir=${folder}`,
  ],
  {
    cwd: path('study'),
    stdio: ['ignore', 'ignore', 'pipe'],
    env: { ...process.env, PYTHONPATH: packages, HOME: path('home') },
  },
);
let log = '';
jupyter.stderr.on('data', (bytes) => (log = (log + bytes).slice(-4000)));
let browser;
try {
  await until(
    'JupyterLab answers',
    async () => (await fetch(`${base}api`, AUTHORIZED).catch(() => undefined))?.ok === true,
  );
  const sandbox = process.getuid?.() === 0 ? ['--no-sandbox'] : [];
  browser = await chromium.launch({ executablePath: findChromium(), args: [...sandbox, '--disable-gpu'] });
  const page = await browser.newPage({ viewport: { width: 1400, height: 1100 } });
  page.setDefaultTimeout(PATIENCE_MS);
  await (isAssisted ? askAssistant(page) : process.argv.includes('--tile') ? openTile(page) : runNotebook(page));
  if (process.argv.includes('--keep')) console.log(folder);
} catch (error) {
  console.error(log);
  await browser
    ?.contexts()[0]
    ?.pages()[0]
    ?.screenshot({ path: join(tmpdir(), 'negato-jupyter-failure.png') })
    .catch(() => undefined);
  throw error;
} finally {
  await browser?.close();
  jupyter.kill('SIGTERM');
  await delay(1_000);
  if (!process.argv.includes('--keep')) rmSync(folder, { recursive: true, force: true });
}
process.exit(0);

/** The tile opens the folder of JupyterLab in another tab, over a socket file that has no port. */
async function openTile(page) {
  await page.goto(`${base}lab?token=${TOKEN}`);
  const [viewer] = await Promise.all([
    page.waitForEvent('popup'),
    page.locator('.jp-LauncherCard', { hasText: 'negato (DICOM)' }).click(),
  ]);
  viewer.setDefaultTimeout(PATIENCE_MS);
  await viewer.locator('html[data-parts="all"] [data-cell="0"][data-status="ready"][data-shown="0"]').waitFor();
  await viewer.screenshot({ path: path('tile.png') });
  // The series of the study, as the fixtures name it.
  if (!viewer.url().startsWith(`${base}negato/#cell=2.25.100`)) throw new Error(`the tile opened ${viewer.url()}`);
  const { files } = await (await fetch(`${base}negato/api/files`, AUTHORIZED)).json();
  if (files.length !== 3) throw new Error(`the tile shows ${files.length} files`);
  told('the tile of the launcher opens the folder', viewer.url());
  const stranger = await fetch(`${base}negato/api/files`, { redirect: 'manual' });
  if (stranger.ok) throw new Error('the files are open to clients without the token of JupyterLab');
  told('without the token of JupyterLab it answers nothing', String(stranger.status));
}

async function runNotebook(page) {
  await page.goto(`${base}lab/tree/view.ipynb?token=${TOKEN}`);
  await runCell(page, 0);
  const frame = await until('the cell shows a frame with the viewer', () =>
    page
      .frames()
      .find((one) => one.url().includes(isDirect ? '127.0.0.1' : '/user/ana/proxy/') && one !== page.mainFrame()),
  );
  await frame.locator('html[data-parts="all"] [data-cell="0"][data-status="ready"][data-shown="0"]').waitFor();
  told('a cell was run, and the study is drawn', frame.url());

  const cells = await page.locator('.jp-Notebook .jp-CodeCell').count();
  const cell = frame.locator('[data-cell="0"]');
  await cell.hover();
  await page.mouse.wheel(0, 120);
  await frame.locator('[data-cell="0"][data-shown="1"]').waitFor();
  await cell.click({ position: { x: 20, y: 20 } });
  // In the notebook, these would insert and delete cells.
  for (const key of ['b', 'a', 'x', 'End']) await page.keyboard.press(key);
  await frame.locator('[data-cell="0"][data-shown="2"]').waitFor();
  if ((await page.locator('.jp-Notebook .jp-CodeCell').count()) !== cells)
    throw new Error('a key reached the notebook');
  told('keys and the wheel stay in the frame');

  await page.keyboard.press('r');
  const box = await cell.boundingBox();
  const at = (x, y) => [box.x + box.width / 2 + x, box.y + box.height / 2 + y];
  await page.mouse.move(...at(-60, -60));
  await page.mouse.down();
  await page.mouse.move(...at(0, 0));
  await page.mouse.move(...at(60, 60));
  await page.mouse.up();
  await delay(3_000);
  await runCell(page, 1);
  await until('the ROI is a row of a DataFrame', () => {
    const { kind, rows, shown, png } = readResult();
    return kind === 'DataFrame' && rows === 1 && shown === 2 && png > 1000;
  });
  told(
    'a ROI that was drawn is a row of a DataFrame; shown() and screenshot() tell the same image',
    JSON.stringify({ ...readResult(), token: undefined }),
  );

  await page.screenshot({ path: path('lab.png') });
  await page.keyboard.press('Escape');
  await page
    .locator('.jp-Notebook')
    .first()
    .click({ position: { x: 5, y: 5 } });
  await page.keyboard.press('Control+s');
  const { token, pid } = readResult();
  await until('the notebook is saved with its output', () =>
    readFileSync(path('view.ipynb'), 'utf8').includes('ticket='),
  );
  if (readFileSync(path('view.ipynb'), 'utf8').includes(token)) throw new Error('the saved notebook has the token');
  told('the saved notebook has no token');

  const kernels = await (await fetch(`${base}api/kernels`, AUTHORIZED)).json();
  for (const { id } of kernels) await fetch(`${base}api/kernels/${id}`, { ...AUTHORIZED, method: 'DELETE' });
  await until('the viewer ends with its kernel', () => !isRunning(pid));
  told('the viewer has ended with its kernel');
  const later = await browser.newPage({ viewport: { width: 1400, height: 1100 } });
  await later.goto(`${base}lab/tree/view.ipynb?token=${TOKEN}`);
  await later.getByText('this viewer has ended').first().waitFor({ timeout: PATIENCE_MS });
  const dead = await later
    .locator('.jp-OutputArea iframe')
    .evaluateAll((frames) => frames.map((one) => one.clientHeight));
  if (dead.some((height) => height > 0)) throw new Error('a dead frame is shown');
  told('the notebook, opened again, says that the viewer has ended');
}

/** A click in the frame is answered by the function of a cell, and the mask that is taken is an array in the next one. */
async function askAssistant(page) {
  await page.goto(`${base}lab/tree/view.ipynb?token=${TOKEN}`);
  await runCell(page, 0);
  const frame = await until('the cell shows a frame with the viewer', () =>
    page.frames().find((one) => one.url().includes('127.0.0.1') && one !== page.mainFrame()),
  );
  await frame.locator('html[data-parts="all"] [data-cell="0"][data-status="ready"]').waitFor();
  await runCell(page, 1);
  const cell = frame.locator('[data-cell="0"]');
  await cell.hover();
  await cell.focus();
  await page.keyboard.press('Alt+3');
  await frame.getByRole('button', { name: 'Assistant', exact: true }).click();
  await frame.getByRole('menuitemradio', { name: 'Same value' }).click();
  const box = await cell.boundingBox();
  // The image is 64 by 64, and as large as the cell allows. Its left half has one value, and its right half another one.
  await page.mouse.click(box.x + box.width / 2 - 60, box.y + box.height / 2);
  // 3 slices of 64 rows of 32 columns.
  await frame.getByText('6,144 voxels more in 3 images. 6,144 in all.').waitFor();
  await page.screenshot({ path: path('assistant.png') });
  told('a click is answered by the function of the notebook', path('assistant.png'));
  await page.keyboard.press('Enter');
  await delay(2_000);
  await runCell(page, 2);
  await until('the mask is in the export', () => readResult().same === true);
  told('the mask that was taken is an array of the next cell', JSON.stringify(readResult()));
}

function ASSISTANT_CELL() {
  return `@viewer.assistant("Same value", prompts=("point",))
def segment(volume, prompts):
    return volume.array == volume.array[tuple(prompts[0].points[0])]`;
}

function EXPORT_CELL() {
  return `import json
labels = viewer.labels(layers=[], marks=True).array
volume = viewer.volume().array
with open(${JSON.stringify(path('result.json'))}, "w") as file:
    json.dump({"same": bool(((labels > 0) == (volume == 0)).all()), "voxels": int((labels > 0).sum())}, file)`;
}

function OPEN_CELL() {
  const direct = isDirect ? 'import negato._notebook; negato._notebook._has_proxy = lambda: False\n' : '';
  return `import negato\n${direct}viewer = negato.view(${JSON.stringify(path('study'))}, height=700)`;
}

function RESULT_CELL() {
  return `import json
rois = viewer.annotations()
result = {"kind": type(rois).__name__, "rows": len(rois), "token": viewer.token, "pid": viewer.pid,
          "shown": viewer.shown()["cells"][0]["position"], "png": len(viewer.screenshot(what="view"))}
with open(${JSON.stringify(path('result.json'))}, "w") as file:
    json.dump(result, file)
rois`;
}

function WRITE_STUDY() {
  if (isAssisted) return WRITE_VOLUME();
  return `import sys; sys.path.insert(0, ${JSON.stringify(join(packages, 'tests'))})
from pathlib import Path
from conftest import write_image
for number in (1, 2, 3):
    write_image(Path(sys.argv[1]) / f"{number}.dcm", number=number, columns=64, samples=[(x * number) % 300 for x in range(4096)])`;
}

/** Slices with a place in the patient, whose left half is 0 and whose right half is 100. */
function WRITE_VOLUME() {
  return `import sys; sys.path.insert(0, ${JSON.stringify(join(packages, 'tests'))})
from pathlib import Path
import conftest
conftest.ROWS = conftest.COLUMNS = 64
for number in (0, 1, 2):
    samples = [100 * (at % 64 >= 32) for at in range(4096)]
    conftest.write_slice(Path(sys.argv[1]) / f"{number}.dcm", number, samples=samples)`;
}

function notebook(...sources) {
  const cells = sources.map((source, at) => ({
    id: `cell-${at}`,
    cell_type: 'code',
    execution_count: null,
    metadata: {},
    outputs: [],
    source,
  }));
  const metadata = { kernelspec: { display_name: 'Python 3', language: 'python', name: 'python3' } };
  return JSON.stringify({ cells, metadata, nbformat: 4, nbformat_minor: 5 });
}

async function runCell(page, number) {
  const cell = page.locator('.jp-Notebook .jp-CodeCell').nth(number);
  await cell.locator('.cm-content').click();
  // Before the kernel is there, JupyterLab ignores the key.
  await page.getByText('| Idle').waitFor();
  await page.keyboard.press('Control+Enter');
}

function readResult() {
  try {
    return JSON.parse(readFileSync(path('result.json'), 'utf8'));
  } catch {
    return {};
  }
}

async function until(what, holds) {
  const end = Date.now() + PATIENCE_MS;
  for (;;) {
    const found = await holds();
    if (found) return found;
    if (Date.now() > end) throw new Error(`this did not happen: ${what}`);
    await delay(200);
  }
}

function told(what, detail = '') {
  console.log(`ok: ${what}${detail === '' ? '' : ` (${detail})`}`);
}

function isRunning(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

async function run(command, args) {
  const child = spawn(command, args, { stdio: 'inherit' });
  const status = await new Promise((settle) => child.once('close', settle));
  if (status !== 0) throw new Error(`${command} failed`);
}

async function freePort() {
  const server = createServer();
  await new Promise((settle) => server.listen(0, '127.0.0.1', settle));
  const address = server.address();
  await new Promise((settle) => server.close(settle));
  return address.port;
}
