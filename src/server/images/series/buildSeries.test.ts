import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createStackImage, SAGITTAL } from '../../../../test/support/createStackImage.ts';
import type { DicomFile } from '../catalog/dicomFile.ts';
import { buildSeries, isStackable } from './buildSeries.ts';
import type { Series, Stack } from './stack.ts';

function build(files: readonly DicomFile[]): Series {
  return buildSeries({ studyInstanceUid: '1.2', seriesInstanceUid: '1.2.3', files, geometryOf: () => undefined });
}

function buildOne(files: readonly DicomFile[]): Stack {
  const { stacks } = build(files);
  expect(stacks).toHaveLength(1);
  return stacks[0]!;
}

function orderOf({ frames }: Stack): number[] {
  return Array.from(frames.fileIndices);
}

function codesOf({ warnings }: Stack): string[] {
  return warnings.map(({ code }) => code);
}

/** Height and Slice Thickness of each image. */
function ofThickness(...images: readonly (readonly [z: number, mm: number])[]): DicomFile[] {
  return images.map(([z, sliceThicknessMm], index) =>
    createStackImage(index, { placement: { position: [0, 0, z], sliceThicknessMm } }),
  );
}

/** Axial images at these heights. */
function atHeights(...heights: readonly number[]): DicomFile[] {
  return heights.map((z, index) => createStackImage(index, { placement: { position: [0, 0, z] } }));
}

describe('order', () => {
  test('images are sorted by their position along the normal, whatever their numbers and names', () => {
    const stack = buildOne(atHeights(5, -5, 0));
    expect(orderOf(stack)).toEqual([1, 2, 0]);
    expect(Array.from(stack.frames.positionsMm)).toEqual([-5, 0, 5]);
  });

  test('images at one position are sorted by the value of their instance number, then by path', () => {
    const files = ['10', '9', '', '9'].map((instanceNumber, index) =>
      createStackImage(index, { instanceNumber, placement: { position: [0, 0, 0] } }),
    );
    expect(orderOf(buildOne(files))).toEqual([1, 3, 0, 2]);
  });

  test('images without geometry are sorted by instance number, with no position and no warning', () => {
    const files = ['3', '1', '2'].map((instanceNumber, index) =>
      createStackImage(index, { instanceNumber, placement: { position: undefined, orientation: undefined } }),
    );
    const stack = buildOne(files);
    expect(orderOf(stack)).toEqual([1, 2, 0]);
    expect(Array.from(stack.frames.positionsMm)).toEqual([NaN, NaN, NaN]);
    expect(stack.warnings).toEqual([]);
  });

  test('an oblique stack is sorted by the projections on the cross product of its directions', () => {
    const angle = fc.double({ min: -Math.PI, max: Math.PI, noNaN: true });
    const heights = fc.uniqueArray(fc.integer({ min: -500, max: 500 }), { minLength: 2, maxLength: 40 });
    fc.assert(
      fc.property(angle, angle, angle, heights, (a, b, c, steps) => {
        const [row, column, normal] = rotation(a, b, c);
        const files = steps.map((step, index) => {
          const position = normal.map((component, axis) => component * step * 0.5 + row[axis]! * 3 - column[axis]! * 7);
          return createStackImage(index, { placement: { orientation: [...row, ...column], position } });
        });
        const expected = steps.map((_, index) => index).toSorted((left, right) => steps[left]! - steps[right]!);
        const [stack] = build(files).stacks;
        expect(orderOf(stack!)).toEqual(expected);
        expect(codesOf(stack!)).not.toContain('gantry_tilt');
        expect(codesOf(stack!)).not.toContain('inconsistent_orientation');
      }),
    );
  });
});

