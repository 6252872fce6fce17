import { expect, test } from 'vitest';
import { parseSigns } from './events.ts';

test('the loading of a volume is told, and is no reason to ask for the list of files again', () => {
  const volume = { file_index: 0, time: 0, places: 60, places_loaded: 8, storage: 'memory' };
  const block = `event: volume\ndata: ${JSON.stringify(volume)}`;
  expect(parseSigns(['event: revision\ndata: {"revision":3}'])).toEqual(['news']);
  expect(parseSigns([block])).toEqual([volume]);
  expect(parseSigns([block, 'event: revision\ndata: {"revision":3}'])).toEqual([volume, 'news']);
  expect(parseSigns([': alive'])).toEqual(['alive']);
  expect(parseSigns([])).toEqual([]);
  expect(parseSigns(['event: volume\ndata: {"file_index":"0"}'])).toEqual(['alive']);
});

test('a request to pages is told, and is no reason to ask for the list of files again', () => {
  const block = 'event: view\ndata: {"request":3}';
  expect(parseSigns([block])).toEqual(['view']);
  expect(parseSigns([block, 'event: progress\ndata: {}'])).toEqual(['view', 'news']);
});
