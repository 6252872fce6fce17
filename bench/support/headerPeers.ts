import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Wall-clock time and processor time of one pass over all files. */
export type Cost = { readonly wallMs: number; readonly processorMs: number };

/** The elements from which a record of the list is made. The peers read the same; negato derives more from them. */
const FIELDS = (
  'SOPClassUID SOPInstanceUID StudyDate Modality StudyDescription SeriesDescription PatientName ' +
  'PatientID StudyInstanceUID SeriesInstanceUID SeriesNumber InstanceNumber FrameOfReferenceUID SamplesPerPixel ' +
  'PhotometricInterpretation NumberOfFrames Rows Columns PixelSpacing BitsAllocated BitsStored ' +
  'WindowCenter WindowWidth'
).split(' ');

/** One process over the folder that leaves long values on disk. The shell reports its processor time. */
export function measureDcmtk(folder: string, env: NodeJS.ProcessEnv = {}): Cost | undefined {
  const search = FIELDS.flatMap((field) => ['+P', field]);
  const script = 'TIMEFORMAT="%3U %3S"; time "$@" >/dev/null 2>/dev/null';
  const command = ['dcmdump', '-q', '-M', '+sd', '+r', ...search, folder];
  if (spawnSync(command[0] ?? '', ['--version'], { stdio: 'ignore' }).error !== undefined) return undefined;
  const started = performance.now();
  const { stderr, error } = spawnSync('bash', ['-c', script, 'bash', ...command], {
    encoding: 'utf8',
    env: { ...process.env, ...env },
  });
  if (error !== undefined) return undefined;
  const wallMs = performance.now() - started;
  const [user = 0, system = 0] = stderr.trim().split(' ').map(Number);
  return { wallMs, processorMs: (user + system) * 1000 };
}

const PYDICOM = `
import sys, time, warnings
from pydicom import dcmread
warnings.simplefilter('ignore')
paths = open(sys.argv[1]).read().split('\\0')
fields = sys.argv[2:]
started, begun = time.perf_counter(), time.process_time()
for path in paths:
    try:
        dataset = dcmread(path, stop_before_pixels=True)
        for field in fields:
            dataset.get(field)
    except Exception:
        pass
print((time.perf_counter() - started) * 1000, (time.process_time() - begun) * 1000)
`;

export function measurePydicom(paths: readonly string[], env: NodeJS.ProcessEnv = {}): Cost | undefined {
  const folder = mkdtempSync(join(tmpdir(), 'negato-bench-'));
  try {
    writeFileSync(join(folder, 'paths'), paths.join('\0'));
    const { stdout, status } = spawnSync('python3', ['-c', PYDICOM, join(folder, 'paths'), ...FIELDS], {
      encoding: 'utf8',
      env: { ...process.env, ...env },
    });
    if (status !== 0) return undefined;
    const [wallMs = Infinity, processorMs = Infinity] = stdout.trim().split(' ').map(Number);
    return { wallMs, processorMs };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
