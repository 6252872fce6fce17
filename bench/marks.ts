// Thousands of marks on one image, and masks that are painted: how long the page works for an animation frame while a mark
// is dragged, while the view is moved, and while the brush paints; and what a stroke adds to the journal of the server. Run it
// with `npm run bench -- marks [--count 2000]`. See README.md beside this file.
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { withFolder } from './support/folder.ts';
import { toTimes } from './support/measure.ts';
import { type BenchViewer, waitUntilComplete, withViewer } from './support/page.ts';
import { ms, perSecond, type Report, runBenchmark, SUITE_OPTIONS, type Table, target } from './support/report.ts';
import { writeSlices } from './support/slices.ts';
import { dragAlong, watchFrames } from './support/watchFrames.ts';

const { values: options } = parseArgs({ options: { ...SUITE_OPTIONS, count: { type: 'string', default: '2000' } } });
const count = Number(options.count);
const SLICES = 300;
const SIDE = 512;
/** Targets of the work for one animation frame. */
const DRAG_MS = 16;
const STROKE_MS = 8;
const REGIONS = [
  ['Alt+g', 'the range of a region is dragged'],
  ['Alt+v', 'the range of a 3-D region is dragged'],
] as const;

await runBenchmark('marks', (report) =>
  withFolder(async (folder) => {
    const [slices, state] = [join(folder, 'slices'), join(folder, 'state')];
    writeSlices(slices, SLICES);
    const measure = async (viewer: BenchViewer) => {
      await measureMarks(viewer, report);
      await measureBrush(viewer, report, join(state, 'negato'));
    };
    await withViewer(slices, measure, { XDG_STATE_HOME: state });
  }),
);

async function measureMarks({ page, server }: BenchViewer, report: Report): Promise<void> {
  const table = report.table(`${count.toLocaleString('en')} marks on one image`);
  await page.goto(server.url);
  await waitUntilComplete(page);
  // The marks are on the first image.
  await page.keyboard.press('Home');
  const measured = async (name: string, path: Path, goal: number | undefined) => {
    await delay(500);
    await addFrames(table, name, () => watchFrames(page, () => dragAlong(page, path)), goal);
  };
  const path = await pathOver(page, 240);
  await page.keyboard.press('l');
  await measured('a new length is dragged, no other marks', path, DRAG_MS);
  for (let n = 0; n < count; n += 1) await post(server.url, 'marks', toMark(n));
  await page.waitForFunction((many) => {
    const crowd = document.querySelector<HTMLElement>('[data-crowd]');
    return document.querySelectorAll('[data-measure]').length + Number(crowd?.dataset['crowd'] ?? 0) > many;
  }, count);
  // Most of them have their numbers then.
  await delay(10_000);
  await measured('a new length is dragged', path, DRAG_MS);
  // The end of the length that was drawn last.
  const [x, y] = path.at(-1)!;
  await measured(
    'its end is dragged',
    path.map(([px, py]) => [x + (px - path[0]![0]) / 4, y + (py - path[0]![1]) / 4] as const),
    DRAG_MS,
  );
  await page.keyboard.press('p');
  await measured('the view is moved', path, undefined);
}

async function measureBrush({ browser, server }: BenchViewer, report: Report, state: string): Promise<void> {
  const table = report.table(`a mask of ${SIDE} x ${SIDE} x ${SLICES}`);
  const { marks }: { marks: readonly { id: number; etag: string }[] } = await (
    await fetch(`${server.url}/api/marks`)
  ).json();
  await send(`${server.url}/api/marks`, 'DELETE', { marks: marks.map(({ id, etag }) => ({ id, etag })) });
  const files = Array.from({ length: SLICES }, (_, file_index) => ({ file_index, frame_index: 0 }));
  const slices = files.map((address, n) => ({ ...address, points: [], mask: discOf(100 + (n % 50)) }));
  // More than one request can have.
  const [first, ...parts] = [0, 1, 2].map((part) => slices.slice(part * 100, (part + 1) * 100));
  const place = { type: 'stack', from: files[0], to: files.at(-1) };
  const { id } = await post(server.url, 'marks', { kind: 'brush', place, points: [], slices: first });
  for (const part of parts) await send(`${server.url}/api/mark/${id}`, 'PATCH', { slices: part });
  // A new page: the first one asks before it is left.
  const page = await browser.newPage();
  await page.goto(server.url);
  await waitUntilComplete(page);
  const path = await pathOver(page, 240);
  for (const [key, name] of REGIONS) {
    await page.keyboard.press(key);
    await delay(1_000);
    await addFrames(table, name, () => watchFrames(page, () => dragAlong(page, path)), DRAG_MS);
    await page.keyboard.press('Escape');
  }
  await page.keyboard.press('Shift+B');
  await delay(1_000);
  await addFrames(table, 'a stroke', () => watchFrames(page, () => dragAlong(page, path)), STROKE_MS);
  for (let n = 0; n < 12; n += 1) await page.keyboard.press('}');
  await delay(500);
  await addFrames(table, 'a stroke of a large brush', () => watchFrames(page, () => dragAlong(page, path)), STROKE_MS);
  await delay(2_000);
  const took: number[] = [];
  const added: number[] = [];
  for (let n = 0; n < 20; n += 1) {
    const before = sizeOfJournal(state);
    const began = performance.now();
    await send(`${server.url}/api/mark/${id}`, 'PATCH', {
      slices: [{ ...files[n], points: [], mask: discOf(60 + n) }],
    });
    took.push(performance.now() - began);
    const after = sizeOfJournal(state);
    added.push(after - before);
  }
  const { p50, p99 } = toTimes(took);
  table.row('the server keeps a stroke', { p50: ms(p50), longest: ms(p99) });
  table.row('the journal', { p50: `${(sizeOfJournal(state) / 1e3).toFixed(0)} kB` });
  table.row('a stroke in the journal', { p50: `${(toTimes(added).p50 / 1e3).toFixed(1)} kB` });
}

