// How long the rows of a picture take to filter and compress: `npm run bench -- png`. Compares our kernel with zlib at
// its best settings for such pictures. See README.md beside this file.
import { parseArgs } from 'node:util';
import {
  createRowDeflater,
  deflateWithZlib,
  type PixelRows,
  samplesIn,
} from '../src/server/images/pixels/png/deflateRows.ts';
import { interleave } from './support/measure.ts';
import { ms, runBenchmark, SUITE_OPTIONS, times } from './support/report.ts';

const PICTURES = [
  { name: '512 x 512', rows: 512, columns: 512, rounds: 200 },
  { name: '4096 x 3072', rows: 4096, columns: 3072, rounds: 15 },
];

parseArgs({ options: SUITE_OPTIONS });

await runBenchmark('png', async (report) => {
  const table = report.table('Picture of 16-bit samples');
  const deflate = createRowDeflater();
  for (const { name, rows, columns, rounds } of PICTURES) {
    const picture = createPicture(rows, columns);
    const { negato, zlib } = await interleave(rounds, {
      negato: () => time(() => deflate(picture)),
      zlib: () => time(() => deflateWithZlib(picture)),
    });
    if (negato === undefined || zlib === undefined) continue;
    const bytes = deflate(picture).reduce((sum, piece) => sum + piece.length, 0);
    table.row(name, {
      negato: ms(negato.p50),
      zlib: ms(zlib.p50),
      ratio: times(zlib.p50, negato.p50),
      'size relative to zlib': `${((100 * bytes) / deflateWithZlib(picture).length).toFixed(1)} %`,
    });
  }
});

function time(work: () => unknown): number {
  const began = performance.now();
  work();
  return performance.now() - began;
}

/** A bright disk with noise on a black background, like a CT slice: a window maps 4,096 values to 256 levels. */
function createPicture(rows: number, columns: number): PixelRows {
  const samples = new Uint16Array(rows * columns);
  let state = 1;
  const noise = () => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fff_ffff;
    return (state >>> 16) & 127;
  };
  for (let row = 0; row < rows; row++) {
    for (let column = 0; column < columns; column++) {
      const inside = Math.hypot(row / rows - 0.5, column / columns - 0.5) < 0.4;
      const tissue = 1000 + 400 * Math.sin(row / 37) * Math.cos(column / 23);
      samples[row * columns + column] = inside ? tissue + noise() + noise() : 0;
    }
  }
  const table = Uint8Array.from({ length: 65_536 }, (_, sample) => Math.min(255, Math.max(0, (sample - 800) / 4)));
  return { rows, bytesPerRow: columns, samples: samplesIn(samples), table };
}
