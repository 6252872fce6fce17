// Documents: reports, ECGs, plans, PDFs and videos, from the request to the answer and from the click to what is on the
// screen: `npm run bench -- documents [--rounds 5]`. See README.md beside this file.
import { spawnSync } from 'node:child_process';
import { closeSync, existsSync, openSync, truncateSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { Locator, Page } from 'playwright-core';
import { type DataSetInput, writeDicom } from '../src/server/standard/dicom/writeDicom.ts';
import { planElements } from '../test/support/planElements.ts';
import { contentItem, measurementGroup, reportElements, scoord } from '../test/support/regionElements.ts';
import { writeSlices } from '../test/support/segmentedSlices.ts';
import { TWELVE_LEADS, waveformElements, waveformGroup } from '../test/support/waveformElements.ts';
import { withFolder } from './support/folder.ts';
import { interleave, median } from './support/measure.ts';
import { type BenchViewer, waitUntilComplete, withViewer } from './support/page.ts';
import { mb, ms, type Report, runBenchmark, SUITE_OPTIONS, target, times } from './support/report.ts';
import { type BenchServer, readAddresses, startServer } from './support/server.ts';

declare const NEGATO_ROOT: string;

const { values: options } = parseArgs({ options: { ...SUITE_OPTIONS, rounds: { type: 'string', default: '5' } } });
const rounds = Number(options.rounds);

const ITEMS = 20_000;
const [BEAMS, CONTROL_POINTS, LEAF_PAIRS] = [9, 200, 60];
const VIDEO_BYTES = 1_000_000_000;
const UIDS = { report: '2.25.7700', plan: '2.25.7701', pdf: '2.25.7702', measured: '2.25.7703', slice: '2.25.71' };
/** The series of the images beside the documents. */
const SLICES = 'Slices';
const PYDICOM = `
import sys, time
from pydicom import dcmread
started = time.perf_counter()
dataset = dcmread(sys.argv[1])
dataset.waveform_array(0)
print((time.perf_counter() - started) * 1000)
`;

await runBenchmark('documents', async (report) => {
  await withFolder((folder) => measureAnswers(folder, report));
  await withFolder((folder) => measureHolter(folder, report));
  await withFolder((folder) => measureVideo(folder, report));
  await withFolder((folder) => measurePage(folder, report));
});

/** The answers that the page needs for its first screen, each on a new server, against a program that reads the file. */
async function measureAnswers(folder: string, report: Report): Promise<void> {
  const table = report.table('First answers, on a new server');
  const cases = [
    {
      name: `report of ${ITEMS.toLocaleString('en')} items`,
      path: write(folder, 'report.dcm', writeReport()),
      requests: ['document', 'report?first=200&depth=16'],
      mostMs: 150,
      peer: (path: string) => timeProgram('dsr2html', ['-q', path, join(folder, 'report.html')]),
      peerName: 'dsr2html',
    },
    {
      name: 'ECG, 12 leads of 10 s',
      path: write(folder, 'ecg.dcm', writeEcg()),
      requests: ['document', 'waveform', 'waveform/0/samples?from=0&to=10000&most=4096'],
      mostMs: 100,
      peer: timePydicomWaveform,
      peerName: 'pydicom',
    },
    {
      name: `plan, ${BEAMS} beams of ${CONTROL_POINTS} control points`,
      path: write(folder, 'plan.dcm', writePlan()),
      requests: ['document', 'plan'],
      mostMs: 200,
      peer: (path: string) => timeProgram('dcmdump', ['-q', path]),
      peerName: 'dcmdump',
    },
  ];
  for (const { name, path, requests, mostMs, peer, peerName } of cases) {
    const again: number[] = [];
    const { negato, [peerName]: other } = await interleave(rounds, {
      negato: () =>
        withServer(path, async (server) => {
          const began = performance.now();
          await askAll(server, path, requests);
          const tookMs = performance.now() - began;
          const then = performance.now();
          await askAll(server, path, requests);
          again.push(performance.now() - then);
          return tookMs;
        }),
      [peerName]: () => peer(path),
    });
    const tookMs = negato?.p50 ?? Number.NaN;
    table.row(name, {
      negato: ms(tookMs),
      again: ms(median(again)),
      mark: target(`${mostMs} ms`, tookMs <= mostMs),
      peer: other === undefined ? `${peerName}: absent` : `${peerName}: ${ms(other.p50)}`,
      ratio: other === undefined ? '' : times(other.p50, tookMs),
    });
  }
}

/** A day of two channels, of which windows are read. */
async function measureHolter(folder: string, report: Report): Promise<void> {
  const path = write(folder, 'holter.dcm', writeHolter());
  const samples = 24 * 3_600 * 250;
  const [windows, grown]: [number[], number[]] = [[], []];
  for (let round = 0; round < rounds; round += 1) {
    await withServer(path, async (server) => {
      await askAll(server, path, ['waveform']);
      const before = server.memoryMb().now;
      for (let part = 0; part < 10; part += 1) {
        const from = Math.floor((samples / 10) * part);
        const began = performance.now();
        // Ten seconds, then a tenth of the day.
        await askAll(server, path, [`waveform/0/samples?from=${from}&to=${from + 2_500}&most=4096`]);
        windows.push(performance.now() - began);
        const then = performance.now();
        await askAll(server, path, [`waveform/0/samples?from=${from}&to=${from + samples / 10}&most=4096`]);
        windows.push(performance.now() - then);
      }
      grown.push(server.memoryMb().peak - before);
    });
  }
  const table = report.table('Recording of 24 h, two channels of 250 Hz');
  const longest = Math.max(...windows);
  table.row('a window, median', { negato: ms(median(windows)) });
  table.row('the slowest window', { negato: ms(longest), mark: target('200 ms', longest <= 200) });
  table.row('memory for all of them', { negato: mb(median(grown)), mark: target('30 MB', median(grown) <= 30) });
}

/** An MP4 file of a gigabyte, most of it a box that players skip. */
async function measureVideo(folder: string, report: Report): Promise<void> {
  const small = join(layersData(), 'synthetic-phantom/video/h264_mp4.dcm');
  if (!existsSync(small)) {
    report.note('the video is left out: there is no h264_mp4.dcm in NEGATO_LAYERS_DATA or ../shared/layers-data');
    return;
  }
  const mp4 = await withServer(small, async (server) => {
    const [address] = (await readAddresses(server.url)).values();
    return new Uint8Array(await (await fetch(`${address}/video`)).arrayBuffer());
  });
  const path = writeLongVideo(join(folder, 'video.dcm'), mp4);
  const [first, last, grown]: [number[], number[], number[]] = [[], [], []];
  for (let round = 0; round < rounds; round += 1) {
    await withServer(path, async (server) => {
      const [address] = (await readAddresses(server.url)).values();
      const before = server.memoryMb().now;
      first.push(await timeRange(`${address}/video`, `bytes=0-${mp4.length - 1}`));
      last.push(await timeRange(`${address}/video`, `bytes=${VIDEO_BYTES - 65_536}-${VIDEO_BYTES - 1}`));
      grown.push(server.memoryMb().peak - before);
    });
  }
  const table = report.table('MP4 video of 1 GB');
  table.row('the bytes of the first pictures', {
    negato: ms(median(first)),
    mark: target('500 ms', median(first) <= 500),
  });
  table.row('a range at the end', { negato: ms(median(last)) });
  table.row('memory for both', { negato: mb(median(grown)), mark: target('16 MB', median(grown) <= 16) });
}

/** From the click in the tree to the content on the screen: the first time in a page that shows an image, and again. */
async function measurePage(folder: string, report: Report): Promise<void> {
  for (const [at, bytes] of writeSlices(3).entries()) write(folder, `slice${at}.dcm`, bytes);
  const files: Readonly<Record<string, Uint8Array>> = {
    'report.dcm': writeReport(),
    'ecg.dcm': writeEcg(),
    'plan.dcm': writePlan(),
    'letter.dcm': writePdf(),
    'measured.dcm': writeMeasured(),
  };
  for (const [name, bytes] of Object.entries(files)) write(folder, name, bytes);
  const documents: readonly OpenedDocument[] = [
    { name: 'report', shown: (page) => page.getByText('line 1', { exact: false }).first() },
    { name: 'ECG', shown: (page) => page.getByRole('img', { name: 'ECG: I, II, III, aVR' }) },
    { name: 'plan', shown: (page) => page.locator('svg[data-leaves]').first() },
    {
      name: 'PDF',
      shown: (page) => page.locator('[data-page="1"][data-drawn]'),
      mostMs: { first: 1_200, again: 300 },
    },
  ];
  const table = report.table('From the click to the content on the screen');
  for (const { name, shown, mostMs = { first: 200, again: 200 } } of documents) {
    const [first, again]: [number[], number[]] = [[], []];
    for (let round = 0; round < rounds; round += 1) {
      await withViewer(folder, async (viewer) => {
        await showImage(viewer);
        first.push(await timeOpening(viewer, name, shown));
        await viewer.page.getByRole('treeitem', { name: SLICES }).last().click();
        await waitUntilComplete(viewer.page);
        again.push(await timeOpening(viewer, name, shown));
      });
    }
    table.row(name, {
      first: ms(median(first)),
      'mark of the first': target(`${mostMs.first} ms`, median(first) <= mostMs.first),
      again: ms(median(again)),
      mark: target(`${mostMs.again} ms`, median(again) <= mostMs.again),
    });
  }
  const lit: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    await withViewer(folder, async (viewer) => void lit.push(await timeLink(viewer)));
  }
  table.row('from a measurement to its lit region', {
    first: ms(median(lit)),
    'mark of the first': target('500 ms', median(lit) <= 500),
  });
}