type Path = readonly (readonly [x: number, y: number])[];

async function addFrames(
  table: Table,
  name: string,
  drag: () => Promise<readonly number[]>,
  goal: number | undefined,
): Promise<void> {
  const began = performance.now();
  const took = await drag();
  const { p50, p99 } = toTimes(took);
  const drawings = perSecond(took.length, performance.now() - began);
  const goals = goal === undefined ? {} : { target: target(`${goal} ms`, p50 <= goal) };
  table.row(name, { p50: ms(p50), longest: ms(p99), 'drawings per second': drawings, ...goals });
}

/** A wave through the middle of the cell. */
async function pathOver(page: BenchViewer['page'], steps: number): Promise<Path> {
  const box = await page.locator('[data-cell="0"]').boundingBox();
  if (box === null) throw new Error('no cell');
  const reach = Math.min(box.width, box.height) / 4;
  const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
  return Array.from({ length: steps }, (_, n) => {
    const part = (2 * n) / (steps - 1) - 1;
    return [x + reach * part, y + reach * Math.sin(4 * part)] as const;
  });
}

function toMark(n: number) {
  const [x, y] = [8 + (n % 50) * 9.9, 8 + (Math.floor(n / 50) % 50) * 9.9];
  const place = { type: 'frame', file_index: 0, frame_index: 0 };
  const kind = (['length', 'box', 'ellipse', 'polygon'] as const)[n % 4];
  const corners = [
    [x, y],
    [x + 6, y + 5],
  ];
  return { kind, place, points: kind === 'polygon' ? [...corners, [x, y + 6]] : corners };
}

/** Run lengths of a disc in the middle of the image. */
function discOf(radius: number) {
  const runs: number[] = [];
  let outside = 0;
  for (let row = 0; row < 2 * radius; row += 1) {
    const half = Math.round(Math.sqrt(radius ** 2 - (row + 0.5 - radius) ** 2));
    runs.push(outside + radius - half, 2 * half);
    outside = radius - half;
  }
  const kept = runs.reduce((sum, run) => sum + run, 0);
  if (outside > 0) runs.push((2 * radius) ** 2 - kept);
  const [left, top, width, height] = [SIDE / 2 - radius, SIDE / 2 - radius, 2 * radius, 2 * radius];
  return { left, top, width, height, runs: joinZeros(runs) };
}

/** A run of no pixels joins its neighbours; only the first may be empty. */
function joinZeros(runs: readonly number[]): number[] {
  const joined: number[] = [];
  for (let n = 0; n < runs.length; n += 1) {
    if (n > 0 && runs[n] === 0) {
      joined[joined.length - 1]! += runs[n + 1] ?? 0;
      n += 1;
    } else joined.push(runs[n]!);
  }
  return joined;
}

function post(url: string, path: string, body: object): Promise<{ readonly id: number }> {
  return send(`${url}/api/${path}`, 'POST', body);
}

async function send(url: string, method: string, body: object): Promise<{ readonly id: number }> {
  const headers = { 'Content-Type': 'application/json' };
  const response = await fetch(url, { method, headers, body: JSON.stringify(body) });
  if (!response.ok) throw new Error(`${method} ${url} answered ${response.status}: ${await response.text()}`);
  return response.json();
}

function sizeOfJournal(state: string): number {
  return readdirSync(state).reduce((sum, name) => sum + statSync(join(state, name)).size, 0);
}
