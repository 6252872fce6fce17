// How far segmentations agree: overlaps and distances of 20 parts in 512 x 512 x 300 samples beside SimpleITK and DeepMind's
// surface-distance, and cases of 128 x 128 x 128 by the command beside a loop in Python.
// Run from the root of the repository: npm run bench -- compare [--runs 3] [--cases 20]
import { spawnSync } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { cutMaskPair, joinBoxes } from '../src/server/over/agreement/maskPair.ts';
import { measureSurfaces } from '../src/server/over/agreement/surfaceDistances.ts';
import { boxOfLabel, tallyOverlap } from '../src/server/over/agreement/tallyOverlap.ts';
import { writeNifti } from '../test/support/arrayFiles.ts';
import { withFolder } from './support/folder.ts';
import { interleave } from './support/measure.ts';
import { ms, type Report, runBenchmark, SUITE_OPTIONS, target } from './support/report.ts';

declare const NEGATO_ROOT: string;

type Size = readonly [columns: number, rows: number, slices: number];
const LARGE: Size = [512, 512, 300];
const SMALL: Size = [128, 128, 128];
const PARTS = 20;
const SPACING = [0.8, 0.8, 1.5] as const;
/** Targets: overlaps in half a second, distances in half of the time of surface-distance, cases three times as fast. */
const MOST_OVERLAP_MS = 500;
const MOST_OF_SURFACES = 1 / 2;
const MOST_OF_LOOP = 1 / 3;

/** surface-distance 0.1 is older than numpy 2. */
const IMPORTS = `
import glob, os, sys, time, numpy, SimpleITK
numpy.Inf, numpy.NaN = numpy.inf, numpy.nan
import surface_distance
def surfaces(a, b, spacing):
    distances = surface_distance.compute_surface_distances(a, b, spacing)
    surface_distance.compute_average_surface_distance(distances)
    surface_distance.compute_robust_hausdorff(distances, 95)
    surface_distance.compute_robust_hausdorff(distances, 100)
    surface_distance.compute_surface_dice_at_tolerance(distances, 1)
def overlap(truth, test):
    measures = SimpleITK.LabelOverlapMeasuresImageFilter()
    measures.Execute(test, truth)
begun = time.perf_counter()
`;
const SPACING_OF_ARRAY = `(${SPACING[2]}, ${SPACING[1]}, ${SPACING[0]})`;
const READ = `
a, b = [numpy.fromfile(path, numpy.uint8).reshape(${LARGE[2]}, ${LARGE[1]}, ${LARGE[0]}) for path in sys.argv[1:3]]
`;
const OVERLAPS = `${IMPORTS}${READ}
images = [SimpleITK.GetImageFromArray(one) for one in (a, b)]
begun = time.perf_counter()
overlap(*images)
print((time.perf_counter() - begun) * 1000)
`;
const SURFACES = `${IMPORTS}${READ}
begun = time.perf_counter()
for part in range(1, ${PARTS + 1}): surfaces(a == part, b == part, ${SPACING_OF_ARRAY})
print((time.perf_counter() - begun) * 1000)
`;
/** The loop that people write. */
const LOOP = `${IMPORTS}
for path in sorted(glob.glob(sys.argv[1] + '/*')):
    truth, test = [SimpleITK.ReadImage(os.path.join(folder, os.path.basename(path))) for folder in sys.argv[1:3]]
    overlap(truth, test)
    a, b = [SimpleITK.GetArrayFromImage(image) for image in (truth, test)]
    for part in range(1, 4): surfaces(a == part, b == part, truth.GetSpacing()[::-1])
print((time.perf_counter() - begun) * 1000)
`;

const { values: options } = parseArgs({
  options: { ...SUITE_OPTIONS, runs: { type: 'string', default: '3' }, cases: { type: 'string', default: '20' } },
});
const runs = Number(options.runs);

await runBenchmark('compare', (report) =>
  withFolder(async (folder) => {
    await compareParts(folder, report);
    await compareCases(folder, report);
  }),
);