type OpenedDocument = {
  readonly name: string;
  readonly shown: (page: Page) => Locator;
  readonly mostMs?: { readonly first: number; readonly again: number };
};

async function showImage({ page, server }: BenchViewer): Promise<void> {
  await page.goto(`${server.url}/#cell=${UIDS.slice},1`);
  await waitUntilComplete(page);
}

/** Each document is a series, whose line in the tree has its name. */
async function timeOpening({ page }: BenchViewer, name: string, shown: (page: Page) => Locator) {
  const line = page.getByRole('treeitem', { name: descriptionOf(name) }).last();
  await line.scrollIntoViewIfNeeded();
  const began = performance.now();
  await line.click();
  await shown(page).waitFor();
  return performance.now() - began;
}

function descriptionOf(name: string): string {
  return `The ${name}`;
}

/** From the click on a measurement to its region in the image beside it. */
async function timeLink({ page, server }: BenchViewer): Promise<number> {
  await page.goto(`${server.url}/#cell=${UIDS.measured},1`);
  await page.getByRole('button', { name: 'Measurements' }).click();
  const link = page.getByRole('row', { name: /Nodule 1/ }).getByRole('button', { name: /image/ });
  await link.waitFor();
  const began = performance.now();
  await link.click();
  await page.locator('svg[data-layer="graphics"] path[data-lit]').first().waitFor({ state: 'attached' });
  return performance.now() - began;
}

