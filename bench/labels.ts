// Volumes that leave: labels of a segmentation of 20 parts on 300 images of 512 x 512 beside highdicom, which reads the
// segmentation into an array, and the series as NIfTI without compression beside dcm2niix.
// Run from the root of the repository: npm run bench -- labels [--runs 5]
import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { writeDicom } from '../src/server/standard/dicom/writeDicom.ts';
import { AXIAL, placedImage, segmentationElements } from '../test/support/placedElements.ts';
import { withFolder } from './support/folder.ts';
import { interleave } from './support/measure.ts';
import { ms, type Report, runBenchmark, SUITE_OPTIONS, target } from './support/report.ts';

declare const NEGATO_ROOT: string;

const SLICES = 300;
const SIZE = 512;
const PARTS = 20;
/** Targets: labels in at most the time that highdicom takes to read them, the series in a third of that of dcm2niix. */
const MOST_OF_HIGHDICOM = 1;
const MOST_OF_DCM2NIIX = 1 / 3;

/** Reads a segmentation into one array of labels, and prints how many milliseconds that took without the imports. */
const HIGHDICOM = `
import sys, time, highdicom
begun = time.perf_counter()
volume = highdicom.seg.segread(sys.argv[1]).get_volume(combine_segments=True)
assert volume.array.shape == (${SLICES}, ${SIZE}, ${SIZE}) and volume.array.max() == ${PARTS}
print((time.perf_counter() - begun) * 1000)
`;

const { values: options } = parseArgs({ options: { ...SUITE_OPTIONS, runs: { type: 'string', default: '5' } } });
const runs = Number(options.runs);

await runBenchmark('labels', (report) =>
  withFolder(async (folder) => {
    const [study, images] = [join(folder, 'study'), join(folder, 'images')];
    writeFiles({ study, images });
    await measureLabels({ study, out: join(folder, 'out') }, report);
    await measureImages({ images, out: join(folder, 'out') }, report);
  }),
);

function writeFiles({ study, images }: { readonly study: string; readonly images: string }): void {
  for (const folder of [study, images]) mkdirSync(folder);
  for (let slice = 0; slice < SLICES; slice += 1) {
    const image = placedImage({ uid: uidOf(slice), rows: SIZE, columns: SIZE, plane: planeOf(slice) });
    const samples = new Int16Array(SIZE * SIZE).map((_, at) => Math.imul(at + slice * 7919, 2_654_435_761) >>> 20);
    const bits = { BitsAllocated: 16, BitsStored: 16, HighBit: 15, PixelRepresentation: 1, PixelData: samples };
    const rescale = {
      RescaleSlope: '1',
      RescaleIntercept: '-1024',
      InstanceNumber: String(slice + 1),
      SeriesNumber: '1',
    };
    const bytes = writeDicom({ ...image, ...bits, ...rescale, SeriesDescription: 'CT', SliceThickness: '1' });
    for (const folder of [study, images]) writeFileSync(join(folder, `${slice}.dcm`), bytes);
  }
  const numbers = Array.from({ length: PARTS }, (_, at) => at + 1);
  const frames = numbers.flatMap((segmentNumber) =>
    Array.from({ length: SLICES }, (_, slice) => {
      return { samples: [], segmentNumber, plane: planeOf(slice), source: { uid: uidOf(slice) } };
    }),
  );
  const declared = Array.from({ length: SLICES }, (_, slice) => uidOf(slice));
  const written = { rows: SIZE, columns: SIZE, type: 'BINARY', frames, declared, segmentNumbers: numbers } as const;
  const elements = segmentationElements(written);
  const value = new Uint8Array((SIZE * SIZE * frames.length) / 8);
  for (const [at, { segmentNumber }] of frames.entries()) drawDisc(value, at * SIZE * SIZE, segmentNumber - 1);
  const simple = join(study, 'simple.dcm');
  writeFileSync(simple, writeDicom({ ...elements, PixelData: { vr: 'OB', value } }));
  // highdicom wants more elements than that has.
  const out = join(study, 'seg');
  if (timeExport(['labels', study, '--format', 'seg'], out) === undefined) throw new Error('no segmentation was made');
  rmSync(simple);
  const [made] = readdirSync(out).filter((name) => name.endsWith('.dcm'));
  renameSync(join(out, made ?? ''), join(study, 'seg.dcm'));
  rmSync(out, { recursive: true });
}

