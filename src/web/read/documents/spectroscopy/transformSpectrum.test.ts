import { expect, test } from 'vitest';
import { filledLength, transformSpectrum, turnPhase } from './transformSpectrum.ts';

const OPTIONS = { domain: 'TIME', widthHz: 64, apodizationHz: 0, zeroFill: 1, isMirrored: false } as const;

/** A line at a frequency in Hz: 64 points of one second. */
function line(hz: number): Float32Array {
  return Float32Array.from({ length: 128 }, (_, at) => {
    const angle = (2 * Math.PI * hz * Math.floor(at / 2)) / 64;
    return at % 2 === 0 ? Math.cos(angle) : Math.sin(angle);
  });
}

test('a line is at its frequency, counted from the middle, and on the other side if mirrored', () => {
  const { real, imaginary } = transformSpectrum(line(5), OPTIONS);
  // All 64 points add up; nothing is anywhere else.
  expect(real.map((value) => Math.round(value)).indexOf(64)).toBe(32 + 5);
  expect(real.reduce((sum, value) => sum + Math.abs(value), 0)).toBeCloseTo(64, 4);
  expect(imaginary.reduce((sum, value) => sum + Math.abs(value), 0)).toBeCloseTo(0, 4);
  const mirrored = transformSpectrum(line(5), { ...OPTIONS, isMirrored: true });
  expect(mirrored.real.map((value) => Math.round(value)).indexOf(64)).toBe(32 - 5);
});

test('points are filled with zeros to a power of two', () => {
  expect([filledLength(1024, 1), filledLength(1024, 2), filledLength(1000, 1), filledLength(1, 1)]).toEqual([
    1024, 2048, 1024, 1,
  ]);
  expect(transformSpectrum(line(5), { ...OPTIONS, zeroFill: 4 }).real[128 + 20]).toBeCloseTo(64, 4);
});

test('apodization makes a line lower: the points decay with exp(-π × width × time)', () => {
  const { real } = transformSpectrum(line(0), { ...OPTIONS, apodizationHz: 2 });
  const decay = Math.exp((-Math.PI * 2) / 64);
  // The sum of a geometric series.
  expect(real[32]).toBeCloseTo((1 - decay ** 64) / (1 - decay), 6);
});

test('a spectrum that is stored as one is not transformed', () => {
  const { real } = transformSpectrum(Float32Array.of(1, 0, 2, 0, 3, 0), { ...OPTIONS, domain: 'FREQUENCY' });
  expect([...real]).toEqual([1, 2, 3]);
});

test('a phase of 90 degrees turns real into imaginary; the first order is 0 in the middle', () => {
  const values = { real: Float64Array.of(1, 1, 1, 1), imaginary: new Float64Array(4) };
  const turned = turnPhase(values, 90, 0);
  expect(turned.real[0]).toBeCloseTo(0, 12);
  expect(turned.imaginary[0]).toBeCloseTo(1, 12);
  const bent = turnPhase(values, 0, 360);
  // A quarter of the width is 90 degrees.
  expect([bent.real[2], bent.imaginary[2]]).toEqual([1, 0]);
  expect(bent.imaginary[3]).toBeCloseTo(1, 12);
});