async function withServer<Result>(path: string, use: (server: BenchServer) => Promise<Result>): Promise<Result> {
  const server = await startServer(path);
  try {
    return await use(server);
  } finally {
    await server.stop();
  }
}

async function askAll(server: BenchServer, path: string, requests: readonly string[]): Promise<void> {
  const address = (await readAddresses(server.url)).get(path);
  for (const request of requests) {
    const response = await fetch(`${address}/${request}`);
    await response.arrayBuffer();
    if (!response.ok) throw new Error(`${request}: ${response.status}`);
  }
}

async function timeRange(url: string, range: string): Promise<number> {
  const began = performance.now();
  const response = await fetch(url, { headers: { Range: range } });
  await response.arrayBuffer();
  if (response.status !== 206) throw new Error(`${range}: ${response.status}`);
  return performance.now() - began;
}

/** With the start of its process. */
function timeProgram(command: string, args: readonly string[]): number | undefined {
  const began = performance.now();
  const { error, status } = spawnSync(command, args, { stdio: 'ignore' });
  return error === undefined && status === 0 ? performance.now() - began : undefined;
}

/** Without the start of Python and the import of pydicom and numpy. */
function timePydicomWaveform(path: string): number | undefined {
  const { error, status, stdout } = spawnSync('python3', ['-c', PYDICOM, path], { encoding: 'utf8' });
  return error === undefined && status === 0 ? Number(stdout) : undefined;
}

