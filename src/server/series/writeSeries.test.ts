import { expect, test } from 'vitest';
import { createStackImage } from '../../../test/support/createStackImage.ts';
import type { SeriesResponse } from '../../shared/contract/series.ts';
import { buildSeries } from './buildSeries.ts';
import { writeSeries } from './writeSeries.ts';

test('a long answer is written in pieces of about a quarter of a megabyte', () => {
  const files = Array.from({ length: 5000 }, (_, index) => createStackImage(index));
  const uids = { studyInstanceUid: '1.2', seriesInstanceUid: '1.2.3' };
  const series = [buildSeries({ ...uids, files, geometryOf: () => undefined })];

  const writing = writeSeries(
    series,
    { scanComplete: true, geometryComplete: false },
    { files, geometryOf: () => undefined },
  );
  const pieces: string[] = [];
  let next = writing.next();
  for (; !next.done; next = writing.next()) pieces.push(next.value);
  pieces.push(next.value);

  expect(pieces.length).toBeGreaterThan(2);
  expect(Math.max(...pieces.map(({ length }) => length))).toBeLessThan(257 * 1024);
  const answer: SeriesResponse = JSON.parse(pieces.join(''));
  expect(answer).toMatchObject({ scan_complete: true, geometry_complete: false });
  expect(answer.series[0]?.stacks[0]?.frames.map(({ file_index }) => file_index)).toEqual(files.map((_, at) => at));
});
