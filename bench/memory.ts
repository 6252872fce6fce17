// How the memory of the server grows with files and with frames: `npm run bench -- memory [--files 100000]`. The peer
// for files is pydicom, which holds their data sets without pixels; frames are compared with their own bytes. See
// README.md beside this file.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { writeCtTree } from './support/ctTree.ts';
import { withFolder } from './support/folder.ts';
import { timeAtOnce } from './support/measure.ts';
import type { Memory } from './support/processes.ts';
import { mb, type Report, runBenchmark, SUITE_OPTIONS, times } from './support/report.ts';
import { readAddresses, startServer } from './support/server.ts';
import { writeSlices } from './support/slices.ts';

const FEW_FILES = 1_000;
const SLICES = 200;
const SLICE_BYTES = 512 * 512 * 2;
const IDLE_MS = 3_000;

const PYDICOM = `
import os, resource, sys
from pydicom import dcmread
paths = [os.path.join(folder, name) for folder, _, names in os.walk(sys.argv[1]) for name in names]
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
kept = [dcmread(path, stop_before_pixels=True) for path in paths]
print((resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) * 1024 / len(kept))
`;

const { values: options } = parseArgs({ options: { ...SUITE_OPTIONS, files: { type: 'string', default: '100000' } } });

await runBenchmark('memory', (report) =>
  withFolder(async (folder) => {
    await growWithFiles(folder, Number(options.files), report);
    await growWithFrames(folder, report);
  }),
);

async function growWithFiles(folder: string, most: number, report: Report): Promise<void> {
  const table = report.table('Files');
  const idle = new Map<number, number>();
  for (const count of [FEW_FILES, most]) {
    const files = join(folder, `files${count}`);
    writeCtTree(files, count);
    const server = await startServer(files);
    await delay(IDLE_MS);
    const memory = server.memoryMb();
    await server.stop();
    idle.set(count, memory.now);
    table.row(`${count.toLocaleString('en')} files`, describe(memory));
  }
  const ours = (((idle.get(most) ?? 0) - (idle.get(FEW_FILES) ?? 0)) * 2 ** 20) / (most - FEW_FILES);
  const peer = pydicomBytesPerFile(join(folder, `files${FEW_FILES}`));
  table.row('bytes per file', {
    idle: Math.round(ours).toLocaleString('en'),
    pydicom: peer === undefined ? 'absent' : Math.round(peer).toLocaleString('en'),
    ratio: peer === undefined ? '' : times(peer, ours),
  });
}

async function growWithFrames(folder: string, report: Report): Promise<void> {
  const table = report.table(`Frames of ${SLICE_BYTES.toLocaleString('en')} bytes`);
  const files = join(folder, 'slices');
  writeSlices(files, SLICES);
  const server = await startServer(files);
  try {
    const addresses = [...(await readAddresses(server.url)).values()];
    let last = server.memoryMb().now;
    table.row('before', describe(server.memoryMb()));
    for (const [name, rest] of [
      ['display', '/frame/0'],
      ['raw', '/frame/0/raw'],
    ] as const) {
      await timeAtOnce(
        addresses.map((address) => address + rest),
        6,
      );
      await delay(IDLE_MS);
      const memory = server.memoryMb();
      const each = ((memory.now - last) * 2 ** 20) / SLICES;
      last = memory.now;
      table.row(`after ${SLICES} frames, ${name}`, {
        ...describe(memory),
        'bytes per frame': Math.round(each).toLocaleString('en'),
      });
    }
  } finally {
    await server.stop();
  }
}

function describe({ now, peak }: Memory) {
  return { idle: mb(now), peak: mb(peak) };
}

function pydicomBytesPerFile(folder: string): number | undefined {
  const { stdout, status } = spawnSync('python3', ['-c', PYDICOM, folder], { encoding: 'utf8' });
  return status === 0 ? Number(stdout) : undefined;
}
