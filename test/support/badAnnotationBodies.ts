/** The request body, and the expected status, error code and part of the message. */
export type BadBody = [body: string | Buffer<ArrayBuffer>, status: number, code: string, part: string];

/** For an image of 100 rows, 200 columns and 3 frames. Each rule is broken, at both ends where it is a range. */
export function badAnnotationBodies(): BadBody[] {
  const box = [0, 0, 1, 1];
  const deep = `${'['.repeat(40)}${']'.repeat(40)}`;
  return [
    [JSON.stringify({ num_roi: 0, roi_coords: [box] }), 400, 'invalid_annotation', 'num_roi is 0'],
    [JSON.stringify({ num_roi: 2, roi_coords: [box] }), 400, 'invalid_annotation', 'num_roi is 2'],
    [JSON.stringify({ num_roi: -1, roi_coords: [] }), 400, 'invalid_annotation', 'num_roi is -1'],
    [JSON.stringify({ num_roi: 1.5, roi_coords: [box] }), 400, 'invalid_annotation', 'num_roi is 1.5'],
    [JSON.stringify({ num_roi: 1, roi_coords: [[-1, 0, 1, 1]] }), 400, 'invalid_annotation', 'ROI 0: ymin -1'],
    [JSON.stringify({ num_roi: 1, roi_coords: [[0, -1, 1, 1]] }), 400, 'invalid_annotation', 'ROI 0: xmin -1'],
    [JSON.stringify({ num_roi: 2, roi_coords: [box, [0, 0, 101, 1]] }), 400, 'invalid_annotation', 'ROI 1: ymax 101'],
    [JSON.stringify({ num_roi: 1, roi_coords: [[0, 0, 1, 201]] }), 400, 'invalid_annotation', 'ROI 0: xmax 201'],
    [JSON.stringify({ num_roi: 1, roi_coords: [[1, 0, 1, 1]] }), 400, 'invalid_annotation', 'ROI 0: ymax 1'],
    [JSON.stringify({ num_roi: 1, roi_coords: [[0, 2, 1, 1]] }), 400, 'invalid_annotation', 'ROI 0: xmax 1'],
    [
      JSON.stringify({ num_roi: 1, roi_coords: [[0.5, 0, 1, 1]] }),
      400,
      'invalid_annotation',
      'ymin 0.5 is not an integer',
    ],
    ['{"num_roi":1,"roi_coords":[[0,0,1,1e400]]}', 400, 'invalid_annotation', 'xmax Infinity'],
    ['{"num_roi":1,"roi_coords":[[0,0,1,9007199254740993]]}', 400, 'invalid_annotation', 'xmax'],
    [
      JSON.stringify({ num_roi: 1, roi_coords: [box], roi_frames: [[3]] }),
      400,
      'invalid_annotation',
      'ROI 0: frame 3 is outside 0 to 2',
    ],
    [
      JSON.stringify({ num_roi: 1, roi_coords: [box], roi_frames: [[-1]] }),
      400,
      'invalid_annotation',
      'ROI 0: frame -1',
    ],
    [
      JSON.stringify({ num_roi: 1, roi_coords: [box], roi_frames: [[0.1]] }),
      400,
      'invalid_annotation',
      'ROI 0: frame 0.1',
    ],
    [
      JSON.stringify({ num_roi: 1, roi_coords: [box], roi_frames: [[], []] }),
      400,
      'invalid_annotation',
      '2 lists for 1 box',
    ],
    [
      JSON.stringify({ num_roi: 2, roi_coords: [box, box], roi_frames: [[0]] }),
      400,
      'invalid_annotation',
      '1 list for 2 boxes',
    ],
    // Wrong shape.
    ['null', 422, 'invalid_json', ''],
    ['[]', 422, 'invalid_json', ''],
    ['"text"', 422, 'invalid_json', ''],
    ['{}', 422, 'invalid_json', 'num_roi'],
    [JSON.stringify({ roi_coords: [] }), 422, 'invalid_json', 'num_roi'],
    [JSON.stringify({ num_roi: 0 }), 422, 'invalid_json', 'roi_coords'],
    [JSON.stringify({ num_roi: '1', roi_coords: [box] }), 422, 'invalid_json', 'num_roi'],
    [JSON.stringify({ num_roi: 1, roi_coords: [[0, 0, 1]] }), 422, 'invalid_json', 'ROI 0'],
    [JSON.stringify({ num_roi: 2, roi_coords: [box, [0, 0, 1, 1, 1]] }), 422, 'invalid_json', 'ROI 1'],
    [JSON.stringify({ num_roi: 1, roi_coords: [[0, 0, '1', 1]] }), 422, 'invalid_json', 'ROI 0'],
    [JSON.stringify({ num_roi: 1, roi_coords: [box], roi_frames: {} }), 422, 'invalid_json', 'roi_frames'],
    [JSON.stringify({ num_roi: 1, roi_coords: [box], roi_frames: [0] }), 422, 'invalid_json', 'ROI 0'],
    [JSON.stringify({ num_roi: 1, roi_coords: [box], roi_frame: [[0]] }), 422, 'invalid_json', 'roi_frame'],
    ['{"num_roi":0,"roi_coords":[],"__proto__":{"num_roi":1}}', 422, 'invalid_json', ''],
    // Not JSON.
    ['', 422, 'invalid_json', ''],
    ['{"num_roi":0,"roi_coords":[]', 422, 'invalid_json', ''],
    ['{"num_roi":NaN,"roi_coords":[]}', 422, 'invalid_json', ''],
    [`{"num_roi":0,"roi_coords":${deep}}`, 422, 'invalid_json', ''],
    [Buffer.from([0x22, 0xff, 0x22]), 422, 'invalid_json', ''],
    // Over 2 MiB.
    [`${' '.repeat(2 * 2 ** 20)}{"num_roi":0,"roi_coords":[]}`, 413, 'payload_too_large', ''],
  ];
}
