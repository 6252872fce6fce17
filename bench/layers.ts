// Layers over images: what lies over a stack of a large study, a structure set of 500,000 points, a dose, dose-volume
// histograms of 30 structures, and labels of a model as .nii.gz: `npm run bench -- layers [--rounds 3]`. See README.md
// beside this file.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { gzipSync } from 'node:zlib';
import { type DataSetInput, writeDicom } from '../src/server/standard/dicom/writeDicom.ts';
import { numberOfLayer } from '../src/shared/layerRef.ts';
import { writeNifti } from '../test/support/arrayFiles.ts';
import { digits, FRAME_OF_REFERENCE } from '../test/support/placedElements.ts';
import { circle, structureSetElements, type WrittenRoi } from '../test/support/structureSetElements.ts';
import { writeImage } from './support/ctTree.ts';
import { withFolder } from './support/folder.ts';
import { median } from './support/measure.ts';
import { mb, ms, type Report, runBenchmark, SUITE_OPTIONS, target } from './support/report.ts';
import { waitUntilComplete, withViewer } from './support/page.ts';
import { scrollPage } from './support/scrollPage.ts';
import { type BenchServer, startServer } from './support/server.ts';

const { values: options } = parseArgs({ options: { ...SUITE_OPTIONS, rounds: { type: 'string', default: '3' } } });
const rounds = Number(options.rounds);

/** The CT: slices of 512 x 512 pixels of 0.9 mm, 2 mm apart. */
const [SIDE, PIXEL_MM, STEP_MM] = [512, 0.9, 2];
const ORIGIN = [-230, -230, -200] as const;
/** The slice with the highest dose: the 40th plane of the dose is at -100 mm. */
const DOSE_SLICE = 50;

await runBenchmark('layers', async (report) => {
  await withFolder((folder) => measureList(folder, report));
  await withFolder((folder) => measurePlan(folder, report));
  await withFolder((folder) => measureLabels(folder, report));
  await withFolder((folder) => measurePage(folder, report));
});

/** A study of 2,000 files: eight series of one frame of reference, and what lies over them. */
async function measureList(folder: string, report: Report): Promise<void> {
  const SERIES = 8;
  const others = [writePlanStructures(50, 40, 100), writeDose()];
  const slices = Math.floor((2000 - others.length) / SERIES);
  for (let series = 0; series < SERIES; series += 1) writeSeries(folder, series, slices);
  for (const [at, bytes] of others.entries()) writeFileSync(join(folder, `z${at}.dcm`), bytes);
  const [cold, warm]: [number[], number[]] = [[], []];
  for (let round = 0; round < rounds; round += 1) {
    const server = await startServer(folder);
    // The page asks for the stacks first, and so does everything that shows an image.
    await ask(server, 'series');
    cold.push((await ask(server, 'layers?file=0&frame=0')).tookMs);
    for (let turn = 0; turn < 5; turn += 1) warm.push((await ask(server, 'layers?file=0&frame=0')).tookMs);
    await server.stop();
  }
  const table = report.table('Layers of a stack, 2,000 files');
  table.row('first time', { negato: ms(median(cold)), mark: target('400 ms', median(cold) <= 400) });
  table.row('again', { negato: ms(median(warm)), mark: target('50 ms', median(warm) <= 50) });
}

