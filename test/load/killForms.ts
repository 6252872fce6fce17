import type { RoiBox } from '../../src/shared/contract/annotations.ts';
import { grayOf } from '../support/readPng.ts';
import { type KillFile, SLICES } from './killFiles.ts';

export function formsOf({ kind }: KillFile): readonly KillForm[] {
  return kind === 'slice' ? SLICE_FORMS : FORMS;
}

/** A way to ask for pixels, and whether the box is covered in the answer. */
export type KillForm = {
  readonly path: (file: KillFile, box: RoiBox, frame: number) => string;
  readonly isCovered: (bytes: Uint8Array, file: KillFile, box: RoiBox) => boolean;
};

const never = () => false;

/** In every row of every file, samples grow from the left to the right. */
function isFlat(samples: ArrayLike<number>, { columns }: KillFile, [top, left, bottom, right]: RoiBox): boolean {
  for (let row = top; row < bottom; row += 1) {
    for (let column = left + 1; column < right; column += 1) {
      // A plane has no value, NaN, where a slice is not listed yet.
      if (!Object.is(samples[row * columns + column], samples[row * columns + left])) return false;
    }
  }
  return true;
}

const samplesOf = (bytes: Uint8Array, { bytesPerSample }: KillFile) =>
  bytesPerSample === 1 ? bytes : new Int16Array(bytes.buffer, bytes.byteOffset, bytes.length / 2);

const FORMS: readonly KillForm[] = [
  {
    path: ({ index }, _box, frame) => `/api/file/${index}/frame/${frame}/raw`,
    isCovered: (bytes, file, box) => isFlat(samplesOf(bytes, file), file, box),
  },
  { path: ({ index }) => `/api/file/${index}/file`, isCovered: never },
  {
    path: ({ uids }, _box, frame) =>
      `/dicomweb/studies/${uids.study}/series/${uids.series}/instances/${uids.instance}/frames/${frame + 1}`,
    isCovered: never,
  },
];

const SLICE_FORMS: readonly KillForm[] = [
  ...FORMS,
  {
    // 2.55 levels for each unit, so that neighbours differ.
    path: ({ index }) => `/api/file/${index}/frame/0?wc=60&ww=100`,
    isCovered: (bytes, file, box) => isFlat(grayOf(bytes), file, box),
  },
  {
    // Row n of the plane is a row of slice n.
    path: (_file, [top]) =>
      `/api/file/0/plane/raw?position=0,${top},0&orientation=1,0,0,0,0,1&spacing=2,1&rows=${SLICES}&columns=30`,
    isCovered(bytes, file, [, left, , right]) {
      const count = SLICES * 30;
      const plane =
        bytes.length === count * 4
          ? new Float32Array(bytes.buffer, bytes.byteOffset, count)
          : new Int16Array(bytes.buffer, bytes.byteOffset, count);
      return isFlat(plane, file, [file.index, left, file.index + 1, right]);
    },
  },
];
