import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { pretendSource } from '../../../../test/support/sources.ts';
import { createTempFolder } from '../../../../test/support/tempFolder.ts';
import { writeJournal } from './journal.ts';
import { packRois } from '../annotations/packedRois.ts';
import { readRoiJournal, ROI_FORMAT, type RoiRecord } from '../annotations/roiFormat.ts';
import { toRecordedFile } from './recordedFile.ts';
import { createRecovery } from './recovery.ts';

/** The journal of an earlier run with one box in one file. */
async function writeEarlier() {
  const folder = join(createTempFolder(), 'state');
  const source = pretendSource('/scans/a');
  const file = { path: '/scans/a', source, sopInstanceUid: '1.2', rows: 8, columns: 8, frameCount: 1 };
  const rois = packRois([{ num_roi: 1, roi_coords: [[0, 0, 1, 1]], roi_frames: [] }]);
  await writeJournal(ROI_FORMAT, folder, [{ file: toRecordedFile(file), savedAtMs: 1, rois }]);
  const files = { files: [file], get: () => file, scanComplete: Promise.resolve('complete' as const) };
  const open = (options: { readonly isHeld: boolean; readonly restore?: () => Promise<boolean> }) =>
    createRecovery<RoiRecord>({
      format: ROI_FORMAT,
      read: ({ path }) => readRoiJournal({ path, header: ROI_FORMAT.header }, { throwIfCancelled: () => undefined }),
      folder,
      files,
      restore: options.restore ?? (() => Promise.resolve(true)),
      isHeld: () => options.isHeld,
    });
  return { folder, open };
}

test('an older copy of what this run has is gone when the recovery is closed', async () => {
  const { folder, open } = await writeEarlier();
  const recovery = open({ isHeld: true });
  await recovery.searched;
  expect(recovery.kept()).toBeUndefined();

  await recovery.close();

  expect(existsSync(folder)).toBe(false);
});

test('what is being restored is restored when the recovery is closed', async () => {
  const { open } = await writeEarlier();
  const steps: string[] = [];
  const recovery = open({
    isHeld: false,
    async restore() {
      await new Promise((done) => setTimeout(done, 50));
      steps.push('restored');
      return true;
    },
  });
  await recovery.searched;
  expect(recovery.kept()).toMatchObject({ items: 1, files: 1 });

  const settled = recovery.settle('restore');
  await recovery.close();
  steps.push('closed');

  await settled;
  expect(steps).toEqual(['restored', 'closed']);
});
