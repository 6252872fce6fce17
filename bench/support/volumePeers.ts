import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { NOTHING, type PeerTimes, type PeerWork } from './peerWork.ts';
import { measureVtkJs } from './vtkJsPeer.ts';

export const PEERS = { simpleItk: 'SimpleITK', vtk: 'VTK', vtkJs: 'vtk.js', numpy: 'numpy' } as const;
export type Peer = keyof typeof PEERS;

export type PeerResult = Readonly<Record<Peer, PeerTimes>>;

/**
 * A volume of the same size, sampled by Python: SimpleITK and VTK with one thread, and numpy where a plane or slab is a
 * slice of an array. Reads the work as JSON.
 */
const PROGRAM = `
import json, os, sys, time
work = json.load(sys.stdin)
results = {'simpleItk': None, 'vtk': None, 'numpy': None}
def measure(peer, key, make, count=3):
    times = []
    for _ in range(count):
        begun = time.process_time()
        picture = make()
        times.append((time.process_time() - begun) * 1000)
    results[peer] = results[peer] or {}
    results[peer][key] = sorted(times)[len(times) // 2]
    numpy.ascontiguousarray(picture, dtype=numpy.int16).tofile(os.path.join(work['pictures'], peer + '-' + key))
try:
    import numpy
except ImportError:
    print(json.dumps(results))
    sys.exit()
volume = (numpy.arange(600 * 512 * 512, dtype=numpy.uint32) * numpy.uint32(2654435761) >> 20).astype(numpy.int16)
volume = volume.reshape(600, 512, 512)
measure('numpy', 'coronal', lambda: volume[:, 255, :].copy())
measure('numpy', 'sagittal', lambda: volume[:, :, 255].copy())
measure('numpy', 'coronalSlab', lambda: volume[:, 241:270, :].max(axis=1))
measure('numpy', 'sagittalSlab', lambda: volume[:, :, 241:270].max(axis=2))

def measure_vtk():
    import vtk
    from vtk.util.numpy_support import numpy_to_vtk, vtk_to_numpy
    vtk.vtkMultiThreader.SetGlobalMaximumNumberOfThreads(1)
    vtk.vtkThreadedImageAlgorithm.SetGlobalDefaultEnableSMP(False)
    image = vtk.vtkImageData()
    image.SetDimensions(512, 512, 600)
    image.SetSpacing(0.703, 0.703, 1)
    image.GetPointData().SetScalars(numpy_to_vtk(volume.ravel()))
    for plane in work['planes']:
        axes = vtk.vtkMatrix4x4()
        columns = [plane['rowDirection'], plane['columnDirection'], plane['normal'], plane['position']]
        for column, values in enumerate(columns):
            for row in range(3):
                axes.SetElement(row, column, values[row])
        reslice = vtk.vtkImageReslice()
        reslice.SetInputData(image)
        reslice.SetOutputDimensionality(2)
        reslice.SetResliceAxes(axes)
        reslice.SetOutputOrigin(0, 0, 0)
        reslice.SetOutputSpacing(plane['columnSpacingMm'], plane['rowSpacingMm'], plane['sheetMm'])
        reslice.SetOutputExtent(0, plane['columns'] - 1, 0, plane['rows'] - 1, 0, 0)
        reslice.SetBackgroundLevel(${NOTHING})
        if plane['isLinear']:
            reslice.SetInterpolationModeToLinear()
        else:
            reslice.SetInterpolationModeToNearestNeighbor()
        if plane['sheets'] > 1:
            reslice.SetSlabModeToMax()
            reslice.SetSlabNumberOfSlices(plane['sheets'])
        def cut():
            reslice.Modified()
            reslice.Update()
            return vtk_to_numpy(reslice.GetOutput().GetPointData().GetScalars())
        measure('vtk', plane['key'], cut)

def measure_simple_itk():
    import SimpleITK
    SimpleITK.ProcessObject.SetGlobalDefaultNumberOfThreads(1)
    image = SimpleITK.GetImageFromArray(volume)
    image.SetSpacing([0.703, 0.703, 1])
    def cut(plane, aside=0.0):
        row, column, normal = (numpy.array(plane[name]) for name in ('rowDirection', 'columnDirection', 'normal'))
        filter = SimpleITK.ResampleImageFilter()
        filter.SetInterpolator(SimpleITK.sitkLinear if plane['isLinear'] else SimpleITK.sitkNearestNeighbor)
        filter.SetSize([plane['columns'], plane['rows'], 1])
        filter.SetOutputSpacing([plane['columnSpacingMm'], plane['rowSpacingMm'], 1])
        filter.SetOutputOrigin((numpy.array(plane['position']) + normal * aside).tolist())
        filter.SetOutputDirection(numpy.stack([row, column, normal], axis=1).flatten().tolist())
        filter.SetDefaultPixelValue(${NOTHING})
        return SimpleITK.GetArrayFromImage(filter.Execute(image))
    def project(plane):
        half = plane['sheets'] // 2
        most = cut(plane, -half * plane['sheetMm'])
        for sheet in range(1 - half, half + 1):
            numpy.maximum(most, cut(plane, sheet * plane['sheetMm']), out=most)
        return most
    def extract(size, index):
        filter = SimpleITK.ExtractImageFilter()
        filter.SetSize(size)
        filter.SetIndex(index)
        return SimpleITK.GetArrayViewFromImage(filter.Execute(image))
    measure('simpleItk', 'coronal', lambda: extract([512, 0, 600], [0, 255, 0]))
    measure('simpleItk', 'sagittal', lambda: extract([0, 512, 600], [255, 0, 0]))
    for plane in work['planes']:
        if not plane['key'].startswith('oblique'):
            continue
        if plane['sheets'] > 1:
            measure('simpleItk', plane['key'], lambda: project(plane), 1)
        else:
            measure('simpleItk', plane['key'], lambda: cut(plane))

def load_series():
    import SimpleITK
    began = time.perf_counter()
    reader = SimpleITK.ImageSeriesReader()
    reader.SetFileNames(reader.GetGDCMSeriesFileNames(work['folder']))
    reader.Execute()
    results['simpleItk']['loadClock'] = (time.perf_counter() - began) * 1000

for measured in (measure_vtk, measure_simple_itk):
    try:
        measured()
    except ImportError:
        pass
del volume
if results['simpleItk']:
    load_series()
print(json.dumps(results))
`;