function planeOf(slice: number) {
  return { ...AXIAL, position: [0, 0, slice] };
}

function uidOf(slice: number): string {
  return `2.25.1${slice}`;
}

/** Twenty discs in five columns, of which none overlaps another. */
function drawDisc(pixels: Uint8Array, firstBit: number, place: number): void {
  const [x, y] = [((place % 5) + 0.5) * (SIZE / 5), (Math.floor(place / 5) + 0.5) * (SIZE / 4)];
  const radius = 48;
  for (let row = Math.ceil(y - radius); row < y + radius; row += 1) {
    for (let column = Math.ceil(x - radius); column < x + radius; column += 1) {
      if (Math.hypot(row - y, column - x) > radius) continue;
      const bit = firstBit + row * SIZE + column;
      pixels[bit >>> 3]! |= 1 << (bit & 7);
    }
  }
}

/** Milliseconds of a process; undefined if there is none of that name, or if it fails. */
function timeProcess(program: string, words: readonly string[]): number | undefined {
  const begun = performance.now();
  const { status, error } = spawnSync(program, words, { stdio: 'ignore' });
  return status === 0 && error === undefined ? performance.now() - begun : undefined;
}

function timeExport(words: readonly string[], out: string): number | undefined {
  rmSync(out, { recursive: true, force: true });
  return timeProcess(process.execPath, [join(NEGATO_ROOT, 'dist/negato.js'), 'export', ...words, '--out', out]);
}

function timeHighdicom(file: string): number | undefined {
  const { status, stdout } = spawnSync('python3', ['-c', HIGHDICOM, file], { encoding: 'utf8' });
  return status === 0 ? Number(stdout) : undefined;
}

type Folders = { readonly out: string };

async function measureLabels({ study, out }: Folders & { readonly study: string }, report: Report): Promise<void> {
  const found = await interleave(runs, {
    nifti: () => timeExport(['labels', study], out),
    npz: () => timeExport(['labels', study, '--format', 'npz'], out),
    highdicom: () => timeHighdicom(join(study, 'seg.dcm')),
  });
  const table = report.table(`${PARTS} parts, ${SLICES} × ${SIZE} × ${SIZE}`);
  for (const [name, key] of [
    ['labels as .nii.gz', 'nifti'],
    ['labels as .npz', 'npz'],
  ] as const) {
    table.row(name, compare(found[key]?.p50, found['highdicom']?.p50, { peer: 'highdicom', most: MOST_OF_HIGHDICOM }));
  }
}

async function measureImages({ images, out }: Folders & { readonly images: string }, report: Report): Promise<void> {
  const found = await interleave(runs, {
    negato: () => timeExport(['nifti', images, '--format', 'nii'], out),
    dcm2niix() {
      rmSync(out, { recursive: true, force: true });
      mkdirSync(out);
      return timeProcess('dcm2niix', ['-z', 'n', '-o', out, images]);
    },
  });
  const table = report.table(`${SLICES} images of ${SIZE} × ${SIZE}`);
  const most = { peer: 'dcm2niix', most: MOST_OF_DCM2NIIX };
  table.row('series as .nii', compare(found['negato']?.p50, found['dcm2niix']?.p50, most));
}

function compare(
  own: number | undefined,
  other: number | undefined,
  { peer, most }: { readonly peer: string; readonly most: number },
) {
  const cells = { negato: own === undefined ? 'failed' : ms(own), [peer]: other === undefined ? 'absent' : ms(other) };
  if (own === undefined || other === undefined) return cells;
  const wanted = `at least ${Number((1 / most).toFixed(1))} times`;
  return { ...cells, ratio: `${(other / own).toFixed(2)} times`, target: target(wanted, own <= most * other) };
}