function write(folder: string, name: string, bytes: Uint8Array): string {
  const path = join(folder, name);
  writeFileSync(path, bytes);
  return path;
}

function writeReport(): Uint8Array {
  const content = Array.from({ length: ITEMS }, (_, at) =>
    contentItem('TEXT', ['121106', 'DCM', 'Comment'], { TextValue: `line ${at + 1}` }),
  );
  return writeDicom(
    reportElements([], {
      SOPInstanceUID: UIDS.report,
      SeriesInstanceUID: `${UIDS.report}.1`,
      SeriesDescription: descriptionOf('report'),
      ContentSequence: content,
    }),
  );
}

/** A report with one region in the second of the slices. */
function writeMeasured(): Uint8Array {
  const group = measurementGroup('Nodule 1', [scoord('CIRCLE', [16, 16, 20, 16], UIDS.slice)], 8);
  return writeDicom(
    reportElements([group], { SOPInstanceUID: UIDS.measured, SeriesInstanceUID: `${UIDS.measured}.1` }),
  );
}

function valueOfWave(sample: number): number {
  return Math.round(500 * Math.sin(sample / 40));
}

function writeEcg(): Uint8Array {
  return writeDicom(
    waveformElements([waveformGroup({ leads: TWELVE_LEADS, samples: 10_000, rate: 1_000, value: valueOfWave })], {
      SeriesDescription: descriptionOf('ECG'),
    }),
  );
}

function writeHolter(): Uint8Array {
  return writeDicom(
    waveformElements(
      [waveformGroup({ leads: ['I', 'II'], samples: 24 * 3_600 * 250, rate: 250, value: valueOfWave })],
      {
        SOPClassUID: '1.2.840.10008.5.1.4.1.1.9.1.3',
      },
    ),
  );
}

function leavesAt(point: number): string[] {
  return Array.from({ length: 2 * LEAF_PAIRS }, (_, leaf) => String((leaf + point) % 90));
}

function beamAt(at: number): DataSetInput {
  return {
    BeamNumber: String(at + 1),
    BeamName: `Arc ${at + 1}`,
    BeamType: 'DYNAMIC',
    RadiationType: 'PHOTON',
    TreatmentDeliveryType: 'TREATMENT',
    TreatmentMachineName: 'LINAC',
    PrimaryDosimeterUnit: 'MU',
    BeamLimitingDeviceSequence: [
      {
        RTBeamLimitingDeviceType: 'MLCX',
        NumberOfLeafJawPairs: String(LEAF_PAIRS),
        LeafPositionBoundaries: Array.from({ length: LEAF_PAIRS + 1 }, (_edge, leaf) => String(leaf * 5 - 150)),
      },
    ],
    FinalCumulativeMetersetWeight: '1',
    NumberOfControlPoints: String(CONTROL_POINTS),
    ControlPointSequence: Array.from({ length: CONTROL_POINTS }, (_point, point) => ({
      ControlPointIndex: String(point),
      NominalBeamEnergy: '6',
      GantryAngle: String((point * 359) / CONTROL_POINTS).slice(0, 12),
      GantryRotationDirection: 'CW',
      IsocenterPosition: ['0', '0', '0'],
      CumulativeMetersetWeight: String(point / (CONTROL_POINTS - 1)).slice(0, 12),
      BeamLimitingDevicePositionSequence: [{ RTBeamLimitingDeviceType: 'MLCX', LeafJawPositions: leavesAt(point) }],
    })),
  };
}