describe('images that cannot be one stack', () => {
  test.each([
    ['another matrix', { rows: 256 }],
    ['another number of samples', { samplesPerPixel: 3 }],
    ['another kind of object', { sopClassUid: '1.2.840.10008.5.1.4.1.1.7' }],
    ['another frame of reference', { frameOfReferenceUid: '1.2.826.7' }],
    ['another echo', { placement: { echoNumber: 2 } }],
    ['a localizer', { placement: { imageType: 'ORIGINAL\\PRIMARY\\LOCALIZER' } }],
    ['another orientation', { placement: { orientation: SAGITTAL } }],
  ])('%s', (_, different) => {
    const echo = { placement: { echoNumber: 1 } };
    const files = [
      createStackImage(0, echo),
      createStackImage(1, { ...echo, ...different }),
      createStackImage(2, echo),
    ];

    const { stacks } = build(files);

    expect(stacks.map(orderOf)).toEqual([[0, 2], [1]]);
    expect(new Set(stacks.map(({ id }) => id)).size).toBe(2);
  });

  test('a localizer is marked as such', () => {
    const { stacks } = build([
      createStackImage(0),
      createStackImage(1, { placement: { imageType: 'ORIGINAL\\PRIMARY\\LOCALIZER' } }),
    ]);
    expect(stacks.map(({ imageTypeRole }) => imageTypeRole)).toEqual([undefined, 'LOCALIZER']);
  });

  test('an image without an echo number joins the only echo', () => {
    expect(build([createStackImage(0, { placement: { echoNumber: 1 } }), createStackImage(1)]).stacks).toHaveLength(1);
  });

  test('planes that rotate around an axis are one stack, by instance number and without positions', () => {
    // 18 planes in steps of 10 degrees; their instance numbers run backwards.
    const files = Array.from({ length: 18 }, (_, index) => {
      const angle = (index * 10 * Math.PI) / 180;
      const orientation = [Math.cos(angle), Math.sin(angle), 0, 0, 0, -1];
      return createStackImage(index, { instanceNumber: String(18 - index), placement: { orientation } });
    });
    const stack = buildOne(files);
    expect(orderOf(stack)).toEqual(Array.from({ length: 18 }, (_, at) => 17 - at));
    expect(codesOf(stack)).toEqual(['inconsistent_orientation']);
    expect(stack.warnings[0]?.fileIndices).toHaveLength(18);
    expect(stack.frames.positionsMm[0]).toBeNaN();
  });

  test('multi-frame files, segmentations and doses have their own stacks', () => {
    const files = [
      createStackImage(0),
      createStackImage(1, { frameCount: 3 }),
      createStackImage(2, { objectKind: 'segmentation' }),
      createStackImage(3, { objectKind: 'radiation_therapy', sopClassUid: '1.2.840.10008.5.1.4.1.1.481.2' }),
      createStackImage(4, { objectKind: 'parametric_map' }),
      createStackImage(5),
    ];
    expect(build(files).stacks.map(orderOf)).toEqual([[0, 5], [1, 1, 1], [2], [3], [4]]);
  });

  test('only images that have both UIDs and pixels are in a stack', () => {
    expect(isStackable(createStackImage(0))).toBe(true);
    expect(isStackable(createStackImage(0, { studyInstanceUid: '' }))).toBe(false);
    expect(isStackable(createStackImage(0, { seriesInstanceUid: '' }))).toBe(false);
    expect(isStackable(createStackImage(0, { hasPixels: false }))).toBe(false);
    expect(isStackable(createStackImage(0, { objectKind: 'structured_report' }))).toBe(false);
  });
});

describe('ids', () => {
  test('a stack keeps its id while the scan finds more of its images', () => {
    const files = atHeights(3, 1, 2, 0);
    expect(build(files.slice(0, 2)).stacks[0]?.id).toBe(build(files).stacks[0]?.id);
  });

  test('two copies of one file have different ids', () => {
    const files = [0, 1].map((index) => createStackImage(index, { frameCount: 2, sopInstanceUid: '1.2.826.5' }));
    expect(build(files).stacks.map(({ id }) => id)).toEqual(['1.2/1.2.3/1.2.826.5', '1.2/1.2.3/1.2.826.5/2']);
  });
});

