// Planes and slabs of a volume of 512 x 512 x 600 samples of 16 bits, how long it takes to load, and the crosshair on the
// page, over loopback and over a slow link: `npm run bench -- volumes [--rounds 5]`. See README.md beside this file.
import { parseArgs } from 'node:util';
import { samplePlane, type SampledPlane } from '../src/server/images/volumes/samplePlane.ts';
import { normalOf } from '../src/shared/geometry.ts';
import { findSlab, type PlaneGrid, type PlaneSampling } from '../src/shared/planeGrid.ts';
import { coarsen } from '../src/shared/cutVolume.ts';
import { gridOfMip } from '../src/web/show/pictures/plane/mipGrid.ts';
import { createTable, AXIAL } from '../test/support/rampVolume.ts';
import { launchBrowser } from './support/browser.ts';
import { type CrosshairDrag, dragCrosshair } from './support/dragCrosshair.ts';
import { withFolder } from './support/folder.ts';
import { median } from './support/measure.ts';
import { waitUntilComplete } from './support/page.ts';
import { mb, ms, type Report, runBenchmark, SUITE_OPTIONS, target } from './support/report.ts';
import { startServer } from './support/server.ts';
import { type Link, startShapingProxy } from './support/shapingProxy.ts';
import { writeSlices } from './support/slices.ts';
import type { PeerPlane, PeerWork } from './support/peerWork.ts';
import {
  comparePictures,
  measurePeers,
  type Peer,
  type PeerResult,
  PEERS,
  readPicture,
} from './support/volumePeers.ts';

const { values: options } = parseArgs({ options: { ...SUITE_OPTIONS, rounds: { type: 'string', default: '5' } } });
const rounds = Number(options.rounds);
const [PLACES, SIDE, SPACING] = [600, 512, 0.703];

const table = createTable({
  ...AXIAL,
  rows: SIDE,
  columns: SIDE,
  rowSpacingMm: SPACING,
  columnSpacingMm: SPACING,
  origin: [0, 0, 0],
  offsetsMm: Array.from({ length: PLACES }, (_, place) => place),
});
const LINEAR: PlaneSampling = { interpolation: 'linear', slabMm: 0, projection: 'max' };
const NEAREST: PlaneSampling = { ...LINEAR, interpolation: 'nearest' };
/** 29 sheets. */
const SLAB: PlaneSampling = { ...LINEAR, slabMm: 20 };

const CORONAL: PlaneGrid = {
  position: [0, 255 * SPACING, 0],
  rowDirection: [1, 0, 0],
  columnDirection: [0, 0, 1],
  rowSpacingMm: 1,
  columnSpacingMm: SPACING,
  rows: PLACES,
  columns: SIDE,
};
const SAGITTAL: PlaneGrid = { ...CORONAL, position: [255 * SPACING, 0, 0], rowDirection: [0, 1, 0] };

/** Turned by 20 and 30 degrees around the middle. */
function createOblique(): PlaneGrid {
  const [a, b] = [(20 * Math.PI) / 180, (30 * Math.PI) / 180];
  const along = [Math.cos(b), 0, Math.sin(b)] as const;
  const down = [-Math.sin(a) * Math.sin(b), Math.cos(a), Math.sin(a) * Math.cos(b)] as const;
  const middle = [255.5 * SPACING, 255.5 * SPACING, 299.5] as const;
  const at = (axis: 0 | 1 | 2) => middle[axis] - along[axis] * SPACING * 255.5 - down[axis] * SPACING * 426;
  return {
    position: [at(0), at(1), at(2)],
    rowDirection: along,
    columnDirection: down,
    rowSpacingMm: SPACING,
    columnSpacingMm: SPACING,
    rows: 853,
    columns: SIDE,
  };
}
const OBLIQUE = createOblique();

type Row = {
  readonly name: string;
  readonly key: string;
  readonly grid: PlaneGrid;
  readonly sampling: PlaneSampling;
  readonly how: SampledPlane['sampling'];
  /** No peer is asked for the same picture. */
  readonly isOwn?: boolean;
  /** At most these parts of the time of peers. */
  readonly marks?: Partial<Readonly<Record<Peer, number>>>;
};

