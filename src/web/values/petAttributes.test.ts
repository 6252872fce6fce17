import { expect, test } from 'vitest';
import type { TagNode } from '../../shared/contract/tags.ts';
import { readPetAttributes } from './petAttributes.ts';

function node(tag: string, value: TagNode['value'], creator?: string): TagNode {
  return { tag, vr: '', keyword: '', name: '', value, ...(creator !== undefined && { creator }) };
}

function text(tag: string, value: string): TagNode {
  return node(tag, { type: 'string', value });
}

function number(tag: string, value: number, creator?: string): TagNode {
  return node(tag, { type: 'number', value }, creator);
}

test('what the dose depends on is read from the first radiopharmaceutical, the rest from the image', () => {
  const drug = [
    text('(0018,1072)', '113900'),
    text('(0018,1078)', '20240131113900'),
    number('(0018,1074)', 381_470_000),
    number('(0018,1075)', 6586.2),
  ];
  const nodes = [
    text('(0008,0031)', '130244.678000'),
    number('(0010,1030)', 66.2),
    node('(0028,0051)', { type: 'strings', value: ['ATTN', 'DECY'] }),
    node('(0054,0016)', { type: 'sequence', items: [drug] }),
    text('(0054,1001)', 'BQML'),
    text('(0054,1102)', 'START'),
  ];

  expect(readPetAttributes(nodes)).toMatchObject({
    Units: 'BQML',
    DecayCorrection: 'START',
    CorrectedImage: ['ATTN', 'DECY'],
    PatientWeight: 66.2,
    SeriesTime: '130244.678000',
    RadiopharmaceuticalStartTime: '113900',
    RadiopharmaceuticalStartDateTime: '20240131113900',
    RadionuclideTotalDose: 381_470_000,
    RadionuclideHalfLife: 6586.2,
  });
});

test('an element that is empty or broken counts as not there', () => {
  const nodes = [
    node('(0010,1030)', { type: 'error', message: 'no number' }),
    node('(0054,1001)', { type: 'empty' }),
    node('(0028,0051)', { type: 'empty' }),
  ];

  expect(readPetAttributes(nodes)).toMatchObject({
    PatientWeight: undefined,
    Units: undefined,
    CorrectedImage: undefined,
  });
});

test('the factors of Philips are taken from the block of the group that is theirs', () => {
  const creator = 'Philips PET Private Group';
  const nodes = [
    number('(7053,1000)', 9, 'OTHER'),
    number('(7053,1100)', 0.00125, creator),
    number('(7053,1109)', 2.5, creator),
  ];

  expect(readPetAttributes(nodes)).toMatchObject({
    PhilipsSUVScaleFactor: 0.00125,
    PhilipsActivityConcentrationScaleFactor: 2.5,
  });
});