function writePlan(): Uint8Array {
  const elements = {
    SOPInstanceUID: UIDS.plan,
    SeriesInstanceUID: `${UIDS.plan}.1`,
    SeriesDescription: descriptionOf('plan'),
  };
  const beams = Array.from({ length: BEAMS }, (_, at) => beamAt(at));
  return writeDicom(planElements({ elements: { ...elements, BeamSequence: beams } }));
}

/** A letter of one page. */
function writePdf(): Uint8Array {
  const stream = Array.from({ length: 40 }, (_, line) => `BT /F1 11 Tf 60 ${760 - 17 * line} Td (Line ${line}) Tj ET`);
  const content = stream.join('\n');
  const objects = [
    '<< /Type /Catalog /Pages 2 0 R >>',
    '<< /Type /Pages /Kids [3 0 R] /Count 1 /MediaBox [0 0 595 842] >>',
    '<< /Type /Page /Parent 2 0 R /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> >> >>',
    `<< /Length ${content.length} >>\nstream\n${content}\nendstream`,
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>',
  ];
  let text = '%PDF-1.4\n';
  const offsets = objects.map((object, at) => {
    const offset = text.length;
    text += `${at + 1} 0 obj\n${object}\nendobj\n`;
    return `${String(offset).padStart(10, '0')} 00000 n \n`;
  });
  const table = `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${offsets.join('')}`;
  const end = `trailer\n<< /Size ${objects.length + 1} /Root 1 0 R >>\nstartxref\n${text.length}\n%%EOF\n`;
  return writeDicom({
    SOPClassUID: '1.2.840.10008.5.1.4.1.1.104.1',
    SOPInstanceUID: UIDS.pdf,
    SeriesInstanceUID: `${UIDS.pdf}.1`,
    SeriesDescription: descriptionOf('PDF'),
    DocumentTitle: 'Letter',
    MIMETypeOfEncapsulatedDocument: 'application/pdf',
    EncapsulatedDocument: new TextEncoder().encode(`${text}${table}${end}`),
  });
}

/** The file with a box `free` at its end, as one fragment. What is in the box is a hole, which takes no disk. */
function writeLongVideo(path: string, mp4: Uint8Array): string {
  const header = writeDicom(
    {
      SOPClassUID: '1.2.840.10008.5.1.4.1.1.77.1.4.1',
      SOPInstanceUID: '2.25.7704',
      NumberOfFrames: '75',
      Rows: 240,
      Columns: 320,
      SamplesPerPixel: 3,
      PhotometricInterpretation: 'YBR_PARTIAL_420',
      BitsAllocated: 8,
      BitsStored: 8,
      HighBit: 7,
      PixelRepresentation: 0,
    },
    { transferSyntaxUid: '1.2.840.10008.1.2.4.102' },
  );
  const element = [0xe0, 0x7f, 0x10, 0, 0x4f, 0x42, 0, 0, 0xff, 0xff, 0xff, 0xff];
  const emptyTable = [0xfe, 0xff, 0, 0xe0, 0, 0, 0, 0];
  const item = Buffer.from([0xfe, 0xff, 0, 0xe0, 0, 0, 0, 0]);
  item.writeUInt32LE(VIDEO_BYTES, 4);
  const free = Buffer.alloc(8);
  free.writeUInt32BE(VIDEO_BYTES - mp4.length, 0);
  free.write('free', 4);
  const start = Buffer.concat([header, Buffer.from(element), Buffer.from(emptyTable), item]);
  writeFileSync(path, Buffer.concat([start, mp4, free]));
  const end = start.length + VIDEO_BYTES;
  truncateSync(path, end);
  const file = openSync(path, 'r+');
  writeSync(file, Buffer.from([0xfe, 0xff, 0xdd, 0xe0, 0, 0, 0, 0]), 0, 8, end);
  closeSync(file);
  return path;
}

function layersData(): string {
  return process.env.NEGATO_LAYERS_DATA ?? join(NEGATO_ROOT, '../shared/layers-data');
}
