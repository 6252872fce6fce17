import { rm } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { ViewerError } from '../../src/shared/contract/errors.ts';
import { writeDicom } from '../../src/server/standard/dicom/writeDicom.ts';
import { createImagePlanes } from '../../src/server/over/layers/imagePlanes.ts';
import { createRegistrations } from '../../src/server/over/layers/registrations.ts';
import { createMemoryAccount } from '../../src/server/machine/memory/memoryAccount.ts';
import type { TaskRunner } from '../../src/server/machine/workers/task.ts';
import { borrowThreads } from '../support/borrowThreads.ts';
import { enhancedElements } from '../support/enhancedElements.ts';
import { FRAME_OF_REFERENCE } from '../support/placedElements.ts';
import { motion, registrationElements } from '../support/registrationElements.ts';
import { serve } from '../support/serve.ts';
import { NOBODY } from '../support/nobody.ts';

function countTasks() {
  const memory = createMemoryAccount();
  const pool = borrowThreads(memory);
  const ran: string[] = [];
  const tasks: TaskRunner = {
    run(task, input, options) {
      ran.push(task.name);
      return pool.run(task, input, options);
    },
  };
  return { memory, tasks, ran };
}

function writeRegistration(uid: string): Uint8Array {
  const items = [{ from: '2.25.511', matrices: [motion(0, [1, 0, 0])] }];
  return writeDicom(registrationElements({ uid, into: FRAME_OF_REFERENCE, items }));
}

/** Two frames, 2 mm apart. */
function writeEnhanced(SOPInstanceUID: string): Uint8Array {
  const SharedFunctionalGroupsSequence = [
    {
      PlaneOrientationSequence: [{ ImageOrientationPatient: [1, 0, 0, 0, 1, 0] }],
      PixelMeasuresSequence: [{ PixelSpacing: [1, 1] }],
    },
  ];
  const frames = [{ position: [0, 0, 0] }, { position: [0, 0, 2] }];
  return writeDicom(enhancedElements(frames, { SOPInstanceUID, SharedFunctionalGroupsSequence }));
}

test('registrations are read once for all layers, also those that are gone', async () => {
  const { catalog } = await serve(writeRegistration('2.25.1'), writeRegistration('2.25.2'));
  await rm(catalog.get(1).path);
  const { tasks, ran } = countTasks();
  const registrations = createRegistrations(catalog, tasks);

  const first = await registrations.load(NOBODY);
  expect(first.listReachable('2.25.511')).toEqual([FRAME_OF_REFERENCE]);
  expect(ran).toHaveLength(2);
  expect(await registrations.load(NOBODY)).toBe(first);
  expect(ran).toHaveLength(2);
});

test('where the frames of images lie is read once for all layers, also of those that are gone', async () => {
  const { catalog } = await serve(writeEnhanced('2.25.1'), writeEnhanced('2.25.2'));
  await rm(catalog.get(1).path);
  const { tasks, memory, ran } = countTasks();
  const planes = createImagePlanes({ tasks, memory });

  const listed = await planes.listPlanes(catalog.files, NOBODY);
  expect(listed.placed.map(({ file, frame, plane }) => [file.index, frame, plane.position[2]])).toEqual([
    [0, 0, 0],
    [0, 1, 2],
  ]);
  expect(listed).toMatchObject({ isFinal: true, warnings: [] });
  expect(await planes.listPlanes(catalog.files, NOBODY)).toEqual(listed);
  expect((await planes.findPlane({ file: catalog.get(0), frame: 1 }, NOBODY))?.plane).toEqual(listed.placed[1]?.plane);
  expect(ran).toHaveLength(2);
});

test('the planes of the same images are listed once for all layers, and again when there are more images', async () => {
  const { catalog } = await serve(writeEnhanced('2.25.1'), writeEnhanced('2.25.2'));
  const { tasks, memory, ran } = countTasks();
  const planes = createImagePlanes({ tasks, memory });
  const first = await planes.listPlanes(catalog.files.slice(0, 1), NOBODY, 'space 1');
  expect(await planes.listPlanes(catalog.files.slice(0, 1), NOBODY, 'space 1')).toBe(first);
  const both = await planes.listPlanes(catalog.files, NOBODY, 'space 2');
  expect([first, both].map(({ placed }) => placed.length)).toEqual([2, 4]);
  expect(ran).toHaveLength(2);
  // Without a key nothing is kept of the list, but the files are not read again.
  expect(await planes.listPlanes(catalog.files, NOBODY)).not.toBe(both);
  expect(ran).toHaveLength(2);
});

test('a file that another machine does not send at present is not taken for one that is gone', async () => {
  const SharedFunctionalGroupsSequence = [
    {
      PlaneOrientationSequence: [{ ImageOrientationPatient: [1, 0, 0, 0, 1, 0] }],
      PixelMeasuresSequence: [{ PixelSpacing: [1, 1] }],
    },
  ];
  const frames = [{ position: [0, 0, 0] }, { position: [0, 0, 2] }];
  const image = writeDicom(enhancedElements(frames, { SOPInstanceUID: '2.25.1', SharedFunctionalGroupsSequence }));
  const { catalog } = await serve(writeRegistration('2.25.2'), image);
  const { tasks: answering, memory } = countTasks();
  let isAway = true;
  const tasks: TaskRunner = {
    run(task, input, options) {
      if (isAway) return Promise.reject(new ViewerError('origin_timeout', 'the machine does not answer'));
      return answering.run(task, input, options);
    },
  };
  const registrations = createRegistrations(catalog, tasks);
  const planes = createImagePlanes({ tasks, memory });

  await expect(registrations.load(NOBODY)).rejects.toMatchObject({ code: 'origin_timeout' });
  await expect(planes.listPlanes([catalog.get(1)], NOBODY)).rejects.toMatchObject({ code: 'origin_timeout' });
  isAway = false;

  expect((await registrations.load(NOBODY)).listReachable('2.25.511')).toEqual([FRAME_OF_REFERENCE]);
  expect((await planes.listPlanes([catalog.get(1)], NOBODY)).placed).toHaveLength(2);
});
