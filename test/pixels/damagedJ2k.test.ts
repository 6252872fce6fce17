import { describe, expect, test } from 'vitest';
import { corpus } from '../support/corpus.ts';
import { type DamagedCase, damageJ2k, decodeAsUsual, decodeByLibrary } from '../support/damageJ2k.ts';
import { type J2kStream, listCorpusJ2k, listJ2kStreams } from '../support/j2kStreams.ts';
import { CORPUS, needs } from '../support/needs.ts';

// `npm run check:long` damages 2,000 streams, of real files too.
const CASES = Number(process.env['NEGATO_DAMAGED_STREAMS'] ?? 420);
const SEED = Number(process.env['NEGATO_SEED'] ?? 20_251_116);

/**
 * The most that may stay silent, with room for other seeds: of 2,000 cases, 2 % of zeroed tails, 6 % of bits of headers and
 * 32 % of bits of data did. Such a bit leads to the same number of bytes, or is another possible quantization.
 */
const MOST_SILENT: Readonly<Record<string, number>> = {
  'zeroed tail': 0.05,
  'bytes removed': 0.05,
  'bytes inserted': 0,
  truncated: 0,
  'block of FF': 0.05,
  'flipped bit of the header': 0.15,
  'flipped bit of the data': 0.5,
};

describe('damaged JPEG 2000', async () => {
  const cases: DamagedCase[] = [];
  const streams = [
    ...(await listJ2kStreams()),
    ...(CASES >= 2000 && corpus !== undefined ? listCorpusJ2k(corpus) : []),
  ];

  test('is given with the same samples or named by both decoders', { timeout: 180_000 + CASES * 2000 }, async () => {
    const differing: string[] = [];
    for await (const each of damageJ2k(streams, CASES, SEED)) {
      cases.push(each);
      const areBothSilent = each.ours === 'silent' && each.library === 'silent' && each.isSame;
      const areBothSaid = each.ours !== 'silent' && each.library !== 'silent';
      if (!areBothSilent && !areBothSaid)
        differing.push(`${each.number} ${each.kind} of ${each.stream}: ${each.ours}, by the library ${each.library}`);
    }
    expect(differing).toEqual([]);
  });

  test.each(Object.entries(MOST_SILENT))('with a %s is shown as whole in at most %d of the cases', (kind, most) => {
    const ofKind = cases.filter((each) => each.kind === kind);
    const silent = ofKind.filter(({ ours, isHarmless }) => ours === 'silent' && !isHarmless);
    expect(ofKind.length).toBeGreaterThan(0);
    expect(silent.length / ofKind.length).toBeLessThanOrEqual(most);
  });
});

test('an undamaged stream has no damage', async () => {
  expect(await nameDamaged(await listJ2kStreams())).toEqual([]);
});

test('no undamaged stream of a real file has damage', { ...needs(CORPUS), timeout: 600_000 }, async () => {
  expect(await nameDamaged(listCorpusJ2k(corpus!))).toEqual([]);
});

/** The streams of which a decoder says something. */
async function nameDamaged(streams: readonly J2kStream[]): Promise<readonly string[]> {
  const named: string[] = [];
  for (const stream of streams) {
    const { verdict } = await decodeAsUsual(stream, stream.bytes);
    const { verdict: byLibrary } = await decodeByLibrary(stream, stream.bytes);
    if (verdict !== 'silent' || byLibrary !== 'silent') named.push(`${stream.name}: ${verdict}, ${byLibrary}`);
  }
  return named;
}
