import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { pretendSource } from '../../../../test/support/sources.ts';
import { packTargets, unpackTargets } from './roiTargets.ts';

test('files packed for a worker are unpacked unchanged, for any number of files', async () => {
  const path = fc.string({ unit: 'binary', minLength: 1 }).map((text) => `/${text.replaceAll('\0', '')}`);
  const size = fc.nat(2 ** 32 - 1);
  const file = fc
    .record({ path, place: fc.option(path), rows: size, columns: size, frameCount: size })
    .map((given) => ({ ...given, place: given.place ?? given.path }));
  await fc.assert(
    // Repeated, so that there are more files than fit into one slice.
    fc.asyncProperty(fc.array(file, { maxLength: 20 }), fc.integer({ min: 1, max: 60 }), async (few, times) => {
      const files = Array.from({ length: times }, () => few).flat();
      expect(
        unpackTargets(
          await packTargets(files.map(({ place, ...rest }) => ({ ...rest, source: pretendSource(place) }))),
        ),
      ).toEqual(files);
    }),
  );
});
