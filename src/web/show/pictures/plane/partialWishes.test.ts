import { expect, test } from 'vitest';
import { createPage } from '../../../kit/state/page.ts';
import { noteVolumeProgress, type VolumeLoading } from '../../../kit/state/volumeProgress.ts';
import { createFrameLoader, type FrameWish, keyOf } from '../frameLoader.ts';
import type { LoadedFrame } from '../loadedFrame.ts';
import { chooseWishes, createPartialWishes } from './partialWishes.ts';

function wish(query: string, partial?: number): FrameWish {
  const form = { kind: 'plane', query, step: 1, partial, toFrameValue: 1, stream: 'a' } as const;
  return { fileIndex: 0, frame: 0, form };
}

/** A loader whose answers the test gives, by the key of the wish. */
function createHeldLoader() {
  const answers = new Map<string, (frame: LoadedFrame) => void>();
  const loader = createFrameLoader({
    budgetBytes: 1e6,
    load: (one) => new Promise((resolve) => answers.set(keyOf(one), resolve)),
  });
  const answer = async (one: FrameWish) => {
    answers.get(keyOf(one))?.({
      kind: 'gray',
      rows: 1,
      columns: 1,
      samples: new Int16Array(1),
      isMonochrome1: false,
      modality: { kind: 'rescale', slope: 1, intercept: 0 },
      voi: { windows: [], shape: undefined, tables: [] },
      padding: undefined,
      presentation: 'raw',
    });
    await Promise.resolve();
    await expect.poll(() => loader.find(one)?.status).toBe('ready');
  };
  return { loader, answer };
}

test('a partial picture is wanted while some slices are loaded, and again when more are, but not before it has come', async () => {
  const page = createPage();
  const { loader, answer } = createHeldLoader();
  const find = createPartialWishes(page, { fileIndex: 3 }, 0, (position, partial) => wish(`p${position}`, partial));
  const report = (places_loaded: number, storage: VolumeLoading['storage'] = 'memory') =>
    noteVolumeProgress(page, { file_index: 3, time: 0, places: 64, places_loaded, storage });

  expect(find(0, loader)).toBeUndefined();
  report(1);
  expect(find(0, loader)).toBeUndefined();
  // 8 of 64 slices are 2 of 16 states.
  report(8);
  const first = find(0, loader);
  expect(first).toEqual(wish('p0', 2));
  loader.want('cell', { now: [first!], soon: [] });
  report(16);
  expect(find(0, loader)).toEqual(wish('p0', 2));
  await answer(first!);
  expect(find(0, loader)).toEqual(wish('p0', 4));
  // Of another time nothing is known.
  noteVolumeProgress(page, { file_index: 3, time: 1, places: 64, places_loaded: 64, storage: 'memory' });
  expect(find(0, loader)).toEqual(wish('p0', 4));
  report(64);
  expect(find(0, loader)).toBeUndefined();
  // A plane of packed slices is never made of some of them.
  report(16, 'packed');
  expect(find(0, loader)).toBeUndefined();
});

test('the exact picture never has the key of a partial one', () => {
  expect(keyOf(wish('p0', 0))).not.toBe(keyOf(wish('p0')));
  expect(keyOf(wish('p0', 1))).not.toBe(keyOf(wish('p0', 2)));
});

test('while the user moves only what comes soon is wanted, and at rest the exact picture first', async () => {
  const { loader, answer } = createHeldLoader();
  const [whole, coarse, partial] = [wish('whole'), wish('coarse'), wish('coarse', 3)];
  const choose = (isPassing: boolean, some: FrameWish | undefined) =>
    chooseWishes({ whole, coarse, partial: some }, { isPassing, loader });
  expect(choose(true, undefined)).toEqual([coarse]);
  expect(choose(true, partial)).toEqual([partial]);
  expect(choose(false, undefined)).toEqual([whole]);
  expect(choose(false, partial)).toEqual([whole, partial]);
  loader.want('cell', { now: [coarse], soon: [] });
  await answer(coarse);
  expect(choose(true, partial)).toEqual([coarse]);
  expect(choose(false, partial)).toEqual([whole, coarse]);
  loader.want('cell', { now: [whole], soon: [] });
  await answer(whole);
  expect(choose(true, partial)).toEqual([whole]);
});
