import { expect, test } from 'vitest';
import { createFileDescription } from '../../../../test/support/createFileDescription.ts';
import type { DicomFile } from '../../images/catalog/dicomFile.ts';
import { parseSearch } from './parseSearch.ts';
import { search, type SearchLevel } from './search.ts';
import type { SeriesNode, StudyNode } from './studyTree.ts';

const FILES = 400;
const SERIES = 40;

/** A study whose files count how often their SOP class or modality is read. */
function createStudy() {
  let reads = 0;
  const count = <Value>(value: Value): Value => {
    reads += 1;
    return value;
  };
  const files = Array.from({ length: FILES }, (_, index): DicomFile => {
    const file = { ...createFileDescription(), index, revision: 1 };
    return Object.defineProperties(file, {
      sopClassUid: { get: () => count('1.2.840.10008.5.1.4.1.1.2') },
      modality: { get: () => count('CT') },
    });
  });
  const study: StudyNode = { uid: '2.25.1', series: new Map<string, SeriesNode>(), modalities: new Set(['CT']) };
  for (let at = 0; at < SERIES; at += 1) {
    const ofSeries = files.slice((at * FILES) / SERIES, ((at + 1) * FILES) / SERIES).map(({ index }) => index);
    study.series.set(`2.25.2${at}`, { uid: `2.25.2${at}`, study, files: ofSeries });
  }
  return { files, study, readCount: () => reads };
}

async function countReads(level: SearchLevel, query: string): Promise<number> {
  const { files, study, readCount } = createStudy();
  const tasks = { run: () => Promise.reject(new Error('nothing is found, so nothing is read')) };
  const found = search(
    { catalog: { files }, tasks },
    {
      level,
      series: study.series.values(),
      isStudyGiven: false,
      isSeriesGiven: false,
      query: parseSearch(query),
      root: '',
      signal: new AbortController().signal,
    },
  );
  expect(await found.next()).toEqual({ done: true, value: undefined });
  return readCount();
}

test('what is the same for all of a study is looked for once, not once for each of its instances', async () => {
  // 400 instances of 400 files are 160,000 looks.
  expect(await countReads('instance', 'SOPClassesInStudy=1.2.3')).toBe(FILES);
  // 40 series of 40 series are 1,600.
  expect(await countReads('series', 'ModalitiesInStudy=US')).toBe(SERIES);
});

test('each value of a query is compared with every file, so a query has few, each once', () => {
  const many = Array.from({ length: 1_025 }, (_, at) => `A${at}`);
  expect(() => parseSearch(`Modality=${many.join()}`)).toThrow(/more than 1024 values/);
  expect(parseSearch(`Modality=${many.slice(1).join()}`).matches[0]?.values.length).toBe(1_024);
  expect(parseSearch(`Modality=${'CT,'.repeat(4_000)}MR`).matches[0]?.values).toEqual(['CT', 'MR']);
});
