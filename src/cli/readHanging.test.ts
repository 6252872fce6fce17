import { expect, test } from 'vitest';
import { createTempFolder, writeBelow } from '../../test/support/tempFolder.ts';
import { readHanging } from './readHanging.ts';

const RULE = { name: 'Chest', layout: '1x1', cells: [{ series: "Modality = 'CT'" }] };

function write(text: string): string {
  return writeBelow(createTempFolder(), 'rules.json', Buffer.from(text));
}

function ofRule(change: object): string {
  return JSON.stringify({ rules: [{ ...RULE, ...change }] });
}

test('rules are read as the file has them', async () => {
  expect(await readHanging(write(ofRule({})))).toMatchObject([{ name: 'Chest', layout: '1x1' }]);
});

test('of a device without end, no more is read than is allowed', async () => {
  await expect(readHanging('/dev/zero')).rejects.toThrow('the file is larger than 1048576 bytes');
});

test.each([
  ['of 2 MB', `{"rules": [${' '.repeat(2 ** 21)}]}`, 'the file is larger than 1048576 bytes'],
  ['with 10,000 rules', JSON.stringify({ rules: Array.from({ length: 10_000 }, () => RULE) }), 'rules: more than 200'],
  ['of 200,000 lists in each other', `{"rules":${'['.repeat(200_000)}${']'.repeat(200_000)}}`, 'an object is expected'],
  ['that is no text', '\0\u0001\u0002', 'this is no JSON'],
  [
    'with a pattern of 20,000 characters',
    ofRule({ when: `SeriesDescription like '${'%a'.repeat(10_000)}b'` }),
    'rules[0].when: longer than 10000 characters',
  ],
  [
    'with a condition in 6,000 brackets',
    ofRule({ when: `${'('.repeat(4_500)}Modality = 'CT'${')'.repeat(4_500)}` }),
    'rules[0].when: ',
  ],
  [
    'with 10,000 conditions',
    ofRule({ when: Array.from({ length: 10_000 }, () => 'Rows > 1') }),
    'rules[0].when: more than 20',
  ],
  [
    'with a window beyond all numbers',
    ofRule({ cells: [{ ...RULE.cells[0], window: { center: 0, width: 1 } }] }).replace('"center":0', '"center":1e999'),
    'rules[0].cells[0].window.center: a number is expected',
  ],
  [
    'with a window of infinite width',
    ofRule({ cells: [{ ...RULE.cells[0], window: { center: 0, width: 1 } }] }).replace('"width":1', '"width":1e999'),
    'rules[0].cells[0].window.width: a number above 0 is expected',
  ],
  [
    'with a field of the prototype',
    ofRule({}).replace('{"name"', '{"__proto__":{},"name"'),
    'rules[0].__proto__: there is no such field',
  ],
])('a file %s is refused', async (_, text, problem) => {
  await expect(readHanging(write(text))).rejects.toThrow(problem);
});

test('a pattern that would have to try many ways is read once', async () => {
  const like = `SeriesDescription like '${'%a'.repeat(2_000)}%b'`;
  expect(await readHanging(write(ofRule({ when: like })))).toHaveLength(1);
});
