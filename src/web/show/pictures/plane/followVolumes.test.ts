import { afterEach, expect, test, vi } from 'vitest';
import { holdAnswers } from '../../../../../test/support/heldAnswers.ts';
import { createFileRecord } from '../../../../../test/support/createFileRecord.ts';
import { toVolumeResponse } from '../../../../../test/support/wireVolume.ts';
import { AXIAL, createTable } from '../../../../../test/support/rampVolume.ts';
import { cellOf, openInCell } from '../../../kit/state/cells.ts';
import { libraryOf } from '../../../kit/state/library.ts';
import { createPage } from '../../../kit/state/page.ts';
import { loadVolume, type StackVolume, volumesOf } from '../../../kit/state/volumes.ts';
import { followVolumes } from './followVolumes.ts';
import { openPlane } from './planeSource.ts';

afterEach(() => {
  vi.unstubAllGlobals();
});

/** Slices of 2 mm, the first one at a height. */
function volumeFrom(startMm: number, slices: number): StackVolume {
  return {
    address: { fileIndex: 0, frame: 0 },
    fileIndex: 0,
    frames: { fileIndices: [], frameIndices: [] },
    // Of the stack of the file, which has one frame.
    frameCount: 1,
    table: createTable({
      ...AXIAL,
      rows: 4,
      columns: 5,
      rowSpacingMm: 1,
      columnSpacingMm: 1,
      origin: [0, 0, startMm],
      offsetsMm: Array.from({ length: slices }, (_, slice) => 2 * slice),
    }),
    space: 'patient',
    spaceName: '1.9',
    times: [''],
    timeValues: [],
    toFrameValue: 1,
    unit: 'HU',
    hasOneRescale: true,
    isRealWorld: false,
    warnings: [],
  };
}

test('a plane stays in its place while slices are added before it, and a link beyond the end leads to the last plane', async () => {
  const page = createPage();
  libraryOf(page).setState({ files: [createFileRecord(0, { support_state: 'renderable', frame_count: 1 })] });
  followVolumes(page);
  const learn = async (volume: StackVolume) => {
    const answers = holdAnswers();
    const loading = volumesOf(page).renew(volume.address);
    void volumesOf(page).load(volume.address);
    answers[0]?.(toVolumeResponse(volume));
    await loading;
    await loadVolume(page, volume.address);
  };

  openInCell(page, 0, 'plane/0/0/axial', 99);
  openInCell(page, 1, 'plane/0/0/axial', 1);
  await learn(volumeFrom(10, 6));
  expect([0, 1].map((cell) => cellOf(page, cell).position)).toEqual([5, 1]);

  // Two slices more, below the others: what was the second is the fourth.
  await learn(volumeFrom(6, 8));
  expect([0, 1].map((cell) => cellOf(page, cell).position)).toEqual([7, 3]);
  expect(openPlane(page, 'plane/0/0/axial')?.positions).toBe(8);
});