/** As the page asks for it: the view from 30 degrees beside the front, at rest and while it turns. */
const MIP = gridOfMip({ table, space: 'patient' }, { azimuth: 30, elevation: 0, time: 0 }, 0);
const MIP_AT_REST: PlaneSampling = { ...LINEAR, slabMm: MIP.slabMm, sheetMm: MIP.sheetMm };
const TURNING_MIP: PlaneSampling = { ...NEAREST, slabMm: MIP.slabMm, sheetMm: 2 * MIP.sheetMm };

const LINK: Link = { latencyMs: 50, megabits: 20 };

const ROWS: readonly Row[] = [
  { name: 'coronal, on the grid', key: 'coronal', grid: CORONAL, sampling: LINEAR, how: 'stored' },
  {
    name: 'sagittal, on the grid',
    key: 'sagittal',
    grid: SAGITTAL,
    sampling: LINEAR,
    how: 'stored',
    marks: { simpleItk: 0.2 },
  },
  { name: 'oblique, nearest', key: 'obliqueNearest', grid: OBLIQUE, sampling: NEAREST, how: 'nearest' },
  {
    name: 'oblique, linear',
    key: 'oblique',
    grid: OBLIQUE,
    sampling: LINEAR,
    how: 'linear',
    marks: { simpleItk: 1.1, vtk: 1.1 },
  },
  {
    name: 'MIP slab, coronal, on the grid',
    key: 'coronalSlab',
    grid: CORONAL,
    sampling: SLAB,
    how: 'stored',
    marks: { numpy: 1.5 },
  },
  {
    name: 'MIP slab, sagittal, on the grid',
    key: 'sagittalSlab',
    grid: SAGITTAL,
    sampling: SLAB,
    how: 'stored',
    marks: { numpy: 0.6 },
  },
  {
    name: 'MIP slab, oblique, linear',
    key: 'obliqueSlab',
    grid: OBLIQUE,
    sampling: SLAB,
    how: 'linear',
    marks: { simpleItk: 0.6, vtk: 0.75 },
  },
  { name: 'rotating MIP, at rest', key: 'mip', grid: MIP.grid, sampling: MIP_AT_REST, how: 'linear', isOwn: true },
  {
    name: 'rotating MIP, while it turns',
    key: 'turningMip',
    grid: coarsen(MIP.grid),
    sampling: TURNING_MIP,
    how: 'nearest',
    isOwn: true,
  },
];

/** What the peers are asked for. */
const PLANES = ROWS.filter(({ isOwn }) => isOwn !== true).map(({ key, grid, sampling }): PeerPlane => {
  const { stepMm, count } = findSlab(table, grid, sampling);
  return {
    ...grid,
    key,
    normal: normalOf(grid),
    isLinear: sampling.interpolation === 'linear',
    sheets: count,
    sheetMm: stepMm,
  };
});

// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a constant has no keys beyond those of its type
const PEER_KEYS = Object.keys(PEERS) as Peer[];
/** A picture of which more samples differ is another picture. */
const MOST_OTHERS = 0.01;

await runBenchmark('volumes', (report) =>
  withFolders(async (folder, pictures) => {
    writeSlices(folder, PLACES);
    const work: PeerWork = { folder, planes: PLANES, pictures };
    const ours = new Map<string, number[]>();
    const loads: Load[] = [];
    const peers: PeerResult[] = [];
    const samples = new Int16Array(new SharedArrayBuffer(2 * PLACES * SIDE * SIDE));
    for (let i = 0; i < samples.length; i++) samples[i] = Math.imul(i, 2_654_435_761) >>> 20;
    for (let round = 0; round < rounds; round += 1) {
      const contenders = [
        async () => {
          for (const { key, ...row } of ROWS) ours.set(key, [...(ours.get(key) ?? []), timePlane(samples, row)]);
        },
        async () => void loads.push(await load(folder)),
        async () => void peers.push(measurePeers(work)),
      ];
      for (const [turn] of contenders.entries()) await contenders[(round + turn) % contenders.length]!();
    }
    tellPlanes(ours, { peers, refused: tellDifferences(samples, work, report) }, report);
    const clock = report.table('Load of 600 uncompressed files, in the page cache');
    const reader = median(timesOf(peers, 'simpleItk', 'loadClock'));
    const described = median(loads.map(({ describedMs }) => describedMs));
    const first = median(loads.map(({ planeMs }) => planeMs));
    const isMeasured = Number.isFinite(reader);
    clock.row('first coronal plane after the wish', {
      negato: `${ms(described + first)}, of which the description takes ${ms(described)}`,
      SimpleITK: isMeasured ? `all slices ${ms(reader)}` : 'absent',
      mark: target('1.5 s', described + first <= 1500),
    });
    clock.row('all slices', {
      negato: ms(first),
      SimpleITK: isMeasured ? ms(reader) : 'absent',
      mark: isMeasured ? target('at most 0.4 of it', first <= 0.4 * reader) : '',
    });
    const beyond = median(loads.map(({ beyondMb }) => beyondMb));
    clock.row('memory beyond the samples', { negato: mb(beyond), mark: target('80 MB', beyond <= 80) });
    await measureDrags(folder, report);
  }),
);

