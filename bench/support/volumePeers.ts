import { spawnSync } from 'node:child_process';

/** Processor time of one thread, in milliseconds, by name of the measurement. */
export type PeerTimes = Readonly<Record<string, number>>;

export type PeerResult = {
  /** Undefined if it is not installed. */
  readonly simpleItk: PeerTimes | undefined;
  readonly numpy: PeerTimes | undefined;
};

/**
 * A volume of the same size, sampled by Python: SimpleITK with one thread, and numpy where a plane or slab is a slice of
 * an array. Argument: the folder of the files, which SimpleITK reads as a series.
 */
const PROGRAM = `
import json, math, sys, time
results = {'simpleItk': None, 'numpy': None}
def measure(work, count=3):
    times = []
    for _ in range(count):
        begun = time.process_time()
        work()
        times.append((time.process_time() - begun) * 1000)
    return sorted(times)[len(times) // 2]
try:
    import numpy
    volume = (numpy.arange(600 * 512 * 512, dtype=numpy.uint32) * numpy.uint32(2654435761) >> 20).astype(numpy.int16)
    volume = volume.reshape(600, 512, 512)
    results['numpy'] = {
        'sagittal': measure(lambda: volume[:, :, 255].copy()),
        'coronalSlab': measure(lambda: volume[:, 241:270, :].max(axis=1)),
        'sagittalSlab': measure(lambda: volume[:, :, 241:270].max(axis=2)),
    }
    import SimpleITK
    SimpleITK.ProcessObject.SetGlobalDefaultNumberOfThreads(1)
    image = SimpleITK.GetImageFromArray(volume)
    image.SetSpacing([0.703, 0.703, 1])
    a, b = math.radians(20), math.radians(30)
    row = numpy.array([math.cos(b), 0, math.sin(b)])
    column = numpy.array([-math.sin(a) * math.sin(b), math.cos(a), math.sin(a) * math.cos(b)])
    normal = numpy.cross(row, column)
    middle = numpy.array([255.5 * 0.703, 255.5 * 0.703, 299.5])
    def plane(interpolator, aside=0.0):
        filter = SimpleITK.ResampleImageFilter()
        filter.SetInterpolator(interpolator)
        filter.SetSize([512, 853, 1])
        filter.SetOutputSpacing([0.703, 0.703, 1])
        start = middle - row * 0.703 * 255.5 - column * 0.703 * 426 + normal * aside
        filter.SetOutputOrigin(start.tolist())
        filter.SetOutputDirection(numpy.stack([row, column, normal], axis=1).flatten().tolist())
        filter.SetDefaultPixelValue(-32768)
        return SimpleITK.GetArrayFromImage(filter.Execute(image))
    def slab():
        most = plane(SimpleITK.sitkLinear, -14 * 0.703)
        for sheet in range(-13, 15):
            numpy.maximum(most, plane(SimpleITK.sitkLinear, sheet * 0.703), out=most)
    def extract(size, index):
        filter = SimpleITK.ExtractImageFilter()
        filter.SetSize(size)
        filter.SetIndex(index)
        filter.Execute(image)
    results['simpleItk'] = {
        'coronal': measure(lambda: extract([512, 0, 600], [0, 255, 0])),
        'sagittal': measure(lambda: extract([0, 512, 600], [255, 0, 0])),
        'obliqueNearest': measure(lambda: plane(SimpleITK.sitkNearestNeighbor)),
        'oblique': measure(lambda: plane(SimpleITK.sitkLinear)),
        'obliqueSlab': measure(slab, 1),
    }
    del image, volume
    def load():
        reader = SimpleITK.ImageSeriesReader()
        reader.SetFileNames(reader.GetGDCMSeriesFileNames(sys.argv[1]))
        reader.Execute()
    began = time.perf_counter()
    load()
    results['simpleItk']['loadClock'] = (time.perf_counter() - began) * 1000
except ImportError:
    pass
print(json.dumps(results))
`;

export function measurePeers(folder: string): PeerResult {
  const { stdout, error, status } = spawnSync('python3', ['-c', PROGRAM, folder], { encoding: 'utf8' });
  if (error !== undefined || status !== 0) return { simpleItk: undefined, numpy: undefined };
  const { simpleItk, numpy }: { simpleItk: PeerTimes | null; numpy: PeerTimes | null } = JSON.parse(stdout);
  return { simpleItk: simpleItk ?? undefined, numpy: numpy ?? undefined };
}
