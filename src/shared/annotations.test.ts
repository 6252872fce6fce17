import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { checkAnnotation, type ImageBounds } from './annotations.ts';
import type { AnnotationPayload, RoiBox } from './contract/annotations.ts';

const IMAGE: ImageBounds = { rows: 10, columns: 20, frameCount: 3 };

describe('a valid payload', () => {
  test('may touch all four edges of the image', () => {
    expect(accept({ num_roi: 1, roi_coords: [[0, 0, 10, 20]], roi_frames: [] }).roi_coords).toEqual([[0, 0, 10, 20]]);
  });

  test('may be one pixel in the last row and column', () => {
    expect(accept({ num_roi: 1, roi_coords: [[9, 19, 10, 20]] }).roi_coords).toEqual([[9, 19, 10, 20]]);
  });

  test('may have no ROI, also on an object without pixels', () => {
    const checked = checkAnnotation(
      { num_roi: 0, roi_coords: [], roi_frames: [] },
      { rows: 0, columns: 0, frameCount: 0 },
    );
    expect(checked).toEqual({ ok: true, payload: { num_roi: 0, roi_coords: [], roi_frames: [] } });
  });

  test('keeps its boxes in the given order, including equal ones', () => {
    const boxes: RoiBox[] = [
      [5, 5, 6, 6],
      [0, 0, 1, 1],
      [5, 5, 6, 6],
    ];
    expect(accept({ num_roi: 3, roi_coords: boxes }).roi_coords).toEqual(boxes);
  });

  test.each([
    ['without frame lists', undefined, []],
    ['with no frame list', [], []],
    ['with empty frame lists only', [[], []], []],
    ['with one list, and one box on all frames', [[2, 0], []], [[0, 2], []]],
    [
      'with repeated frames',
      [
        [2, 0, 2, 0],
        [1, 1],
      ],
      [[0, 2], [1]],
    ],
    [
      'with every frame listed',
      [
        [0, 1, 2],
        [2, 1, 0, 1],
      ],
      [],
    ],
    ['with every frame listed for one of the boxes', [[0, 1, 2], [1]], [[], [1]]],
  ])('%s has canonical frames', (_, given, canonical) => {
    const roi_coords = [
      [0, 0, 1, 1],
      [0, 0, 2, 2],
    ];
    const payload = given === undefined ? { num_roi: 2, roi_coords } : { num_roi: 2, roi_coords, roi_frames: given };
    expect(accept(payload).roi_frames).toEqual(canonical);
  });

  test('for an image with one frame has no frame list, because that frame is all frames', () => {
    const payload = { num_roi: 1, roi_coords: [[0, 0, 1, 1]], roi_frames: [[0]] };
    expect(checkAnnotation(payload, { ...IMAGE, frameCount: 1 })).toMatchObject({ payload: { roi_frames: [] } });
  });

  test('has 0 instead of -0', () => {
    const payload = accept(JSON.parse('{"num_roi":1,"roi_coords":[[-0,-0,1,1]],"roi_frames":[[-0,0]]}'));
    expect(payload).toStrictEqual({ num_roi: 1, roi_coords: [[0, 0, 1, 1]], roi_frames: [[0]] });
  });
});

describe('the message names the ROI, the value and the bound', () => {
  test.each([
    [{ num_roi: 3, roi_coords: [[0, 0, 1, 1]] }, 'num_roi is 3, but roi_coords has 1 box'],
    [{ num_roi: 0.5, roi_coords: [] }, 'num_roi is 0.5, but roi_coords has 0 boxes'],
    [second([-1, 0, 1, 1]), 'ROI 1: ymin -1 is less than 0'],
    [second([0, -2, 1, 1]), 'ROI 1: xmin -2 is less than 0'],
    [second([0, 0, 11, 1]), 'ROI 1: ymax 11 is greater than 10, the number of rows'],
    [second([0, 0, 1, 21]), 'ROI 1: xmax 21 is greater than 20, the number of columns'],
    [second([4, 0, 4, 1]), 'ROI 1: ymax 4 is not greater than ymin 4'],
    [second([0, 7, 1, 3]), 'ROI 1: xmax 3 is not greater than xmin 7'],
    [second([0.5, 0, 1, 1]), 'ROI 1: ymin 0.5 is not an integer'],
    [second([0, 0, 1, 1.5]), 'ROI 1: xmax 1.5 is not an integer'],
    [second([0, 0, 1e308, 1]), 'ROI 1: ymax 1e+308 is greater than 10, the number of rows'],
    [second([0, 0, 2 ** 53 + 2, 1]), 'ROI 1: ymax 9007199254740994 is greater than 10, the number of rows'],
    [second([0, 0, Infinity, 1]), 'ROI 1: ymax Infinity is not an integer'],
    [second([NaN, 0, 1, 1]), 'ROI 1: ymin NaN is not an integer'],
    [{ num_roi: 1, roi_coords: [[0, 0, 1, 1]], roi_frames: [[3]] }, 'ROI 0: frame 3 is outside 0 to 2'],
    [{ num_roi: 1, roi_coords: [[0, 0, 1, 1]], roi_frames: [[0, -1]] }, 'ROI 0: frame -1 is outside 0 to 2'],
    [{ num_roi: 1, roi_coords: [[0, 0, 1, 1]], roi_frames: [[1.5]] }, 'ROI 0: frame 1.5 is not an integer'],
    [{ num_roi: 1, roi_coords: [[0, 0, 1, 1]], roi_frames: [[], []] }, 'roi_frames has 2 lists for 1 box'],
    [{ num_roi: 0, roi_coords: [], roi_frames: [[]] }, 'roi_frames has 1 list for 0 boxes'],
  ])('%j', (payload, message) => {
    expect(checkAnnotation(payload, IMAGE)).toMatchObject({ ok: false, problem: { kind: 'value', message } });
  });

  test('of an object without frames', () => {
    const payload = { num_roi: 1, roi_coords: [[0, 0, 1, 1]], roi_frames: [[0]] };
    const checked = checkAnnotation(payload, { rows: 1, columns: 1, frameCount: 0 });
    expect(checked).toMatchObject({ problem: { message: 'ROI 0: frame 0: the file has no frames' } });
  });
});