describe('warnings', () => {
  test('there is none for a regular stack, or for jitter of a hundredth of a millimetre or of a percent', () => {
    expect(buildOne(atHeights(0, 0.5, 1, 1.509, 2)).warnings).toEqual([]);
    // 1 % of 5 mm is 0.05 mm.
    expect(buildOne(atHeights(0, 5, 10.04, 15, 20)).warnings).toEqual([]);
  });

  test('there is none for a single image', () => {
    expect(buildOne(atHeights(4)).warnings).toEqual([]);
  });

  test('a gap that has room for two slices means two missing images and irregular spacing', () => {
    const stack = buildOne(ofThickness([0, 2.5], [2.5, 2.5], [5, 2.5], [12.5, 2.5], [15, 2.5]));
    expect(codesOf(stack)).toEqual(['missing_positions', 'nonuniform_spacing']);
    expect(stack.warnings.map(({ fileIndices }) => fileIndices)).toEqual([
      [2, 3],
      [2, 3],
    ]);
    expect(stack.warnings[0]?.message).toBe(
      '2 images may be missing between 5 and 12.5 mm: a gap of 7.5 mm where 2.5 mm is usual',
    );
  });

  test('a gap of three steps is irregular spacing only, if neither thickness nor distance nor number says more', () => {
    expect(codesOf(buildOne(atHeights(0, 2.5, 5, 12.5, 15)))).toEqual(['nonuniform_spacing']);
  });

  test('slices that are thicker where they are farther apart are not missing', () => {
    const stack = buildOne(ofThickness([0, 2.5], [2.5, 2.5], [5, 2.5], [7.5, 2.5], [12.5, 5], [17.5, 5]));
    expect(codesOf(stack)).toEqual(['nonuniform_spacing']);
  });

  test('numbers that are left out mean missing images', () => {
    const files = [1, 2, 4, 5].map((number, index) =>
      createStackImage(index, { instanceNumber: String(number), placement: { position: [0, 0, -3 * number] } }),
    );
    const [warning] = buildOne(files).warnings;
    expect(warning).toMatchObject({
      code: 'missing_positions',
      message: '1 image may be missing between -12 and -6 mm: a gap of 6 mm where 3 mm is usual',
    });
  });

  test('a gap that is not a multiple of the spacing means irregular spacing, without missing images', () => {
    const stack = buildOne(atHeights(0, 2.5, 5, 8.5, 11));
    expect(codesOf(stack)).toEqual(['nonuniform_spacing']);
    expect(stack.warnings[0]?.fileIndices).toEqual([2, 3]);
    expect(stack.warnings[0]?.message).toBe(
      'the distance from one image to the next is 2.5 mm in 3 of 4 places, but 3.5 mm in one place',
    );
  });

  test('if no distance is that of most places, none is called usual', () => {
    // 1, 2, 3 and 4 mm.
    const [warning] = buildOne(atHeights(0, 1, 3, 6, 10)).warnings;
    expect(warning?.message).toBe('the distance from one image to the next varies from 1 to 4 mm');
  });

  test('images without a position among others that have one are reported, and are sorted last', () => {
    const [, ...placed] = atHeights(0, 9, 8, 7);
    const stack = buildOne([createStackImage(0, { placement: { position: undefined } }), ...placed]);
    expect(codesOf(stack)).toEqual(['missing_positions']);
    expect(stack.warnings[0]?.fileIndices).toEqual([0]);
    expect(orderOf(stack)).toEqual([3, 2, 1, 0]);
  });

  test('images at one position are duplicates and all of them are named; the spacing is that of the positions', () => {
    const stack = buildOne(atHeights(0, 1, 1, 2, 1, 3));
    expect(codesOf(stack)).toEqual(['duplicate_positions']);
    expect(stack.warnings[0]).toMatchObject({
      fileIndices: [1, 2, 4],
      message: '3 images have the position of another one',
    });
  });

  test('images at one position with different times are not duplicates', () => {
    const files = [0, 0, 1, 1].map((z, index) =>
      createStackImage(index, { placement: { position: [0, 0, z], time: index % 2 } }),
    );
    expect(buildOne(files).warnings).toEqual([]);
  });

  test('positions at an angle to the normal mean a tilted gantry', () => {
    // The plane is tilted by 20 degrees; the table moves along z only.
    const lean = (20 * Math.PI) / 180;
    const orientation = [1, 0, 0, 0, Math.cos(lean), -Math.sin(lean)];
    const files = [0, 1, 2, 3].map((step) =>
      createStackImage(step, { placement: { orientation, position: [0, 0, step * 3] } }),
    );
    const stack = buildOne(files);
    expect(codesOf(stack)).toEqual(['gantry_tilt']);
    expect(stack.warnings[0]?.message).toContain('20 degrees');
    // The distance along the normal is 3 mm * cos 20°.
    expect(stack.frames.positionsMm[1]).toBeCloseTo(3 * Math.cos(lean), 9);
  });

  test('an orientation that differs by more than a thousandth is reported, a rounded one is not', () => {
    expect(buildOne(withTurned(0.05)).warnings).toEqual([]); // sin 0.05° = 0.0009
    expect(buildOne(withTurned(1)).warnings).toMatchObject([{ code: 'inconsistent_orientation', fileIndices: [2] }]);
  });

  test('there is no spacing warning if all images are at one position', () => {
    expect(codesOf(buildOne(atHeights(1, 1)))).toEqual(['duplicate_positions']);
  });
});

