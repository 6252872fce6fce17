import { expect, test } from 'vitest';
import { isNews } from './events.ts';

test('changes of files are news, but heartbeats and the loading of a volume are not', () => {
  expect(isNews('event: revision\ndata: {"revision":3}')).toBe(true);
  expect(isNews('event: volume\ndata: {"file_index":0,"time":0,"places":60,"places_loaded":8}')).toBe(false);
  expect(isNews(': alive')).toBe(false);
});