/** A series of 100 images, a structure set of 500,000 points, a dose, and 30 structures in it. */
async function measurePlan(folder: string, report: Report): Promise<void> {
  const SLICES = 100;
  writeSeries(folder, 0, SLICES);
  const [large, dose, plan] = [SLICES, SLICES + 1, SLICES + 2];
  for (const [at, bytes] of [
    writePlanStructures(50, SLICES, 100),
    writeDose(),
    writePlanStructures(30, 60, 200),
  ].entries()) {
    writeFileSync(join(folder, `z${at}.dcm`), bytes);
  }
  const taken: Record<'read' | 'memory' | 'contours' | 'dose' | 'doseKb' | 'first' | 'all', number[]> = {
    read: [],
    memory: [],
    contours: [],
    dose: [],
    doseKb: [],
    first: [],
    all: [],
  };
  for (let round = 0; round < rounds; round += 1) {
    const server = await startServer(folder);
    await ask(server, 'series');
    await ask(server, `layer/${plan}`);
    const before = server.memoryMb().now;
    taken.read.push((await ask(server, `layer/${large}`)).tookMs);
    taken.memory.push(server.memoryMb().peak - before);
    for (let slice = 40; slice < 60; slice += 1) {
      taken.contours.push((await ask(server, `layer/${large}/frame?file=${slice}&frame=0`)).tookMs);
    }
    await ask(server, `layer/${dose}/frame?file=39&frame=0`);
    for (let slice = 40; slice < 60; slice += 1) {
      const { tookMs, bytes } = await ask(server, `layer/${dose}/frame?file=${slice}&frame=0`);
      taken.dose.push(tookMs);
      taken.doseKb.push(bytes / 1000);
    }
    taken.first.push((await ask(server, `file/${plan}/dvh?dose=${dose}&parts=1`)).tookMs);
    taken.all.push((await ask(server, `file/${plan}/dvh?dose=${dose}`)).tookMs);
    await server.stop();
  }
  const contours = report.table('A structure set of 500,000 points over 100 images');
  const read = median(taken.read);
  contours.row('read and placed', { negato: ms(read), mark: target('1.5 s', read <= 1500) });
  const memory = median(taken.memory);
  contours.row('memory for it, at the peak', { negato: mb(memory), mark: target('120 MB', memory <= 120) });
  const packet = median(taken.contours);
  contours.row('contours of the next image', { negato: ms(packet), mark: target('5 ms', packet <= 5) });
  const doses = report.table('A dose of 88 x 60 x 100 samples of 3 mm');
  const [tookMs, kb] = [median(taken.dose), median(taken.doseKb)];
  doses.row('values of the next image', { negato: ms(tookMs), mark: target('15 ms', tookMs <= 15) });
  doses.row('their size', { negato: `${kb.toFixed(1)} kB`, mark: target('60 kB', kb <= 60) });
  const [first, all] = [median(taken.first), median(taken.all)];
  doses.row('first dose-volume histogram', { negato: ms(first), mark: target('300 ms', first <= 300) });
  doses.row('those of 30 structures', { negato: ms(all), mark: target('3 s', all <= 3000) });
}

/** Labels of a model, 512 x 512 x 400 bytes, over a series of the same grid. */
async function measureLabels(folder: string, report: Report): Promise<void> {
  const SLICES = 400;
  writeSeries(folder, 0, SLICES);
  const samples = new Uint8Array(SIDE * SIDE * SLICES);
  for (let label = 1; label <= 20; label += 1) fillBall(samples, label);
  // From LPS of the images to RAS.
  const sform = [-PIXEL_MM, 0, 0, -ORIGIN[0], 0, -PIXEL_MM, 0, -ORIGIN[1], 0, 0, STEP_MM, ORIGIN[2]];
  const nifti = writeNifti({ sizes: [SIDE, SIDE, SLICES], samples, sform });
  writeFileSync(join(folder, 'labels.nii.gz'), gzipSync(nifti, { level: 6 }));
  const [first, next, memory]: [number[], number[], number[]] = [[], [], []];
  for (let round = 0; round < rounds; round += 1) {
    const server = await startServer(folder);
    await ask(server, 'series');
    const before = server.memoryMb().now;
    const began = performance.now();
    const firstAttachment = numberOfLayer({ attachment: 0 });
    await ask(server, `layer/${firstAttachment}`);
    await ask(server, `layer/${firstAttachment}/frame?file=200&frame=0`);
    first.push(performance.now() - began);
    memory.push(server.memoryMb().peak - before);
    next.push((await ask(server, `layer/${firstAttachment}/frame?file=201&frame=0`)).tookMs);
    await server.stop();
  }
  const table = report.table('Labels as .nii.gz, 512 x 512 x 400');
  table.row('first slice', { negato: ms(median(first)), mark: target('2 s', median(first) <= 2000) });
  table.row('next slice', { negato: ms(median(next)) });
  const held = median(memory);
  table.row('memory for it, at the peak', { negato: mb(held), mark: target('250 MB', held <= 250) });
}

