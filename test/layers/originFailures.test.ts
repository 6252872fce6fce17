import { expect, test } from 'vitest';
import type { LayersResponse } from '../../src/shared/contract/layerAnswers.ts';
import { writeDicom } from '../../src/server/standard/dicom/writeDicom.ts';
import { type Fault, serveObjects } from '../support/objectServer.ts';
import { AXIAL, placedImage } from '../support/placedElements.ts';
import { motion, registrationElements } from '../support/registrationElements.ts';
import { writeSegmentation, writeSlices } from '../support/segmentedSlices.ts';
import { serveWith } from '../support/serve.ts';
import { createTempFolder, writeBelow } from '../support/tempFolder.ts';

const PATCH = { slice: 1, segment: 1, top: 2, left: 3, rows: 4, columns: 5 };

test('a layer that another machine does not send is listed with the reason, wherever it would lie, and lies there later', async () => {
  const folder = createTempFolder();
  for (const [at, bytes] of writeSlices(3).entries()) writeBelow(folder, `a/${at}.dcm`, bytes);
  // The images of another study, which a registration connects with the segmentation.
  const elsewhere = { FrameOfReferenceUID: '2.25.511', StudyInstanceUID: '2.25.903', SeriesInstanceUID: '2.25.902' };
  const other = placedImage({ uid: '2.25.900', rows: 8, columns: 8, plane: AXIAL }, elsewhere);
  writeBelow(folder, 'b/other.dcm', writeDicom(other));
  const patches = [PATCH];
  writeBelow(folder, 'c/segmentation.dcm', writeSegmentation({ patches, uid: '2.25.80', name: 'Lesions' }));
  const items = [{ from: '2.25.511', matrices: [motion(0, [0, 0, 0])] }];
  const registration = registrationElements({ uid: '2.25.81', into: '2.25.500', items });
  writeBelow(folder, 'd/registration.dcm', writeDicom(registration));
  let isAway = false;
  const fault: Fault = (request, response) => {
    if (!isAway || request.url?.includes('segmentation') !== true) return undefined;
    response.writeHead(500).end();
    return true;
  };
  const objects = await serveObjects(folder, { fault });
  const server = await serveWith({ inputs: ['s3://bucket/'], remote: { endpoint: objects.url, anonymous: true } });
  const list = async (file: number) => {
    const { layers }: LayersResponse = await (await server.request(`/api/layers?file=${file}&frame=0`)).json();
    return layers.map(({ layer, placement }) => ({ layer, placement }));
  };

  isAway = true;
  const failed = { layer: 4, placement: { status: 'unavailable', reason: 's3://bucket/ failed (500)' } };
  expect(await list(1)).toMatchObject([failed]);
  // The images of the first study lie over these by themselves.
  expect((await list(3)).filter(({ layer }) => layer === 4)).toMatchObject([failed]);

  isAway = false;
  expect(await list(1)).toMatchObject([{ layer: 4, placement: { status: 'direct' } }]);
});
