import { expect, test } from 'vitest';
import type { TaskRunner } from '../../machine/workers/task.ts';
import { createAttachments } from './attachments.ts';
import { createNamedPlaces } from './namedPlaces.ts';
import { NOBODY } from '../../../../test/support/nobody.ts';
import { sourceOf } from '../../../../test/support/sources.ts';
import { createTempFolder, writeBelow } from '../../../../test/support/tempFolder.ts';

test('of more attachments than are listed, the last entry says how many are left out', async () => {
  const source = sourceOf(writeBelow(createTempFolder(), 'a.nii', Uint8Array.of(0)));
  const attachments = Array.from({ length: 4_200 }, (_, i) => ({
    path: `/${i}.nii`,
    format: 'nifti' as const,
    source,
  }));
  const failed = { kind: 'failed', reason: 'the file has no NIfTI header' };
  const tasks: TaskRunner = {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what reading the headers answers
    run: async (_, files) => (files as readonly unknown[]).map(() => failed) as never,
  };
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- only what the list reads
  const catalog = { attachments, progress: { scanComplete: true } } as never;

  const listed = await createAttachments({ catalog, tasks, named: createNamedPlaces([]) }).list(NOBODY);

  expect(listed).toHaveLength(4_097);
  expect(listed.at(-1)).toMatchObject({
    path: '/4096.nii',
    content: { reason: 'this one and 103 further ones are not read, because there are too many' },
  });
});
