import { expect, test } from 'vitest';
import { ENDPOINT_NAMES } from '../../src/shared/contract/endpoints.ts';
import { listSurveyRequests } from '../load/surveyRequests.ts';
import { SURVEY_SETS } from '../load/surveySets.ts';

const FILE = { index: 7, name: 'a', space: '2.25.500', uids: ['1', '2', '3'] };

test('the survey of the attack has a request for every endpoint of the contract', () => {
  for (const name of ENDPOINT_NAMES) {
    const requests = listSurveyRequests(name, { file: FILE, other: FILE, frame: 0 });
    expect(requests.length, name).toBeGreaterThan(0);
    for (const { url } of requests) expect(url).not.toMatch(/:|undefined/);
  }
});

test('the survey asks for slabs, projections and formats', () => {
  const urls = ENDPOINT_NAMES.flatMap((name) => listSurveyRequests(name, { file: FILE, other: FILE, frame: 0 })).map(
    ({ url }) => url,
  );
  for (const part of ['slab=1000', 'projection=mean', 'format=nii', 'rows=2048', 'parts=0', 'dose=7', 'bins=4096'])
    expect(
      urls.some((url) => url.includes(part)),
      part,
    ).toBe(true);
});

test('the sets of the survey have at most 64 KiB each', () => {
  for (const { name, write } of SURVEY_SETS) {
    expect(
      write().reduce((sum, { length }) => sum + length, 0),
      name,
    ).toBeLessThanOrEqual(65_536);
  }
});
