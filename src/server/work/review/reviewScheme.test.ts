import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createTempFolder } from '../../../../test/support/tempFolder.ts';
import { parseReviewScheme, readReviewScheme, USUAL_SCHEME } from './reviewScheme.ts';

test('a scheme that says nothing has accept, reject and unsure on the keys 1, 2 and 3, and comments', () => {
  expect(parseReviewScheme({ version: 1 })).toEqual(USUAL_SCHEME);
  expect(USUAL_SCHEME.verdicts.map(({ id, key }) => [id, key])).toEqual([
    ['accept', '1'],
    ['reject', '2'],
    ['unsure', '3'],
  ]);
});

test('what a scheme leaves out is filled in', () => {
  expect(
    parseReviewScheme({
      version: 1,
      verdicts: [{ id: 'ok' }, { id: 'bad', key: '0', title: 'Do not use', reasons: ['motion', 'coverage'] }],
      scores: [{ id: 'snr', key: 's', min: 1, max: 5 }],
      comment: false,
      required: ['verdict', 'snr'],
    }),
  ).toEqual({
    version: 1,
    verdicts: [
      { id: 'ok', title: 'ok', key: null, reasons: [] },
      { id: 'bad', title: 'Do not use', key: '0', reasons: ['motion', 'coverage'] },
    ],
    scores: [{ id: 'snr', title: 'snr', key: 's', min: 1, max: 5 }],
    comment: false,
    required: ['verdict', 'snr'],
  });
});

const score = { id: 'snr', min: 1, max: 5 };

test.each([
  [[], 'the scheme: must be an object'],
  [{}, 'version: must be 1'],
  [{ version: 2 }, 'version: must be 1'],
  [{ version: 1, verdict: [] }, 'verdict: unknown; known are version, verdicts, scores, comment, required'],
  [{ version: 1, verdicts: {} }, 'verdicts: must be a list'],
  [{ version: 1, verdicts: [] }, 'verdicts: there is no verdict and no score'],
  [{ version: 1, verdicts: ['ok'] }, 'verdicts[0]: must be an object'],
  [{ version: 1, verdicts: [{ key: '1' }] }, 'verdicts[0].id: must be 1 to 64 letters, digits, - or _'],
  [{ version: 1, verdicts: [{ id: 'a b' }] }, 'verdicts[0].id: must be 1 to 64 letters, digits, - or _'],
  [{ version: 1, verdicts: [{ id: 'a' }, { id: 'a' }] }, 'verdicts[1].id: "a" is there twice'],
  [{ version: 1, verdicts: [{ id: 'a', key: 'F1' }] }, 'verdicts[0].key: must be one of a to z and 0 to 9'],
  [{ version: 1, verdicts: [{ id: 'a', key: 'n' }] }, 'verdicts[0].key: n goes to the next unit'],
  [
    { version: 1, verdicts: [{ id: 'a', colour: 'red' }] },
    'verdicts[0].colour: unknown; known are id, title, key, reasons',
  ],
  [{ version: 1, verdicts: [{ id: 'a', reasons: ['x', 'x'] }] }, 'verdicts[0].reasons[1]: "x" is there twice'],
  [
    { version: 1, verdicts: [{ id: 'a', reasons: [''] }] },
    'verdicts[0].reasons[0]: must be a text of 1 to 200 characters in one line',
  ],
  [{ version: 1, scores: [{ ...score, key: '1' }] }, 'scores[0].key: verdicts[0].key is "1", too'],
  [{ version: 1, scores: [{ ...score, min: 1.5 }] }, 'scores[0].min: must be a whole number'],
  [{ version: 1, scores: [{ ...score, max: 1 }] }, 'scores[0].max: must be above scores[0].min'],
  [{ version: 1, scores: [{ ...score, max: 101 }] }, 'scores[0].max: a score has at most 100 steps'],
  [{ version: 1, scores: [{ ...score, id: 'comment' }] }, 'scores[0].id: a score cannot be called comment'],
  [{ version: 1, comment: 'yes' }, 'comment: must be true or false'],
  [{ version: 1, required: ['sharpness'] }, 'required[0]: "sharpness" is none of verdict, reasons, comment'],
  [{ version: 1, comment: false, required: ['comment'] }, 'required[0]: comment is false'],
  [{ version: 1, verdicts: [], scores: [score], required: ['verdict'] }, 'required[0]: there is no verdict'],
])('%j is refused: %s', (scheme, message) => {
  expect(() => parseReviewScheme(scheme)).toThrow(new Error(message));
});

test('a file that is no JSON, has a hostile key or is too large is refused', async () => {
  const path = join(createTempFolder(), 'scheme.json');
  writeFileSync(path, '{"version":1,');
  await expect(readReviewScheme(path)).rejects.toThrow('well-formed JSON');
  writeFileSync(path, '{"version":1,"__proto__":{}}');
  await expect(readReviewScheme(path)).rejects.toThrow('forbidden key');
  writeFileSync(path, `{"version":1${' '.repeat(2 ** 18)}}`);
  await expect(readReviewScheme(path)).rejects.toThrow('the file is larger than 262144 bytes');
  writeFileSync(path, '{"version":1}');
  expect(await readReviewScheme(path)).toEqual(USUAL_SCHEME);
});
