import { expect, test } from 'vitest';
import type { LayersResponse } from '../../src/shared/contract/layerAnswers.ts';
import { writeDicom } from '../../src/server/standard/dicom/writeDicom.ts';
import { createImagePlanes } from '../../src/server/over/layers/imagePlanes.ts';
import { createRegistrations } from '../../src/server/over/layers/registrations.ts';
import { createMemoryAccount } from '../../src/server/machine/memory/memoryAccount.ts';
import type { TaskRunner } from '../../src/server/machine/workers/task.ts';
import { borrowThreads } from '../support/borrowThreads.ts';
import { enhancedElements } from '../support/enhancedElements.ts';
import { createFakeClock } from '../support/fakeClock.ts';
import { AXIAL, FRAME_OF_REFERENCE, placedImage } from '../support/placedElements.ts';
import { motion, registrationElements } from '../support/registrationElements.ts';
import { serve, serveWith } from '../support/serve.ts';
import { circle, structureSetElements } from '../support/structureSetElements.ts';
import { NOBODY } from '../support/nobody.ts';

/** Each file that is read takes three seconds. */
function createSlowTasks() {
  const clock = createFakeClock();
  const memory = createMemoryAccount();
  const pool = borrowThreads(memory);
  const ran: string[] = [];
  const results: Promise<unknown>[] = [];
  const tasks: TaskRunner = {
    run(task, input, options) {
      ran.push(task.name);
      const result = pool.run(task, input, options);
      results.push(result);
      clock.move(3000);
      return result;
    },
  };
  /** What was begun has ended, and is kept. */
  const settle = async () => {
    await Promise.allSettled(results);
    await new Promise((resolve) => setImmediate(resolve));
  };
  return { clock, memory, tasks, ran, settle };
}

test('registrations that take long are read over several answers, and nothing is placed before all are known', async () => {
  const written = Array.from({ length: 7 }, (_, at) =>
    writeDicom(
      registrationElements({
        uid: `2.25.${at + 1}`,
        into: FRAME_OF_REFERENCE,
        items: [{ from: `2.25.51${at}`, matrices: [motion(0, [1, 0, 0])] }],
      }),
    ),
  );
  const { catalog } = await serve(...written);
  const { clock, tasks, ran, settle } = createSlowTasks();
  const registrations = createRegistrations(catalog, tasks, clock);
  const busy = { code: 'decode_busy', message: expect.stringMatching(/^\d of 7 registrations are still being read/) };
  // Four are read at the same time. Then the five seconds are over.
  await expect(registrations.load(NOBODY)).rejects.toMatchObject(busy);
  await settle();
  expect(ran).toHaveLength(4);
  await expect(registrations.load(NOBODY)).rejects.toMatchObject(busy);
  await settle();
  expect(ran).toHaveLength(7);
  const graph = await registrations.load(NOBODY);
  expect(graph.listReachable(FRAME_OF_REFERENCE)).toHaveLength(7);
  // Each was read once.
  expect(ran).toHaveLength(7);
});

test('positions of images that take long are read over several answers, which say what is missing', async () => {
  const SharedFunctionalGroupsSequence = [
    {
      PlaneOrientationSequence: [{ ImageOrientationPatient: [1, 0, 0, 0, 1, 0] }],
      PixelMeasuresSequence: [{ PixelSpacing: [1, 1] }],
    },
  ];
  const frames = [{ position: [0, 0, 0] }, { position: [0, 0, 2] }];
  const written = Array.from({ length: 5 }, (_, at) =>
    writeDicom(enhancedElements(frames, { SOPInstanceUID: `2.25.${at + 1}`, SharedFunctionalGroupsSequence })),
  );
  const { catalog } = await serve(...written);
  const { clock, tasks, memory, ran, settle } = createSlowTasks();
  const planes = createImagePlanes({ tasks, memory, clock });
  const first = await planes.listPlanes(catalog.files, NOBODY);
  await settle();
  expect(first.isFinal).toBe(false);
  expect(first.warnings).toMatchObject([{ code: 'images_unread', message: expect.stringMatching(/try again$/) }]);
  expect(ran).toHaveLength(2);
  await planes.listPlanes(catalog.files, NOBODY);
  await settle();
  expect(ran).toHaveLength(4);
  const last = await planes.listPlanes(catalog.files, NOBODY);
  expect(last).toMatchObject({ isFinal: true, warnings: [] });
  expect(last.placed).toHaveLength(10);
  expect(ran).toHaveLength(5);
});

test('layers that are not read in time are listed with the reason, and with what they are in the next list', async () => {
  const clock = createFakeClock();
  // Time leaps once the layers are described: after the stack, the registrations and the limit of the list were asked for.
  let leaps = true;
  const leaping = {
    ...clock,
    after: (ms: number, call: () => void) => {
      // The limit for describing is the longest one.
      if (leaps && ms > 6000) queueMicrotask(() => clock.move(10_000));
      return clock.after(ms, call);
    },
  };
  const contour = { points: circle([8, 8, 0], 5) };
  const sets = Array.from({ length: 3 }, (_, at) =>
    writeDicom(
      structureSetElements([{ number: 1, name: 'ROI', contours: [contour] }], {
        SOPInstanceUID: `2.25.60${at}`,
        SeriesInstanceUID: `2.25.61${at}`,
      }),
    ),
  );
  const image = writeDicom(placedImage({ uid: '2.25.1', rows: 16, columns: 16, plane: AXIAL }));
  const server = await serveWith({ inputs: [image, ...sets], clock: leaping });
  const list = async () => {
    const response = await server.request('/api/layers?file=0&frame=0');
    const { layers }: LayersResponse = await response.json();
    return layers.map(({ placement }) => placement);
  };
  const reason = expect.stringMatching(/has not been read yet; try again$/);
  expect(await list()).toEqual(
    Array.from({ length: 3 }, () => expect.objectContaining({ status: 'unavailable', reason })),
  );
  leaps = false;
  expect((await list()).map(({ status }) => status)).toEqual(['direct', 'direct', 'direct']);
});
