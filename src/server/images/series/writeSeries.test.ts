import { expect, test } from 'vitest';
import { createStackImage } from '../../../../test/support/createStackImage.ts';
import type { SeriesResponse } from '../../../shared/contract/series.ts';
import { PIECE_LENGTH } from '../../machine/workers/jsonPieces.ts';
import { buildSeries } from './buildSeries.ts';
import { writeSeries } from './writeSeries.ts';

test('a long response is written in short pieces', () => {
  const files = Array.from({ length: 5000 }, (_, index) => createStackImage(index));
  const uids = { studyInstanceUid: '1.2', seriesInstanceUid: '1.2.3' };
  const series = [buildSeries({ ...uids, files, geometryOf: () => undefined })];

  const writing = writeSeries(
    series,
    { scanComplete: true, geometryComplete: false },
    { files, geometryOf: () => undefined },
  );
  const texts = [...writing];

  expect(Math.max(...texts.map(({ length }) => length))).toBeLessThan(PIECE_LENGTH + 10_000);
  const answer: SeriesResponse = JSON.parse(texts.join(''));
  expect(answer).toMatchObject({ scan_complete: true, geometry_complete: false });
  expect(answer.series[0]?.stacks[0]?.frames.map(({ file_index }) => file_index)).toEqual(files.map((_, at) => at));
});