function withFolders(use: (folder: string, pictures: string) => Promise<void>): Promise<void> {
  return withFolder((folder) => withFolder((pictures) => use(folder, pictures)));
}

function timesOf(results: readonly PeerResult[], peer: Peer, key: string): number[] {
  return results.flatMap((result) => result[peer]?.[key] ?? []);
}

/** How far the pictures of the peers are from ours. Returns those that are other pictures, whose times say nothing. */
function tellDifferences(samples: Int16Array, work: PeerWork, report: Report): ReadonlySet<string> {
  const differences = report.table('Largest difference of a sample from ours');
  const refused = new Set<string>();
  for (const { name, key, grid, sampling, isOwn } of ROWS) {
    if (isOwn === true) continue;
    const { values } = samplePlane({ table, samples }, grid, sampling);
    const cells = PEER_KEYS.flatMap((peer) => {
      const picture = readPicture(work, peer, key);
      if (picture === undefined) return [];
      const { largest, others } = comparePictures(values, picture);
      if (others > MOST_OTHERS * values.length) refused.add(`${peer} ${key}`);
      const cell = `${largest.toFixed(2)}${others === 0 ? '' : `, ${others} other samples`}`;
      return [[PEERS[peer], cell] as const];
    });
    if (cells.length > 0) differences.row(name, Object.fromEntries(cells));
  }
  return refused;
}

/** Our times beside those of the peers that have made the same picture. */
function tellPlanes(
  ours: ReadonlyMap<string, number[]>,
  { peers, refused }: { readonly peers: readonly PeerResult[]; readonly refused: ReadonlySet<string> },
  report: Report,
): void {
  const planes = report.table('Processor time of one thread');
  for (const { name, key, marks = {} } of ROWS) {
    const own = median(ours.get(key) ?? []);
    const cells = PEER_KEYS.map((peer) => {
      const isRefused = refused.has(`${peer} ${key}`);
      const theirs = isRefused ? NaN : median(timesOf(peers, peer, key));
      const most = marks[peer];
      const isMeasured = Number.isFinite(theirs);
      const wish = `at most ${most} of ${PEERS[peer]}`;
      return {
        column: PEERS[peer],
        cell: isMeasured
          ? `${ms(theirs)} (${(own / theirs).toFixed(2)})`
          : isRefused
            ? 'another picture'
            : most === undefined
              ? ''
              : 'absent',
        mark: most === undefined ? [] : [isMeasured ? target(wish, own <= most * theirs) : wish],
      };
    });
    planes.row(name, {
      negato: ms(own),
      ...Object.fromEntries(cells.map(({ column, cell }) => [column, cell])),
      mark: cells.flatMap(({ mark }) => mark).join(', '),
    });
  }
}