async function compareParts(folder: string, report: Report): Promise<void> {
  const [truth, test] = [draw(LARGE, PARTS, 0), draw(LARGE, PARTS, 3)];
  const paths = [join(folder, 'truth.raw'), join(folder, 'test.raw')];
  writeFileSync(paths[0]!, truth);
  writeFileSync(paths[1]!, test);
  const [columns, rows, slices] = LARGE;
  const input = { truth, test, columns, rows, firstSlice: 0, endSlice: slices, mostTruth: PARTS, mostTest: PARTS };
  const tally = tallyOverlap(input);
  const found = await interleave(runs, {
    overlap: () => timeWork(() => tallyOverlap(input)),
    surfaces: () =>
      timeWork(() => {
        for (let value = 1; value <= PARTS; value += 1) {
          const box = joinBoxes(boxOfLabel(tally.truthBoxes, value), boxOfLabel(tally.testBoxes, value));
          const sources = { truth: { samples: truth, value }, test: { samples: test, value } };
          measureSurfaces(cutMaskPair({ ...sources, size: LARGE, box }), { spacingMm: SPACING, toleranceMm: 1 });
        }
      }),
    simpleItk: () => timePython(OVERLAPS, paths),
    surfaceDistance: () => timePython(SURFACES, paths),
  });
  const table = report.table(`${PARTS} parts, ${LARGE.join(' × ')}, one thread`);
  const own = found['overlap']!.p50;
  table.row('overlaps', {
    ...toCells(own, found['simpleItk']?.p50, 'SimpleITK'),
    target: target(ms(MOST_OVERLAP_MS), own <= MOST_OVERLAP_MS),
  });
  const [surfaces, peer] = [found['surfaces']!.p50, found['surfaceDistance']?.p50];
  const wanted = target(`at least ${1 / MOST_OF_SURFACES} times`, surfaces <= MOST_OF_SURFACES * (peer ?? Infinity));
  table.row('distances', {
    ...toCells(surfaces, peer, 'surface-distance'),
    ...(peer !== undefined && { target: wanted }),
  });
}

async function compareCases(folder: string, report: Report): Promise<void> {
  const sform = [-SPACING[0], 0, 0, 0, 0, -SPACING[1], 0, 0, 0, 0, SPACING[2], 0];
  const sides = ['truth', 'test'].map((side) => join(folder, side));
  for (const [at, side] of sides.entries()) {
    mkdirSync(side);
    for (let number = 0; number < Number(options.cases); number += 1) {
      const samples = draw(SMALL, 3, at * (1 + (number % 4)));
      const qform = { numbers: [0, 0, 1, 0, 0, 0], pixdim: [1, ...SPACING] };
      writeFileSync(join(side, `case_${number}.nii`), writeNifti({ sizes: SMALL, samples, sform, qform }));
    }
  }
  const out = join(folder, 'scores.csv');
  const found = await interleave(runs, {
    negato() {
      rmSync(out, { force: true });
      const begun = performance.now();
      const words = [join(NEGATO_ROOT, 'dist/negato.js'), 'compare', ...sides, '--out', out];
      const { status } = spawnSync(process.execPath, words, { stdio: 'ignore' });
      return status === 0 ? performance.now() - begun : undefined;
    },
    python: () => timePython(LOOP, sides),
  });
  const table = report.table(`${options.cases} cases of 3 parts, ${SMALL.join(' × ')}`);
  const [own, peer] = [found['negato']?.p50 ?? Number.NaN, found['python']?.p50];
  const wanted = target(`at least ${Math.round(1 / MOST_OF_LOOP)} times`, own <= MOST_OF_LOOP * (peer ?? Infinity));
  table.row('negato compare', { ...toCells(own, peer, 'Python'), ...(peer !== undefined && { target: wanted }) });
}

function toCells(own: number, peer: number | undefined, name: string) {
  const ratio = peer === undefined ? 'absent' : `${(peer / own).toFixed(2)} times`;
  return { negato: ms(own), peer: peer === undefined ? name : `${name} ${ms(peer)}`, ratio };
}

function timeWork(work: () => void): number {
  const begun = performance.now();
  work();
  return performance.now() - begun;
}

/** What a script prints; undefined if a package is missing. */
function timePython(script: string, words: readonly string[]): number | undefined {
  const { status, stdout } = spawnSync('python3', ['-W', 'ignore', '-c', script, ...words], { encoding: 'utf8' });
  return status === 0 ? Number(stdout) : undefined;
}

/** Ellipsoids with waves on their surfaces, in five columns, moved along the rows. */
function draw([columns, rows, slices]: Size, parts: number, shift: number): Uint8Array {
  const samples = new Uint8Array(columns * rows * slices);
  const across = Math.min(5, parts);
  const down = Math.ceil(parts / across);
  for (let part = 0; part < parts; part += 1) {
    const centre = [
      ((part % across) + 0.5) * (columns / across) + shift,
      (Math.floor(part / across) + 0.5) * (rows / down),
    ];
    const radii = [columns / across / 2.6, rows / down / 2.6, slices / 2.6];
    for (let z = 0; z < slices; z += 1) {
      for (let y = Math.ceil(centre[1]! - 1.2 * radii[1]!); y < centre[1]! + 1.2 * radii[1]!; y += 1) {
        for (let x = Math.ceil(centre[0]! - 1.2 * radii[0]!); x < centre[0]! + 1.2 * radii[0]!; x += 1) {
          const wave = 0.1 * Math.sin(x / 5) * Math.cos(y / 7) * Math.sin(z / 4);
          const [a, b, c] = [(x - centre[0]!) / radii[0]!, (y - centre[1]!) / radii[1]!, (z - slices / 2) / radii[2]!];
          const isInside = x >= 0 && x < columns && y >= 0 && y < rows && a * a + b * b + c * c + wave < 1;
          if (isInside) samples[(z * rows + y) * columns + x] = part + 1;
        }
      }
    }
  }
  return samples;
}
