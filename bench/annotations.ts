// A million polygons over a slide of 100,000 x 80,000 pixels: how long until they can be drawn, how long a piece of the
// slide takes, and in a real browser how long the page needs for a step of the view. Run it with
// `npm run bench -- annotations [--count 1000000]`. See README.md beside this file.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { writeDicom } from '../src/server/standard/dicom/writeDicom.ts';
import { slideAnnotationElements } from '../test/support/regionElements.ts';
import { deflateTile, halvings, writeSlideLevel } from '../test/support/slidePyramid.ts';
import { withFolder } from './support/folder.ts';
import { toTimes } from './support/measure.ts';
import { type BenchViewer, waitUntilComplete, withViewer } from './support/page.ts';
import { mb, ms, type Report, runBenchmark, SUITE_OPTIONS, target } from './support/report.ts';
import { watchFrames } from './support/watchFrames.ts';

const { values: options } = parseArgs({ options: { ...SUITE_OPTIONS, count: { type: 'string', default: '1000000' } } });
const count = Number(options.count);

const [WIDTH, HEIGHT, TILE] = [100_000, 80_000, 512];
const LARGEST_UID = '1.2.826.0.1.3680043.8.498.80.1';
const ANNOTATIONS_UID = '2.25.720';
const CORNERS = 16;
/** Targets. */
const FIRST_VIEW_MS = 2_000;
const STEP_MS = 16;
const SERVER_MB = 400;

await runBenchmark('annotations', (report) =>
  withFolder(async (folder) => {
    const files = join(folder, 'slide');
    mkdirSync(files);
    writeSlide(files);
    const bytes = writeAnnotations();
    report.note(`${count.toLocaleString('en')} polygons of ${CORNERS} corners, ${mb(bytes.length / 1e6)}`);
    writeFileSync(join(files, 'annotations.dcm'), bytes);
    await withViewer(files, (viewer) => measure(viewer, report));
  }),
);

function writeSlide(folder: string): void {
  const tile = deflateTile([225, 200, 215], TILE);
  for (const [level, { width, height }] of halvings(WIDTH, HEIGHT, TILE).entries()) {
    const tiles = Math.ceil(width / TILE) * Math.ceil(height / TILE);
    const bytes = writeSlideLevel(level, {
      SOPInstanceUID: LARGEST_UID.replace(/1$/, String(level + 1)),
      TotalPixelMatrixColumns: width,
      TotalPixelMatrixRows: height,
      NumberOfFrames: tiles,
      Rows: TILE,
      Columns: TILE,
      PixelData: { fragments: Array.from({ length: tiles }, () => tile), offsetTable: 'extended' },
    });
    writeFileSync(join(folder, `level-${level}.dcm`), bytes);
  }
}

/** Nuclei of 20 to 40 pixels in random places, in the order in which a program finds them: tile by tile. */
function writeAnnotations(): Uint8Array {
  let seed = 12_345;
  const random = () => {
    seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0;
    return seed / 2 ** 32;
  };
  const across = Math.ceil(Math.sqrt((count * WIDTH) / HEIGHT));
  const down = Math.ceil(count / across);
  const values = new Float32Array(count * CORNERS * 2);
  const indices = new Uint32Array(count);
  for (let at = 0; at < count; at += 1) {
    const x = ((at % across) + random()) * (WIDTH / across);
    const y = (Math.floor(at / across) + random()) * (HEIGHT / down);
    const radius = 10 + 10 * random();
    indices[at] = at * CORNERS * 2 + 1;
    for (let corner = 0; corner < CORNERS; corner += 1) {
      const angle = (2 * Math.PI * corner) / CORNERS;
      const reach = radius * (0.85 + 0.3 * random());
      values[(at * CORNERS + corner) * 2] = x + reach * Math.cos(angle);
      values[(at * CORNERS + corner) * 2 + 1] = y + reach * Math.sin(angle);
    }
  }
  return writeDicom(
    slideAnnotationElements(
      [
        {
          type: 'POLYGON',
          label: 'nuclei',
          values: [],
          count,
          different: {
            PointCoordinatesData: new Uint8Array(values.buffer),
            LongPrimitivePointIndexList: new Uint8Array(indices.buffer),
          },
        },
      ],
      {
        ReferencedImageSequence: [
          {
            ReferencedSOPClassUID: '1.2.840.10008.5.1.4.1.1.77.1.6',
            ReferencedSOPInstanceUID: LARGEST_UID,
          },
        ],
      },
    ),
  );
}