/** A CT of 200 images with 50 structures and a dose in the page, without a GPU. */
async function measurePage(folder: string, report: Report): Promise<void> {
  const [SLICES, RATE, IN_TIME] = [200, 30, 0.95];
  writeSeries(folder, 0, SLICES);
  for (const [at, bytes] of [writePlanStructures(50, SLICES, 100), writeDose()].entries()) {
    writeFileSync(join(folder, `z${at}.dcm`), bytes);
  }
  await withViewer(folder, async ({ page, server }) => {
    const open = async () => {
      await page.goto('about:blank');
      await page.goto(server.url);
      await waitUntilComplete(page);
      await page.getByText(`/ ${SLICES}`).first().waitFor();
    };
    await open();
    const bare = await scrollPage(page, SLICES - 1, RATE);
    await open();
    // The structures, then the dose.
    await page.keyboard.press('m');
    await page.keyboard.press('f');
    await page.getByRole('button', { name: /^Colors of/ }).waitFor();
    const covered = await scrollPage(page, SLICES - 1, RATE);
    const table = report.table(`Scroll through ${SLICES} images at ${RATE} per second`);
    for (const [name, { inTime, longestLagMs }] of [
      ['without layers', bare],
      ['with 50 structures and a dose', covered],
    ] as const) {
      table.row(name, {
        'images in time': `${inTime} of ${SLICES - 1}`,
        'longest time without a new one': ms(longestLagMs),
        mark: target(`${IN_TIME * 100} %`, inTime >= (SLICES - 1) * IN_TIME),
      });
    }
    await open();
    await page.keyboard.press('f');
    await page.getByRole('button', { name: /^Colors of/ }).waitFor();
    await scrollPage(page, DOSE_SLICE, RATE);
    await page.getByRole('tab', { name: 'Layers' }).click();
    await page.getByRole('slider', { name: 'Opacity of Dose' }).waitFor();
    const changes = await page.evaluate(changeOpacity, 40);
    const frames = changes.map((change) => change.frames).toSorted((a, b) => a - b);
    const [usual, most] = [median(frames), frames.at(-1) ?? Number.NaN];
    const look = report.table('A dose over the image whose opacity changes');
    look.row('frames of the browser until it is drawn', {
      negato: `${usual}, at most ${most}`,
      mark: target('1', usual <= 1),
    });
    look.row('time until then', { negato: ms(median(changes.map(({ tookMs }) => tookMs))) });
  });
}

/** Runs in the page: moves the slider, and waits until the pixel in the middle of the picture has another opacity. */
async function changeOpacity(count: number): Promise<readonly { readonly frames: number; readonly tookMs: number }[]> {
  const slider = document.querySelector('input[aria-label="Opacity of Dose"]');
  const canvas = document.querySelector<HTMLCanvasElement>('[data-cell="0"] canvas[data-layer="layers"]');
  const context = canvas?.getContext('2d');
  if (slider === null || canvas === null || !context) throw new Error('no dose is shown');
  const alpha = () => context.getImageData(canvas.width >> 1, canvas.height >> 1, 1, 1).data[3];
  const changes: { frames: number; tookMs: number }[] = [];
  for (let change = 0; change < count; change += 1) {
    // The work of the change before has ended.
    for (let pause = 0; pause < 3; pause += 1) await new Promise(requestAnimationFrame);
    const before = alpha();
    const began = performance.now();
    // With the slider as receiver, as a user's hand sets it: React replaces the property of the element itself.
    Reflect.set(HTMLInputElement.prototype, 'value', String(30 + 2 * (change % 30)), slider);
    slider.dispatchEvent(new Event('input', { bubbles: true }));
    let frames = 0;
    do {
      await new Promise(requestAnimationFrame);
      frames += 1;
    } while (alpha() === before && frames < 60);
    changes.push({ frames, tookMs: performance.now() - began });
  }
  return changes;
}

async function ask(server: BenchServer, path: string): Promise<{ readonly tookMs: number; readonly bytes: number }> {
  const began = performance.now();
  const response = await fetch(`${server.url.replace(/\/$/, '')}/api/${path}`);
  const { byteLength } = await response.arrayBuffer();
  if (!response.ok) throw new Error(`${path}: ${response.status}`);
  return { tookMs: performance.now() - began, bytes: byteLength };
}

