import { expect, test } from 'vitest';
import { pairParts, type PartToPair } from './pairParts.ts';

const code = (value: string, scheme = 'SCT') => ({ value, scheme, meaning: '' });
const part = (number: number, label: string, type?: PartToPair['type']): PartToPair => {
  return { part: number, value: number, label, type };
};

const listed = (truth: readonly PartToPair[], other: readonly PartToPair[]) =>
  pairParts(truth, other).map(({ truth: a, test: b, by }) => [truth[a]!.part, other[b]!.part, by]);

test('parts with one code are paired, whatever they are called and numbered', () => {
  const truth = [part(1, 'Liver', code('10200004')), part(2, 'Spleen', code('78961009'))];
  expect(listed(truth, [part(1, 'Milz', code('78961009')), part(2, 'Leber', code('10200004'))])).toEqual([
    [1, 2, 'code'],
    [2, 1, 'code'],
  ]);
});

test('the same value of two schemes is not the same code', () => {
  expect(listed([part(1, 'Liver', code('7'))], [part(2, 'Kidney', code('7', '99X'))])).toEqual([]);
});

test('a code that several parts have does not pair them; their labels do', () => {
  const tissue = code('85756007');
  const truth = [part(1, 'Edema', tissue), part(2, 'Core', tissue)];
  expect(listed(truth, [part(1, 'core', tissue), part(2, 'EDEMA', tissue)])).toEqual([
    [1, 2, 'label'],
    [2, 1, 'label'],
  ]);
});

test('labels are compared without case, and without regard to what separates words', () => {
  expect(listed([part(1, 'Left_Kidney')], [part(7, ' left kidney')])).toEqual([[1, 7, 'label']]);
});

test('numbers pair parts only if one of them has no name', () => {
  const truth = [part(1, 'Liver'), part(2, 'Spleen'), part(3, 'Label 3')];
  expect(listed(truth, [part(1, 'Label 1'), part(2, 'Pancreas'), part(3, 'segment_3')])).toEqual([
    [1, 1, 'number'],
    [3, 3, 'number'],
  ]);
});