describe('a body that is not a payload has another error than an invalid payload', () => {
  const box = [0, 0, 1, 1];
  test.each([
    [null],
    [[]],
    ['payload'],
    [7],
    [{}],
    [{ num_roi: 0 }],
    [{ roi_coords: [] }],
    [{ num_roi: '1', roi_coords: [box] }],
    [{ num_roi: null, roi_coords: [] }],
    [{ num_roi: 1, roi_coords: {} }],
    [{ num_roi: 1, roi_coords: [[0, 0, 1]] }],
    [{ num_roi: 1, roi_coords: [[0, 0, 1, 1, 1]] }],
    [{ num_roi: 1, roi_coords: [[0, 0, 1, '1']] }],
    [{ num_roi: 1, roi_coords: [[0, 0, 1, null]] }],
    [{ num_roi: 1, roi_coords: [{ 0: 0, 1: 0, 2: 1, 3: 1, length: 4 }] }],
    [{ num_roi: 4, roi_coords: box }],
    [{ num_roi: 1, roi_coords: [box], roi_frames: null }],
    [{ num_roi: 1, roi_coords: [box], roi_frames: {} }],
    [{ num_roi: 1, roi_coords: [box], roi_frames: [0] }],
    [{ num_roi: 1, roi_coords: [box], roi_frames: [['0']] }],
    [{ num_roi: 1, roi_coords: [box], roi_frame: [[0]] }],
    // A value that is not a payload is reported as such, even if it also breaks rules.
    [{ num_roi: 9, roi_coords: [[-1, 0, 1, 1], 'box'] }],
  ])('%j', (value) => {
    expect(checkAnnotation(value, IMAGE)).toMatchObject({ ok: false, problem: { kind: 'shape' } });
  });
});

test('any input gives either a problem or a canonical payload', () => {
  fc.assert(
    fc.property(fc.oneof(fc.anything(), nearPayload()), (value) => {
      const checked = checkAnnotation(value, IMAGE);
      if (!checked.ok) return;
      const { num_roi, roi_coords, roi_frames } = checked.payload;
      expect(checkAnnotation(checked.payload, IMAGE)).toStrictEqual(checked);
      expect(roi_coords).toHaveLength(num_roi);
      expect([0, num_roi]).toContain(roi_frames.length);
      for (const [ymin, xmin, ymax, xmax] of roi_coords) {
        expect(0 <= ymin && ymin < ymax && ymax <= 10 && 0 <= xmin && xmin < xmax && xmax <= 20).toBe(true);
      }
    }),
    { numRuns: 3_000 },
  );
});

/** A payload in which ROI 1 is this box. */
function second(box: number[]) {
  return { num_roi: 2, roi_coords: [[0, 0, 1, 1], box], roi_frames: [] };
}

function accept(value: unknown): AnnotationPayload {
  const checked = checkAnnotation(value, IMAGE);
  if (!checked.ok) throw new Error(checked.problem.message);
  return checked.payload;
}

/** Payloads of which about half are valid. */
function nearPayload() {
  const number = fc.oneof({ weight: 20, arbitrary: fc.integer({ min: 0, max: 10 }) }, fc.double(), fc.constant('1'));
  const box = fc.oneof(
    fc.tuple(fc.nat(4), fc.nat(9), fc.integer({ min: 5, max: 10 }), fc.integer({ min: 10, max: 20 })),
    fc.tuple(number, number, number, number),
  );
  return fc.array(box, { maxLength: 4 }).chain((roi_coords) =>
    fc.record({
      num_roi: fc.constant(roi_coords.length),
      roi_coords: fc.constant(roi_coords),
      roi_frames: fc.array(fc.array(fc.integer({ min: 0, max: 2 })), { maxLength: roi_coords.length }),
    }),
  );
}