function writeSeries(folder: string, series: number, slices: number): void {
  for (let slice = 0; slice < slices; slice += 1) {
    const header: DataSetInput = {
      ...common('1.2.840.10008.5.1.4.1.1.2', `2.25.9${series}${String(slice).padStart(4, '0')}`, `2.25.8${series}`),
      Modality: 'CT',
      SeriesDescription: `CT ${series}`,
      InstanceNumber: String(slice + 1),
      ImagePositionPatient: digits([ORIGIN[0], ORIGIN[1], ORIGIN[2] + slice * STEP_MM]),
      ImageOrientationPatient: digits([1, 0, 0, 0, 1, 0]),
      PixelSpacing: digits([PIXEL_MM, PIXEL_MM]),
      RescaleSlope: '1',
      RescaleIntercept: '-1024',
      ...pixels(SIDE, SIDE),
    };
    const name = `a${series}-${String(slice).padStart(4, '0')}.dcm`;
    writeImage(join(folder, name), writeDicom(header));
  }
}

/** Structures of different sizes, each with a circle in every plane. */
function writePlanStructures(rois: number, planes: number, points: number): Uint8Array {
  const all = Array.from({ length: rois }, (_, at): WrittenRoi => {
    const [x, y] = [-100 + 40 * (at % 6), -80 + 20 * Math.floor(at / 6)];
    // The first is the body.
    const radius = at === 0 ? 160 : 5 + (at % 10) * 5;
    const contours = Array.from({ length: planes }, (_unused, plane) => ({
      points: circle(at === 0 ? [0, 0, zOf(plane)] : [x, y, zOf(plane)], radius, points),
    }));
    return { number: at + 1, name: `Structure ${at + 1}`, contours };
  });
  return writeDicom(
    structureSetElements(all, {
      SOPInstanceUID: `2.25.6${rois}${points}`,
      SeriesInstanceUID: `2.25.61${rois}${points}`,
    }),
  );
}

function zOf(plane: number): number {
  return ORIGIN[2] + plane * STEP_MM;
}

function writeDose(): Uint8Array {
  const [rows, columns, planes, mm] = [60, 88, 100, 3];
  const samples = Uint16Array.from({ length: rows * columns * planes }, (_, at) => {
    const [column, row, plane] = [at % columns, Math.floor(at / columns) % rows, Math.floor(at / (columns * rows))];
    const r2 = (column - 44) ** 2 + (row - 30) ** 2 + (plane - 40) ** 2;
    return Math.round(60_000 * Math.exp(-r2 / 800));
  });
  return writeDicom({
    ...common('1.2.840.10008.5.1.4.1.1.481.2', '2.25.70', '2.25.71'),
    Modality: 'RTDOSE',
    SeriesDescription: 'Dose',
    ImagePositionPatient: digits([-132, -90, ORIGIN[2] - 20]),
    ImageOrientationPatient: digits([1, 0, 0, 0, 1, 0]),
    PixelSpacing: digits([mm, mm]),
    NumberOfFrames: String(planes),
    GridFrameOffsetVector: digits(Array.from({ length: planes }, (_, plane) => plane * mm)),
    DoseUnits: 'GY',
    DoseType: 'PHYSICAL',
    DoseSummationType: 'PLAN',
    DoseGridScaling: '0.001',
    ...pixels(rows, columns),
    PixelData: samples,
  });
}

function fillBall(samples: Uint8Array, label: number): void {
  const [cx, cy, cz] = [60 + 20 * label, 100 + 15 * label, 18 * label];
  const radius = 25 + label;
  for (let z = Math.max(0, cz - radius); z < Math.min(400, cz + radius); z += 1) {
    for (let y = cy - radius; y <= cy + radius; y += 1) {
      const half = Math.sqrt(Math.max(0, radius ** 2 - (y - cy) ** 2 - (z - cz) ** 2));
      const from = (z * SIDE + y) * SIDE + cx;
      samples.fill(label, from - Math.floor(half), from + Math.floor(half));
    }
  }
}

function common(sopClassUid: string, uid: string, series: string): DataSetInput {
  return {
    SOPClassUID: sopClassUid,
    SOPInstanceUID: uid,
    StudyInstanceUID: '2.25.502',
    SeriesInstanceUID: series,
    FrameOfReferenceUID: FRAME_OF_REFERENCE,
  };
}

function pixels(rows: number, columns: number): DataSetInput {
  return {
    Rows: rows,
    Columns: columns,
    SamplesPerPixel: 1,
    PhotometricInterpretation: 'MONOCHROME2',
    BitsAllocated: 16,
    BitsStored: 16,
    HighBit: 15,
    PixelRepresentation: 0,
  };
}
