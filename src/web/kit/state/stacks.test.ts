import { expect, test } from 'vitest';
import { createFileRecord } from '../../../../test/support/createFileRecord.ts';
import type { WireSeries } from '../../../shared/contract/series.ts';
import { buildFileStack, buildSeriesStacks, findPosition, indexStacks } from './stacks.ts';

function createSeries(id: string, frames: readonly (readonly [file: number, frame: number])[]): WireSeries {
  return {
    id: 's',
    study_instance_uid: '1.2',
    series_instance_uid: '1.2.3',
    frame_of_reference_uids: [],
    stacks: [
      {
        id,
        kind: 'ordinary',
        concatenation_uid: null,
        pyramid_uid: null,
        image_type_role: null,
        total_pixel_matrix_rows: null,
        total_pixel_matrix_columns: null,
        distinction: [],
        frames: frames.map(([file_index, frame_index], virtual_index) => ({
          virtual_index,
          file_index,
          frame_index,
          sop_instance_uid: `1.${file_index}`,
          instance_number: null,
          position_along_normal_mm: file_index * 2,
        })),
        planes: [],
        warnings: [],
      },
    ],
  };
}

test('stacks keep the order of /series and know their files', () => {
  const stacks = buildSeriesStacks(
    [
      createSeries('a', [
        [3, 0],
        [3, 1],
        [1, 0],
      ]),
    ],
    new Map(),
  );
  const stack = stacks.get('a');
  if (stack === undefined) throw new Error('the stack is missing');
  expect(stack.fileIndex).toBe(3);
  expect(findPosition(stack, 3, 1)).toBe(1);
  expect(findPosition(stack, 1, 1)).toBeUndefined();
  expect([...indexStacks(stacks.values()).keys()]).toEqual([3, 1]);
});

test('a stack that has not changed stays the same object', () => {
  const first = buildSeriesStacks([createSeries('a', [[0, 0]])], new Map());
  expect(buildSeriesStacks([createSeries('a', [[0, 0]])], first).get('a')).toBe(first.get('a'));
  expect(
    buildSeriesStacks(
      [
        createSeries('a', [
          [0, 0],
          [1, 0],
        ]),
      ],
      first,
    ).get('a'),
  ).not.toBe(first.get('a'));
});

test('a file by itself has its frames; one that cannot be shown has none', () => {
  const film = createFileRecord(4, { support_state: 'renderable', frame_count: 3, sop_instance_uid: '1.4' });
  expect(buildFileStack(film).frames.map(({ frame }) => frame)).toEqual([0, 1, 2]);
  expect(buildFileStack({ ...film, support_state: 'unsupported' }).frames).toEqual([]);
  expect(buildFileStack(createFileRecord(7)).id).toBe('file/7');
});
