import { createHmac } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { expect, onTestFinished, test } from 'vitest';
import { createFileDescription } from '../../../../test/support/createFileDescription.ts';
import { reviewSettings } from '../../../../test/support/reviewSettings.ts';
import type { DicomFile } from '../../images/catalog/dicomFile.ts';
import { createReview, type ReviewSettings } from './reviews.ts';

const SERIES = 10_000;
const never = new AbortController().signal;

const uidOf = (series: number) => `1.2.826.0.1.3680043.10.4200.${series}`;

/** Two files of each series, which are listed one series after another. */
function createSeries(count: number, first = 0): DicomFile[] {
  return Array.from({ length: 2 * count }, (_, at): DicomFile => {
    const index = 2 * first + at;
    const seriesInstanceUid = uidOf(index >> 1);
    const sopInstanceUid = `${seriesInstanceUid}.${index}`;
    return { ...createFileDescription({ seriesInstanceUid, sopInstanceUid }), index, revision: index + 1 };
  });
}

/** Only Parquet files are written in a thread. */
const NO_TASKS = { run: () => Promise.reject(new Error('no thread')) };

function openReview(different: Partial<ReviewSettings>, files: readonly DicomFile[]) {
  const progress = { revision: 0, scanned: 0, skipped: 0, filtered: 0, gone: 0, scanComplete: true };
  const gone = { files: new Set<number>(), changes: 0 };
  const settings = reviewSettings(different);
  const review = createReview({
    ...settings,
    catalog: { files, gone, progress },
    tasks: NO_TASKS,
    instance: '1',
    version: '1.0.0',
  });
  onTestFinished(() => review.close());
  return { review, gone, path: settings.paths[0]! };
}

/** The UIDs of the first series, by their digests. */
function listInOrder(count: number): string[] {
  const digests = Array.from({ length: count }, (_, series) => {
    const uid = uidOf(series);
    return { uid, digest: createHmac('sha256', 'a seed').update(uid).digest('hex') };
  });
  return digests.toSorted((a, b) => (a.digest < b.digest ? -1 : 1)).map(({ uid }) => uid);
}

test('10,000 series are decided in pages of those that are not decided yet, and all of it is in the file', async () => {
  const { review, path } = openReview({}, createSeries(SERIES));
  for (;;) {
    const { units } = await review.page({ state: 'undecided', offset: 0, limit: 1_000 }, never);
    if (units.length === 0) break;
    const verdicts = units.map(({ number }) => ({ number, verdict: number % 3 === 0 ? 'reject' : 'accept' }));
    await Promise.all(
      verdicts.map(({ number, verdict }) => review.decide(number, { verdict }, { ifMatch: undefined })),
    );
  }
  const { units, ...page } = await review.page({ state: 'all', offset: 9_998, limit: 10 }, never);
  expect(page).toMatchObject({ total: SERIES, decided: SERIES, firstUndecided: undefined });
  expect(units.map(({ series, files, decision }) => [series, files, decision?.verdict])).toEqual([
    [uidOf(9_998), 2, 'accept'],
    [uidOf(9_999), 2, 'reject'],
  ]);
  const lines = readFileSync(path, 'utf8').split('\n').slice(0, -1);
  expect(new Set(lines.map((line) => JSON.parse(line).series)).size).toBe(SERIES);
  const { decided } = await review
    .decide(units[0]!.number, {}, { ifMatch: undefined })
    .then(({ progress }) => progress);
  expect(decided).toBe(SERIES - 1);
  expect((await review.page({ state: 'undecided', offset: 0, limit: 1 }, never)).firstUndecided).toBe(9_998);
});

test('the blind order of 10,000 series is that of their digests, also while files are still being found', async () => {
  const files = createSeries(SERIES / 2);
  const { review } = openReview({ seed: 'a seed' }, files);
  const listAll = async () => {
    const pages = Array.from({ length: 10 }, (_, n) =>
      review.page({ state: 'all', offset: 1_000 * n, limit: 1_000 }, never),
    );
    return (await Promise.all(pages)).flatMap(({ units }) => units);
  };
  const half = await listAll();
  expect(half.map(({ series }) => series)).toEqual(listInOrder(SERIES / 2));
  await review.decide(half[0]!.number, { verdict: 'accept' }, { ifMatch: undefined });
  files.push(...createSeries(SERIES / 2, SERIES / 2));
  const all = await listAll();
  expect(all.map(({ series, position }) => [series, position])).toEqual(
    listInOrder(SERIES).map((uid, at) => [uid, at]),
  );
  expect(all.find(({ series }) => series === half[0]!.series)?.number).toBe(half[0]!.number);
  expect(all.filter(({ decision }) => decision !== undefined)).toHaveLength(1);
});

test('a series whose files have all gone is no longer part of the review, and one of which some have is', async () => {
  const { review, gone } = openReview({}, createSeries(3));
  expect((await review.page({ state: 'all', offset: 0, limit: 10 }, never)).total).toBe(3);
  for (const file of [0, 1, 2]) gone.files.add(file);
  gone.changes += 1;
  const { units } = await review.page({ state: 'all', offset: 0, limit: 10 }, never);
  expect(units.map(({ series, file, files }) => [series, file, files])).toEqual([
    [uidOf(1), 3, 1],
    [uidOf(2), 4, 2],
  ]);
  await expect(review.read(0)).rejects.toMatchObject({ code: 'not_found' });
});