/** The crosshair is dragged through the axial plane, and the other two follow. A new server and page each time. */
async function measureDrags(folder: string, report: Report): Promise<void> {
  const drags: Record<'line' | 'loopback', CrosshairDrag[]> = { line: [], loopback: [] };
  for (let round = 0; round < rounds; round += 1) {
    drags.line.push(await drag(folder, LINK));
    drags.loopback.push(await drag(folder));
  }
  const [line, loopback] = [medianOf(drags.line), medianOf(drags.loopback)];
  const overLine = report.table(`Crosshair over ${LINK.megabits} Mbit/s and ${LINK.latencyMs} ms`);
  overLine.row('first plane after the wish', {
    negato: `${ms(line.firstPlaneMs)}, all exact after ${ms(line.allPlanesMs)}`,
    mark: target('1.5 s', line.firstPlaneMs <= 1500),
  });
  overLine.row('pictures per second and plane', {
    negato: line.picturesPerSecond.toFixed(1),
    mark: target('12', line.picturesPerSecond >= 12),
  });
  overLine.row('behind the hand', { negato: ms(line.behindMs), mark: target('130 ms', line.behindMs <= 130) });
  overLine.row('both exact after rest', { negato: ms(line.exactMs), mark: target('300 ms', line.exactMs <= 300) });
  const direct = report.table('Crosshair over loopback, without a GPU');
  direct.row('drawings per second', {
    negato: loopback.drawingsPerSecond.toFixed(0),
    mark: target('60', loopback.drawingsPerSecond >= 59),
  });
  direct.row('pictures per second and plane', { negato: loopback.picturesPerSecond.toFixed(1) });
  direct.row('behind the hand', { negato: ms(loopback.behindMs) });
  direct.row('both exact after rest', { negato: ms(loopback.exactMs) });
}

async function drag(folder: string, link?: Link): Promise<CrosshairDrag> {
  const server = await startServer(folder);
  const proxy = link && (await startShapingProxy(server.url, link));
  const browser = await launchBrowser({ gpu: false });
  try {
    const page = await browser.newPage();
    await page.goto((proxy ?? server).url);
    await waitUntilComplete(page);
    await page.getByText(`/ ${PLACES}`).first().waitFor();
    return await dragCrosshair(page);
  } finally {
    await browser.close();
    await proxy?.close();
    await server.stop();
  }
}

function medianOf(drags: readonly CrosshairDrag[]): CrosshairDrag {
  const of = (key: keyof CrosshairDrag) => median(drags.map((one) => one[key]));
  return {
    firstPlaneMs: of('firstPlaneMs'),
    allPlanesMs: of('allPlanesMs'),
    picturesPerSecond: of('picturesPerSecond'),
    behindMs: of('behindMs'),
    exactMs: of('exactMs'),
    drawingsPerSecond: of('drawingsPerSecond'),
  };
}

/** Processor time of one plane, after others that warm up. */
function timePlane(samples: Int16Array, { grid, sampling, how, name }: Omit<Row, 'key'>): number {
  const measured: number[] = [];
  const isLong = sampling.slabMm > 0 && how !== 'stored';
  for (let run = 0; run < (isLong ? 4 : 24); run += 1) {
    const began = process.cpuUsage();
    const plane = samplePlane({ table, samples }, grid, sampling);
    const { user, system } = process.cpuUsage(began);
    if (plane.sampling !== how) throw new Error(`${name} is ${plane.sampling}`);
    measured.push((user + system) / 1000);
  }
  return median(measured.slice(measured.length / 2));
}

type Load = { readonly describedMs: number; readonly planeMs: number; readonly beyondMb: number };

/** A new server each time: the clock runs from the request for a plane of a volume that nobody has asked for before. */
async function load(folder: string): Promise<Load> {
  const server = await startServer(folder);
  const before = server.memoryMb().now;
  const api = `${server.url.replace(/\/$/, '')}/api/file/0`;
  const began = performance.now();
  await (await fetch(`${api}/volume`)).arrayBuffer();
  const described = performance.now();
  const query = 'position=-200,0,0&orientation=1,0,0,0,0,1&spacing=1,0.78&rows=600&columns=512';
  const response = await fetch(`${api}/plane/raw?${query}`);
  if (!response.ok) throw new Error(await response.text());
  await response.arrayBuffer();
  const ended = performance.now();
  const samplesMb = (2 * PLACES * SIDE * SIDE) / 2 ** 20;
  const beyondMb = server.memoryMb().now - before - samplesMb;
  await server.stop();
  return { describedMs: described - began, planeMs: ended - described, beyondMb };
}
