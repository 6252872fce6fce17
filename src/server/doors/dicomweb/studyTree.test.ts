import { expect, test } from 'vitest';
import { createFileDescription } from '../../../../test/support/createFileDescription.ts';
import type { DicomFile } from '../../images/catalog/dicomFile.ts';
import { createStudyTree } from './studyTree.ts';

/** Files of one SOP Instance UID, each in a series of its own or in that of the first. */
async function follow(series: readonly number[]) {
  const files = series.map((number, index): DicomFile => ({
    ...createFileDescription(),
    index,
    revision: index,
    studyInstanceUid: '2.25.1',
    seriesInstanceUid: `2.25.2.${number}`,
    sopInstanceUid: '2.25.3',
  }));
  let looks = 0;
  const counted = new Proxy(files, {
    get(target, name): unknown {
      if (typeof name === 'string' && /^\d+$/.test(name)) looks += 1;
      return Reflect.get(target, name);
    },
  });
  const sharing = files.map(({ index }) => index);
  const { studies, copies } = await createStudyTree({
    catalog: { files: counted, gone: { files: new Set(), changes: 0 } },
    instances: { find: () => sharing },
  })();
  return { series: studies.get('2.25.1')?.series.size, copies, looks };
}

test('files with one SOP Instance UID are copies only within one series', async () => {
  expect(await follow([0, 1, 0, 1, 2])).toMatchObject({ series: 3, copies: 2 });
});

test('each of very many files with one SOP Instance UID is looked at once or twice', async () => {
  const { series, copies, looks } = await follow(Array.from({ length: 3_000 }, (_, at) => at));
  expect({ series, copies }).toEqual({ series: 3_000, copies: 0 });
  expect(looks).toBeLessThanOrEqual(6_000);
});