async function measure({ page, server, browser }: BenchViewer, report: Report): Promise<void> {
  const table = report.table(`${count.toLocaleString('en')} polygons`);
  const { files }: { files: { index: number; sop_instance_uid: string }[] } = await (
    await fetch(`${server.url}/api/files`)
  ).json();
  const indexOf = (uid: string) => files.find((file) => file.sop_instance_uid === uid)?.index ?? -1;
  const [layer, slide] = [indexOf(ANNOTATIONS_UID), indexOf(LARGEST_UID)];

  const began = performance.now();
  await (await fetch(`${server.url}/api/layer/${layer}`)).arrayBuffer();
  table.row('described, with the index', { p50: ms(performance.now() - began) });
  for (const [name, pixel] of [
    ['a piece of shapes', 2],
    ['a piece of small shapes', 8],
    ['a piece of clusters', 64],
  ] as const) {
    const side = 1024 * pixel;
    const took: number[] = [];
    for (let step = 0; step < 12; step += 1) {
      const start = performance.now();
      const [x, y] = [(step % 4) * side, Math.floor(step / 4) * side];
      const query = `file=${slide}&x=${x % 65_536}&y=${y % 65_536}&width=${side}&height=${side}&pixel=${pixel}`;
      await (await fetch(`${server.url}/api/layer/${layer}/region?${query}`)).arrayBuffer();
      took.push(performance.now() - start);
    }
    const { p50, p99 } = toTimes(took);
    table.row(name, { p50: ms(p50), longest: ms(p99) });
  }
  table.row('memory of the server', {
    p50: mb(server.memoryMb().now),
    longest: mb(server.memoryMb().peak),
    target: target(`${SERVER_MB} MB`, server.memoryMb().peak <= SERVER_MB),
  });

  const opened = performance.now();
  await page.goto(`${server.url}/#cell=${LARGEST_UID},1&layer=${ANNOTATIONS_UID}`);
  await waitUntilComplete(page);
  const drawn = page.locator('[data-cell="0"] [data-layer="layers"]:not([data-masks="loading"]):not([data-masks="0"])');
  await drawn.waitFor({ state: 'attached' });
  const firstView = performance.now() - opened;
  table.row('first view in the browser', {
    p50: ms(firstView),
    target: target(`${FIRST_VIEW_MS} ms`, firstView <= FIRST_VIEW_MS),
  });
  for (const zoom of [0.3, 0.1, 0.02]) {
    await page.goto(`${server.url}/?zoom=${zoom}#cell=${LARGEST_UID},1,,50000_40000_${zoom}&layer=${ANNOTATIONS_UID}`);
    await waitUntilComplete(page);
    await drawn.waitFor({ state: 'attached' });
    await delay(1_500);
    const { p50, p99 } = toTimes(await panAround(page));
    table.row(`a step of the view at ${zoom}:1`, {
      p50: ms(p50),
      longest: ms(p99),
      target: target(`${STEP_MS} ms`, p50 <= STEP_MS),
    });
  }
  table.row('memory of the browser', { p50: mb(browser.memoryMb()) });
}

/** Moves the view by a few pixels back and forth, and measures how long the page works for each step. */
async function panAround(page: BenchViewer['page']): Promise<number[]> {
  const cell = page.locator('[data-cell="0"]');
  const box = await cell.boundingBox();
  const [x, y] = [(box?.x ?? 0) + (box?.width ?? 0) / 2, (box?.y ?? 0) + (box?.height ?? 0) / 2];
  return watchFrames(page, async () => {
    await page.mouse.move(x, y);
    await page.mouse.down();
    for (let step = 1; step <= 60; step += 1) await page.mouse.move(x + (step % 30) * 3, y + (step % 20) * 2);
    await page.mouse.up();
  });
}
