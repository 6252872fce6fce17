import { expect, test } from 'vitest';
import { ENDPOINT_NAMES } from '../../src/shared/contract/endpoints.ts';
import { listSurveyRequests } from '../load/surveyRequests.ts';
import { SURVEY_SETS } from '../load/surveySets.ts';

const FILE = { index: 7, name: 'a', kind: '1.2', space: '2.25.500', uids: ['1', '2', '3'] };

test('the survey of the attack has a request for every endpoint of the contract', () => {
  const all = ENDPOINT_NAMES.map((name) => listSurveyRequests(name, { file: FILE, other: FILE, frame: 0 }));
  expect(ENDPOINT_NAMES.filter((_, at) => all[at]!.length === 0)).toEqual([]);
  expect(all.flat().filter(({ url }) => /:|undefined/.test(url))).toEqual([]);
});

test('the survey asks for slabs, projections and formats', () => {
  const all = ENDPOINT_NAMES.flatMap((name) => listSurveyRequests(name, { file: FILE, other: FILE, frame: 0 }));
  const parts = ['slab=1000', 'projection=mean', 'format=nii', 'rows=2048', 'parts=0', 'dose=7', 'bins=4096'];
  expect(parts.filter((part) => !all.some(({ url }) => url.includes(part)))).toEqual([]);
});

test('the sets of the survey are small', () => {
  const sizes = SURVEY_SETS.map(({ write }) => write().reduce((sum, { length }) => sum + length, 0));
  expect(sizes.filter((size) => size > 90_000)).toEqual([]);
});