describe('concatenations', () => {
  test('parts are one stack in the order of their frames', () => {
    const stack = buildOne([createPart(0, 3, 3), createPart(1, 1, 3), createPart(2, 2, 3)]);
    expect(stack).toMatchObject({
      id: '1.2/1.2.3/1.2.9',
      kind: 'concatenation',
      concatenationUid: '1.2.9',
      warnings: [],
    });
    expect(orderOf(stack)).toEqual([1, 1, 1, 2, 2, 0, 0]);
    expect(Array.from(stack.frames.frameIndices)).toEqual([0, 1, 2, 0, 1, 0, 1]);
  });

  test('a missing part is named by its number', () => {
    const stack = buildOne([createPart(4, 1, 3), createPart(5, 2, 3)]);
    expect(stack.warnings).toEqual([
      { code: 'incomplete_concatenation', message: 'of 3 parts, these are missing: 3', fileIndices: [4, 5] },
    ]);
  });

  test('if the total is unknown, missing frames are found by their offsets', () => {
    const offsetOnly = [createPart(0, 1), createPart(1, 3)].map(({ index, frameCount, placement }) =>
      createStackImage(index, {
        frameCount,
        placement: { concatenation: { ...placement!.concatenation!, number: undefined } },
      }),
    );
    expect(buildOne(offsetOnly).warnings).toMatchObject([
      { code: 'incomplete_concatenation', message: 'frames 4 to 5 of the concatenation are missing' },
    ]);
    expect(buildOne([createPart(0, 1), createPart(1, 2)]).warnings).toEqual([]);
  });
});

/** Three perpendicular unit vectors; the third is the cross product of the first two. */
function rotation(a: number, b: number, c: number): [number[], number[], number[]] {
  const [ca, sa, cb, sb, cc, sc] = [Math.cos(a), Math.sin(a), Math.cos(b), Math.sin(b), Math.cos(c), Math.sin(c)];
  return [
    [ca * cb, sa * cb, -sb],
    [ca * sb * sc - sa * cc, sa * sb * sc + ca * cc, cb * sc],
    [ca * sb * cc + sa * sc, sa * sb * cc - ca * sc, cb * cc],
  ];
}

/** Three axial images, the last one rotated in its plane. */
function withTurned(degrees: number): DicomFile[] {
  const angle = (degrees * Math.PI) / 180;
  const orientation = [Math.cos(angle), Math.sin(angle), 0, -Math.sin(angle), Math.cos(angle), 0];
  return [...atHeights(0, 1), createStackImage(2, { placement: { orientation } })];
}

/** Parts of an object of 7 frames: 3, 2 and 2. */
function createPart(index: number, number: number, total?: number): DicomFile {
  const frameOffset = [0, 3, 5][number - 1]!;
  const concatenation = { uid: '1.2.9', number, total, frameOffset };
  return createStackImage(index, { frameCount: [3, 2, 2][number - 1]!, placement: { concatenation } });
}
