import { expect, test } from 'vitest';
import type { PresentationResponse } from '../../../shared/contract/presentation.ts';
import { findArea, prepareKnown } from './presentations.ts';

const AREA = {
  mode: 'scale_to_fit',
  corners: [0, 0, 1, 1],
  spacing_mm: null,
  pixel_aspect_ratio: null,
  magnification: null,
} as const;

const STATE = {
  kind: 'grayscale',
  label: null,
  description: null,
  creator: null,
  date: null,
  time: null,
  modality: null,
  vois: [],
  presentation_lut: 'identity',
  has_palette: false,
  areas: [],
  rotation: 0,
  flip_horizontal: false,
  shutters: [],
  shutter_color: null,
  layers: [],
  overlays: [],
  graphics: [],
  left_out: 0,
  blending: null,
} satisfies PresentationResponse['state'];

function response(more: Partial<PresentationResponse>): PresentationResponse {
  return {
    file_index: 0,
    sop_instance_uid: '2.25.1',
    state: null,
    key_objects: null,
    images: [],
    missing: [],
    missing_count: 0,
    warnings: [],
    ...more,
  };
}

function prepare(answer: PresentationResponse) {
  const work = prepareKnown(answer);
  for (let pauses = 0; ; pauses += 1) {
    const step = work.next();
    if (step.done === true) return { known: step.value, pauses };
  }
}

test('8,192 images are prepared in slices of 128 at most, and so is every other list', () => {
  const images = Array.from({ length: 8192 }, (_, at) => ({ file_index: at, frame_indices: null }));
  const areas = [{ ...AREA, corners: [...AREA.corners], applies_to: images.slice(4096) }];
  const { known, pauses } = prepare(response({ images, state: { ...STATE, areas } }));
  expect(pauses).toBe((8192 + 4096) / 128);
  expect([known.names(8191, 3), known.names(8192, 0)]).toEqual([true, false]);
  expect([findArea(known, 4095, 0), findArea(known, 4096, 0)?.mode]).toEqual([undefined, 'scale_to_fit']);
});

test('frames are found in long lists', () => {
  const frames = Array.from({ length: 60_000 }, (_, at) => 3 * at);
  const { known } = prepare(response({ images: [{ file_index: 7, frame_indices: frames }] }));
  expect([0, 1, 3, 179_997, 179_998].map((frame) => known.names(7, frame))).toEqual([true, false, true, true, false]);
});

test('a blending state is for its underlying images only', () => {
  const input = {
    number: null,
    series_instance_uid: null,
    missing_count: 0,
    opacity: 0.5,
    modality: null,
    windows: [],
    has_palette: false,
    scale: null,
    ranges: null,
  };
  const inputs = [
    { ...input, position: 'SUPERIMPOSED', images: [{ file_index: 2, frame_indices: null }] },
    { ...input, position: 'UNDERLYING', images: [{ file_index: 1, frame_indices: null }] },
  ];
  const { known } = prepare(
    response({
      images: inputs.flatMap(({ images }) => images),
      state: {
        ...STATE,
        kind: 'blending',
        blending: { mode: null, steps: [], inputs, registration: null, reason: null },
      },
    }),
  );
  expect([known.names(1, 0), known.names(2, 0)]).toEqual([true, false]);
});
