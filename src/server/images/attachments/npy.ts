import { quoteText } from '../../bytes/masking/maskText.ts';
import {
  type ArrayHeader,
  checkShape,
  type DataPlace,
  dropSingles,
  type ElementType,
  unreadable,
} from './arrayHeader.ts';

const MAGIC = [0x93, 0x4e, 0x55, 0x4d, 0x50, 0x59];
/** numpy aligns the data to 64 bytes, and a header with plain numbers is short. */
export const MOST_NPY_HEADER = 4096;

const ELEMENTS: ReadonlyMap<string, ElementType> = new Map([
  ['b1', 'uint8'],
  ['u1', 'uint8'],
  ['i1', 'int8'],
  ['u2', 'uint16'],
  ['i2', 'int16'],
  ['u4', 'uint32'],
  ['i4', 'int32'],
  ['u8', 'uint64'],
  ['i8', 'int64'],
  ['f2', 'float16'],
  ['f4', 'float32'],
  ['f8', 'float64'],
]);

export function isNpy(bytes: Uint8Array): boolean {
  return MAGIC.every((byte, at) => bytes[at] === byte);
}

/** `bytes` is the beginning of the file, `at` says where the file is in what contains it. */
export function readNpy(bytes: Uint8Array, at: Omit<DataPlace, 'skip' | 'skipLines' | 'besideName'>): ArrayHeader {
  if (!isNpy(bytes)) throw unreadable('the file has no NPY header');
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  if (bytes.length < 12) throw unreadable('the NPY header is truncated');
  const major = bytes[6]!;
  if (major < 1 || major > 3) throw unreadable(`version ${major} of NPY is not supported`);
  const [length, from] = major === 1 ? [view.getUint16(8, true), 10] : [view.getUint32(8, true), 12];
  if (from + length > bytes.length) throw unreadable('the NPY header is too long or truncated');
  const text = new TextDecoder('latin1').decode(bytes.subarray(from, from + length));
  const description = /'descr'\s*:\s*'([^']*)'/.exec(text)?.[1];
  const order = /'fortran_order'\s*:\s*(True|False)/.exec(text)?.[1];
  const shapeText = /'shape'\s*:\s*\(([\d,\sL]*)\)/.exec(text)?.[1];
  if (description === undefined || order === undefined || shapeText === undefined) {
    throw unreadable('the NPY header does not describe one array of numbers');
  }
  if (description.includes('O')) {
    throw unreadable('the array holds Python objects, which only running the code in it could read');
  }
  const element = ELEMENTS.get(description.replace(/^[<>|=]/, ''));
  if (element === undefined) throw unreadable(`the NPY data type ${quoteText(description)} is not supported`);
  const shape = [...shapeText.matchAll(/\d+/g)].map(([digits]) => Number(digits));
  checkShape(shape);
  const sizes = leaveOutSingles(order === 'True' ? shape : shape.toReversed());
  if (sizes.length > 4) throw unreadable(`the array has ${sizes.length} axes; 3 in space and one more are supported`);
  return {
    shape,
    sizes,
    isSlowestFirst: order !== 'True',
    spatialAxes: undefined,
    element,
    isLittleEndian: !description.startsWith('>'),
    scale: undefined,
    affine: undefined,
    affineSource: undefined,
    data: { ...at, besideName: undefined, skip: from + length, skipLines: 0 },
    labels: [],
    warnings: [],
  };
}

/** A batch or channel of one at either end is no axis; what is left has three at least. */
function leaveOutSingles(sizes: readonly number[]): readonly number[] {
  const kept = [...dropSingles(sizes)];
  while (kept.length > 3 && kept[0] === 1) kept.shift();
  while (kept.length < 3) kept.push(1);
  return kept;
}