export function measurePeers(work: PeerWork): PeerResult {
  const { stdout, error, status } = spawnSync('python3', ['-c', PROGRAM], {
    encoding: 'utf8',
    input: JSON.stringify(work),
  });
  const isRun = error === undefined && status === 0;
  const inPython: Record<Exclude<Peer, 'vtkJs'>, PeerTimes | null> = isRun
    ? JSON.parse(stdout)
    : { simpleItk: null, vtk: null, numpy: null };
  const { simpleItk, vtk, numpy } = inPython;
  return {
    simpleItk: simpleItk ?? undefined,
    vtk: vtk ?? undefined,
    vtkJs: measureVtkJs(work),
    numpy: numpy ?? undefined,
  };
}

/** The picture of a peer in its last measurement, row by row; undefined if it has made none. */
export function readPicture({ pictures }: PeerWork, peer: Peer, key: string): Int16Array | undefined {
  const path = join(pictures, `${peer}-${key}`);
  if (!existsSync(path)) return undefined;
  const bytes = readFileSync(path);
  return new Int16Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength));
}

export type PictureDifference = {
  /** Largest difference of samples that both have. */
  readonly largest: number;
  /** Samples that differ by more than the rounding to whole numbers, or that only one of them has. */
  readonly others: number;
};

/** Compares a picture with ours, in which NaN means nothing. */
export function comparePictures(ours: Float64Array, theirs: Int16Array): PictureDifference {
  if (ours.length !== theirs.length) return { largest: Infinity, others: ours.length };
  let [largest, others] = [0, 0];
  for (const [at, own] of ours.entries()) {
    const isNothing = theirs[at] === NOTHING;
    const difference = Number.isNaN(own) || isNothing ? 0 : Math.abs(own - theirs[at]!);
    largest = Math.max(largest, difference);
    if (difference > MOST_ROUNDING || Number.isNaN(own) !== isNothing) others += 1;
  }
  return { largest, others };
}

/** Peers write whole numbers; some cut off what follows the point. */
const MOST_ROUNDING = 1;
