import { ViewerError } from '../../src/shared/contract/errors.ts';
import { bufferSource } from '../../src/server/bytes/origins/byteSource.ts';
import { readDicom } from '../../src/server/standard/dicom/readDataSet.ts';
import { encodingOf } from '../../src/server/standard/dicom/transferSyntax.ts';
import { type Leaf, leavesOf } from '../support/leavesOf.ts';
import type { BaseFile } from './baseFiles.ts';
import { createRandom } from './random.ts';
import type { Failure } from './readerProbe.ts';

/** A file without meta information is not recognised as DICOM if it is shorter. */
const SHORTEST = 132;

/** A valid file that is truncated anywhere must keep every element that ends before the cut, unless it is deflated. */
export function probePrefix({ name, bytes, structure }: BaseFile, seed: number, number: number): Failure | undefined {
  const first = Math.max(structure.elements[0]?.value ?? bytes.length, SHORTEST);
  const cut = first + createRandom(seed, number).below(Math.max(1, bytes.length - first));
  const object = readDicom(bufferSource(bytes));
  if (encodingOf(object.transferSyntaxUid).deflated) return undefined;
  const whole = leavesOf(object.dataSet).filter((leaf) => leaf.end <= cut);
  const part = new Map(leavesBefore(bytes, cut).map((leaf) => [leaf.path, leaf]));
  for (const leaf of whole) {
    const kept = part.get(leaf.path);
    if (kept?.bytes === leaf.bytes && kept?.vr === leaf.vr && kept?.end === leaf.end) continue;
    const detail = `${name} cut at ${cut}: ${JSON.stringify(leaf)} is ${JSON.stringify(kept)}`;
    return { kind: 'prefix_differs', step: leaf.path, detail };
  }
  return undefined;
}

/** Empty if the file is too short to be recognised. */
function leavesBefore(bytes: Uint8Array, cut: number): Leaf[] {
  try {
    return leavesOf(readDicom(bufferSource(bytes.subarray(0, cut))).dataSet);
  } catch (error) {
    if (error instanceof ViewerError) return [];
    throw error;
  }
}
