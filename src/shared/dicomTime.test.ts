import { expect, test } from 'vitest';
import { parseDateTime, parseMoment, secondsBetween } from './dicomTime.ts';

test.each([
  ['130244.678', 46_964.678], // 13 x 3600 + 2 x 60 + 44.678
  ['07', 25_200],
  ['0705', 25_500],
  ['07:05:01', 25_501],
  ['070501 ', 25_501],
])('the time %s is %f seconds after midnight', (time, seconds) => {
  expect(parseMoment(undefined, time)).toEqual({ day: undefined, seconds });
});

test.each(['', '7', 'noon', undefined])('%s is not a time', (time) => {
  expect(parseMoment('20240131', time)).toBeUndefined();
});

test('a combined date and time, with or without an offset from UTC, is the same moment as both separately', () => {
  expect(parseDateTime('20240131130244.5')).toEqual(parseMoment('20240131', '130244.5'));
  expect(parseDateTime('20240131130244.5+0200')).toEqual(parseMoment('20240131', '130244.5'));
  expect(parseDateTime('20240131')).toBeUndefined();
});

test('the time between two moments includes the days if they are known', () => {
  const evening = parseMoment('20240228', '230000')!;
  expect(secondsBetween(evening, parseMoment('20240229', '010000')!)).toBe(7200);
  expect(secondsBetween(evening, parseMoment('20240228', '220000')!)).toBe(-3600);
});

test('a time without a date is within the previous 24 hours', () => {
  expect(secondsBetween(parseMoment(undefined, '230000')!, parseMoment('20240229', '010000')!)).toBe(7200);
});
