import { spawnSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { NOTHING, type PeerTimes, type PeerWork } from './peerWork.ts';

declare const NEGATO_ROOT: string;

/** The same volume and planes in vtkImageReslice of vtk.js, in a process of its own. Reads the work as JSON. */
const PROGRAM = `
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
const { library, planes, pictures } = JSON.parse(readFileSync(0, 'utf8'));
const load = async (path) => (await import(library + path)).default;
const [ImageReslice, ImageData, DataArray] = await Promise.all(
  ['Imaging/Core/ImageReslice.js', 'Common/DataModel/ImageData.js', 'Common/Core/DataArray.js'].map(load),
);
const [NEAREST, LINEAR, MAX] = [0, 1, 1];
const values = new Int16Array(600 * 512 * 512);
for (let i = 0; i < values.length; i++) values[i] = Math.imul(i, 2654435761) >>> 20;
const image = ImageData.newInstance();
image.setDimensions(512, 512, 600);
image.setSpacing(0.703, 0.703, 1);
image.getPointData().setScalars(DataArray.newInstance({ numberOfComponents: 1, values }));
const times = {};
for (const plane of planes) {
  const { rowDirection, columnDirection, normal, position, rows, columns } = plane;
  const reslice = ImageReslice.newInstance();
  reslice.setInputData(image);
  reslice.setOutputDimensionality(2);
  reslice.setResliceAxes([...rowDirection, 0, ...columnDirection, 0, ...normal, 0, ...position, 1]);
  reslice.setOutputOrigin([0, 0, 0]);
  reslice.setOutputSpacing([plane.columnSpacingMm, plane.rowSpacingMm, plane.sheetMm]);
  reslice.setOutputExtent([0, columns - 1, 0, rows - 1, 0, 0]);
  reslice.setBackgroundColor([${NOTHING}, 0, 0, 0]);
  reslice.setInterpolationMode(plane.isLinear ? LINEAR : NEAREST);
  reslice.setSlabMode(MAX);
  reslice.setSlabNumberOfSlices(plane.sheets);
  const measured = [];
  // A slab takes seconds, and its own loop warms it up.
  for (let run = 0; run < (plane.sheets > 1 ? 1 : 6); run += 1) {
    reslice.modified();
    const began = process.cpuUsage();
    reslice.update();
    const { user, system } = process.cpuUsage(began);
    measured.push((user + system) / 1000);
  }
  times[plane.key] = measured.slice(measured.length >> 1).sort((a, b) => a - b)[measured.length >> 2];
  writeFileSync(join(pictures, 'vtkJs-' + plane.key), reslice.getOutputData().getPointData().getScalars().getData());
}
console.log(JSON.stringify(times));
`;

/** Undefined if vtk.js is installed neither here nor in the folder of the variable `VTK_JS`. */
export function measureVtkJs({ planes, pictures }: PeerWork): PeerTimes {
  const library = findLibrary();
  if (library === undefined) return undefined;
  const { stdout, stderr, status } = spawnSync(process.execPath, ['--input-type=module', '-e', PROGRAM], {
    encoding: 'utf8',
    input: JSON.stringify({ library, planes, pictures }),
  });
  if (status !== 0) throw new Error(`vtk.js failed: ${stderr}`);
  // It may write warnings before.
  return JSON.parse(stdout.trim().split('\n').at(-1) ?? '');
}

function findLibrary(): string | undefined {
  const from = process.env.VTK_JS ?? NEGATO_ROOT;
  try {
    const manifest = createRequire(join(from, 'package.json')).resolve('@kitware/vtk.js/package.json');
    return `${pathToFileURL(dirname(manifest)).href}/`;
  } catch {
    return undefined;
  }
}
