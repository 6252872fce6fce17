import { expect, test } from 'vitest';
import { createAnnotations } from '../../src/server/work/annotations/annotations.ts';
import { checkBodyApart } from '../../src/server/work/annotations/checkBody.ts';
import { type CheckBodyInput, checkBodyTask } from '../../src/server/work/annotations/annotationTasks.ts';
import { countRois } from '../../src/server/work/annotations/packedRois.ts';
import type { Task, TaskOptions, TaskRunner } from '../../src/server/machine/workers/task.ts';
import { createDeferred, createImage, createOpenFiles } from '../support/annotatedFiles.ts';

test('a short body is judged at once, a long one by a worker', async () => {
  const { annotations, started } = create();
  await annotations.replace(0, bodyOf(10));
  expect(started()).toBe(0);
  const { rois } = await annotations.replace(0, bodyOf(10_000));
  expect([started(), countRois(rois)]).toEqual([1, 10_000]);
});

test('errors of a long body are reported like those of a short one, and nothing is stored', async () => {
  const { annotations } = create();
  const { etag } = await annotations.replace(0, bodyOf(1));
  const broken = bodyOf(10_000, [0, 0, 101, 1]);
  await expect(annotations.replace(0, broken)).rejects.toMatchObject({
    code: 'invalid_annotation',
    message: 'ROI 9999: ymax 101 is greater than 100, the number of rows',
  });
  await expect(annotations.replace(0, broken.subarray(0, 100_000))).rejects.toMatchObject({ code: 'invalid_json' });
  expect((await annotations.read(0)).etag).toBe(etag);
});

test('If-Match is compared when the edit is made: a short edit overtakes a long one', async () => {
  const gate = createDeferred<void>();
  const { annotations } = create(() => gate.promise);
  const { etag } = await annotations.read(0);
  const long = annotations.replace(0, bodyOf(10_000), { ifMatch: etag });
  const { durability, ...short } = await annotations.replace(0, bodyOf(3), { ifMatch: etag });
  gate.settle();
  await expect(long).rejects.toMatchObject({ code: 'stale_annotation' });
  expect(await annotations.read(0)).toEqual(short);
  // This store has no journal.
  expect(durability).toBe('memory');
});

test('a long body that is being judged when the server closes is refused', async () => {
  const { annotations } = create(() => new Promise(() => undefined));
  const long = annotations.replace(0, bodyOf(10_000));
  annotations.close();
  await expect(long).rejects.toMatchObject({ code: 'shutting_down' });
});

function create(waitBefore: () => Promise<void> = async () => undefined) {
  let started = 0;
  const tasks: TaskRunner = {
    async run<Input, Output, Of>(
      task: Task<Input, Output, Of>,
      input: Input,
      { signal }: TaskOptions<Of>,
    ): Promise<Output> {
      if (task.name !== checkBodyTask.name) throw new Error(`no task ${task.name} here`);
      started += 1;
      await Promise.race([waitBefore(), new Promise((_, fail) => signal?.addEventListener('abort', fail))]);
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- by its name it is the input of this task
      const result: unknown = checkBodyApart(input as CheckBodyInput, {
        isCancelled: () => false,
        throwIfCancelled: () => undefined,
        transfer: (view) => view,
      });
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- and this is its output
      return result as Output;
    },
  };
  const files = createOpenFiles([createImage('/data/a.dcm')]);
  return { annotations: createAnnotations({ files, tasks, instance: 'run' }), started: () => started };
}

/** A body with boxes of 10 characters and a comma each. The last box may differ. */
function bodyOf(count: number, last: readonly number[] = [0, 0, 9, 1]): Uint8Array {
  const roi_coords = Array.from({ length: count }, (_, roi) => (roi === count - 1 ? last : [0, 0, 9, 1]));
  return new TextEncoder().encode(JSON.stringify({ num_roi: count, roi_coords }));
}
