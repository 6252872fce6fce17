// A whole scan, with all its threads, where every open takes 5 ms longer, as on a network disk, and on the unmodified
// disk; against DCMTK and pydicom in one process each, slowed down in the same way: `npm run bench -- networkDisk
// [--files 3000]`. See README.md beside this file.
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { listInputs } from '../src/server/bytes/origins/origins.ts';
import { withFolder } from './support/folder.ts';
import { writeSmallFiles } from './support/folderKinds.ts';
import { measureDcmtk, measurePydicom } from './support/headerPeers.ts';
import { interleave, type Times } from './support/measure.ts';
import { target, mb, perSecond, runBenchmark, SUITE_OPTIONS, type Table, times } from './support/report.ts';
import { startServer } from './support/server.ts';
import { buildSlowOpens } from './support/slowOpens.ts';
import { readMediaDirectory } from '../src/server/images/catalog/mediaDirectory.ts';

const ROUNDS = 3;
const DELAY_MS = 5;
/** Target: this many times the files that could be opened one at a time. */
const HIDDEN = 4;

const { values: options } = parseArgs({ options: { ...SUITE_OPTIONS, files: { type: 'string', default: '3000' } } });

await runBenchmark('networkDisk', (report) =>
  withFolder(async (folder) => {
    const table = report.table('Files per second');
    const files = join(folder, 'files');
    writeSmallFiles(files, Number(options.files));
    await compare(table, 'unmodified disk', files);
    const env = buildSlowOpens({ workFolder: folder, slowFolder: files, delayMs: DELAY_MS });
    if (env === undefined) report.note('slow opens are not measured: there is no C compiler');
    else await compare(table, `${DELAY_MS} ms delay for each open`, files, env);
  }),
);

/** `env` slows down all contenders. */
async function compare(table: Table, name: string, folder: string, env?: NodeJS.ProcessEnv): Promise<void> {
  const paths = [...listInputs({ inputs: [folder], recursive: true, readMediaDirectory })].map(({ path }) => path);
  let peakMb = 0;
  const { negato, dcmtk, pydicom } = await interleave(ROUNDS, {
    async negato() {
      const server = await startServer(folder, { env: env ?? {} });
      peakMb = Math.max(peakMb, server.memoryMb().peak);
      await server.stop();
      return server.scanMs;
    },
    dcmtk: () => measureDcmtk(folder, env)?.wallMs,
    pydicom: () => measurePydicom(paths, env)?.wallMs,
  });
  if (negato === undefined) throw new Error('nothing was measured');
  const rate = (took: Times | undefined) => (took === undefined ? 'absent' : perSecond(paths.length, took.p50));
  const against = (took: Times | undefined) => (took === undefined ? '' : times(took.p50, negato.p50));
  const oneAtATimeMs = paths.length * DELAY_MS;
  table.row(name, {
    negato: rate(negato),
    DCMTK: rate(dcmtk),
    pydicom: rate(pydicom),
    'against DCMTK': against(dcmtk),
    'against pydicom': against(pydicom),
    'peak memory': mb(peakMb),
    ...(env && { target: target(`${HIDDEN} times one at a time`, oneAtATimeMs / negato.p50 >= HIDDEN) }),
  });
}
