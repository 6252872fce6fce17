import { describe, expect, test } from 'vitest';
import { writeDicom } from '../../src/server/standard/dicom/writeDicom.ts';
import type { LayerResponse, LayersResponse } from '../../src/shared/contract/layerAnswers.ts';
import { AXIAL, placedImage } from '../support/placedElements.ts';
import { writeSegmentation, writeSlices } from '../support/segmentedSlices.ts';
import { serve } from '../support/serve.ts';
import { fetchMasks } from '../support/sourceMasks.ts';

const PATCH = { segment: 1, top: 2, left: 3, rows: 4, columns: 5 };

async function serveSegmentedSlices() {
  const elsewhere = placedImage(
    { uid: '2.25.900', rows: 8, columns: 8, plane: AXIAL },
    { FrameOfReferenceUID: '2.25.901', SeriesInstanceUID: '2.25.902' },
  );
  const patches = [
    { ...PATCH, slice: 1 },
    { ...PATCH, slice: 2 },
  ];
  return serve(
    ...writeSlices(4),
    writeSegmentation({ patches, uid: '2.25.80', name: 'Lesions' }),
    writeDicom(elsewhere),
  );
}

describe('the layers over a frame', () => {
  test('are listed with how they get there, the frames that they touch, and the reason if they cannot lie there', async () => {
    const server = await serveSegmentedSlices();
    const listed = async (file: number) => {
      const { layers }: LayersResponse = await (await server.request(`/api/layers?file=${file}&frame=0`)).json();
      return layers;
    };

    expect(await listed(1)).toMatchObject([
      {
        layer: 4,
        kind: 'mask',
        title: 'Lesions',
        part_count: 1,
        placement: { status: 'direct', reason: '2 of 2 frames are over an open source image', matrix: null },
        touches_frame: true,
        frame_count: 2,
      },
    ]);
    expect(await listed(0)).toMatchObject([{ layer: 4, touches_frame: false, frame_count: 2 }]);
    expect(await listed(5)).toMatchObject([
      {
        layer: 4,
        placement: { status: 'unavailable', reason: expect.stringContaining('another frame of reference') },
        frame_count: 0,
      },
    ]);
  });

  test('have a number, by which parts and packets are requested', async () => {
    const server = await serveSegmentedSlices();

    const layer: LayerResponse = await (await server.request('/api/layer/4')).json();
    expect(layer).toMatchObject({ part_count: 1, unplaced: [], parts: [{ part: 1 }] });
    expect(layer.targets).toEqual([
      { file_index: 1, frame_indices: [0] },
      { file_index: 2, frame_indices: [0] },
    ]);
    const { layers } = await fetchMasks(server, { segmentation: 4, file: 1 });
    expect(layers.map(({ segment }) => segment)).toEqual([1]);
  });

  test.each([
    ['/api/layers?file=0', 400, 'invalid_query'],
    ['/api/layers?file=99&frame=0', 404, 'not_found'],
    ['/api/layers?file=0&frame=7', 404, 'frame_out_of_range'],
    ['/api/layer/99', 404, 'layer_not_found'],
    ['/api/layer/x', 400, 'invalid_path'],
    ['/api/layer/99/frame?file=0&frame=0', 404, 'layer_not_found'],
    ['/api/layer/4/frame?file=0', 400, 'invalid_query'],
    ['/api/layer/4/frame?file=0&frame=9', 404, 'frame_out_of_range'],
    ['/api/layer/4/frame?file=0&frame=0&parts=one', 400, 'invalid_query'],
  ])('%s is refused with %i %s', async (path, status, code) => {
    const server = await serveSegmentedSlices();
    const response = await server.request(path);
    expect([response.status, await response.json()]).toMatchObject([status, { code }]);
  });
});
