// How long the demo study takes to write, and how long it blocks the event loop meanwhile: `npm run bench -- demo`.
// Its peer is a copy of the written files. See README.md beside this file.
import { cpSync, mkdirSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { writeDemoStudy } from '../src/demo/writeDemoStudy.ts';
import { watchBlocks } from './support/blocks.ts';
import { withFolder } from './support/folder.ts';
import { interleave, toTimes } from './support/measure.ts';
import { target, ms, runBenchmark, SUITE_OPTIONS, times } from './support/report.ts';

const ROUNDS = 5;
/** Targets. */
const LONGEST_MS = 3_000;
const LONGEST_BLOCK_MS = 10;

parseArgs({ options: SUITE_OPTIONS });

await runBenchmark('demo', (report) =>
  withFolder(async (folder) => {
    const blocks: number[] = [];
    const studyOf = (round: number) => join(folder, `study${round}`);
    const { negato, copy } = await interleave(ROUNDS, {
      async negato(round) {
        const block = watchBlocks();
        const began = performance.now();
        mkdirSync(studyOf(round));
        await writeDemoStudy(studyOf(round));
        blocks.push(block.end());
        return performance.now() - began;
      },
      copy(round) {
        const began = performance.now();
        cpSync(studyOf(Math.max(0, round - 1)), join(folder, `copy${round}`), { recursive: true });
        return performance.now() - began;
      },
    });
    if (negato === undefined || copy === undefined) return;
    const bytes = readdirSync(studyOf(0), { recursive: true, encoding: 'utf8' })
      .map((name) => statSync(join(studyOf(0), name)))
      .reduce((sum, file) => sum + (file.isFile() ? file.size : 0), 0);
    const table = report.table(`Demo study, ${(bytes / 1e6).toFixed(1)} MB`);
    table.row('time until it is written', {
      negato: ms(negato.p50),
      'copying the files': ms(copy.p50),
      ratio: times(copy.p50, negato.p50),
      target: target(ms(LONGEST_MS), negato.p50 <= LONGEST_MS),
    });
    const block = toTimes(blocks).p50;
    table.row('longest block of the event loop', {
      negato: ms(block),
      target: target(ms(LONGEST_BLOCK_MS), block <= LONGEST_BLOCK_MS),
    });
  }),
);
