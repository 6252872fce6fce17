import { afterEach, expect, test, vi } from 'vitest';
import { createThumbnails } from './thumbnails.ts';

afterEach(() => {
  vi.restoreAllMocks();
});

function settle(): Promise<void> {
  return new Promise((resume) => setTimeout(resume));
}

/** Thumbnails whose pictures arrive when the test says so, and the URLs in use. */
function createHeldThumbnails() {
  const asked: { readonly fileIndex: number; readonly answer: (result: Blob | Error) => Promise<void> }[] = [];
  const urls = new Set<string>();
  const create = URL.createObjectURL.bind(URL);
  vi.spyOn(URL, 'createObjectURL').mockImplementation((picture) => {
    const url = create(picture);
    urls.add(url);
    return url;
  });
  vi.spyOn(URL, 'revokeObjectURL').mockImplementation((url) => void urls.delete(url));
  const held = new AbortController();
  const thumbnails = createThumbnails({
    untilFree: () => new Promise((resume) => held.signal.addEventListener('abort', () => resume())),
    fetchPicture: ({ fileIndex }) =>
      new Promise((resolve, reject) => {
        const answer = async (result: Blob | Error) => {
          if (result instanceof Error) reject(result);
          else resolve(result);
          await settle();
        };
        asked.push({ fileIndex, answer });
      }),
  });
  const letGo = async () => {
    held.abort();
    await settle();
  };
  return { thumbnails, asked, urls, letGo, indices: () => asked.map(({ fileIndex }) => fileIndex) };
}

const PICTURE = new Blob(['a picture']);
const addressOf = (fileIndex: number) => ({ fileIndex, frame: 0 });

test('no thumbnail is requested before the connection is idle; then two at a time, in the order of the rows', async () => {
  const { thumbnails, asked, letGo, indices } = createHeldThumbnails();
  for (const index of [4, 5, 6]) thumbnails.want(`line ${index}`, addressOf(index), () => {});
  await settle();
  expect(indices()).toEqual([]);
  await letGo();
  expect(indices()).toEqual([4, 5]);
  await asked[1]!.answer(PICTURE);
  expect(indices()).toEqual([4, 5, 6]);
});

test('a row is notified when its thumbnail is loaded; one that is cancelled before its turn causes no request', async () => {
  const { thumbnails, asked, letGo, indices } = createHeldThumbnails();
  const ready: string[] = [];
  const [, , takeBack] = ['a', 'b', 'c'].map((name, i) => thumbnails.want(name, addressOf(i), () => ready.push(name)));
  await letGo();
  takeBack!();
  await asked[0]!.answer(PICTURE);
  expect([ready, indices()]).toEqual([['a'], [0, 1]]);
  expect(thumbnails.find('a')).toMatch(/^blob:/);
});

test('rows of one frame share its thumbnail, and a row keeps its thumbnail when it would now choose another frame', async () => {
  const { thumbnails, asked, letGo, indices } = createHeldThumbnails();
  const ready: string[] = [];
  thumbnails.want('series', addressOf(1), () => ready.push('series'));
  thumbnails.want('stack', addressOf(1), () => ready.push('stack'));
  await letGo();
  await asked[0]!.answer(PICTURE);
  thumbnails.want('file', addressOf(1), () => ready.push('file'));
  expect([ready, indices()]).toEqual([['series', 'stack', 'file'], [1]]);
  expect(new Set(['series', 'stack', 'file'].map((line) => thumbnails.find(line))).size).toBe(1);
});

test('a frame that cannot be drawn is requested once, whichever row shows it', async () => {
  const { thumbnails, asked, letGo, indices } = createHeldThumbnails();
  thumbnails.want('series', addressOf(1), () => {});
  await letGo();
  await asked[0]!.answer(new Error('cannot be drawn'));
  thumbnails.want('series', addressOf(1), () => {});
  thumbnails.want('stack', addressOf(1), () => {});
  expect([indices(), thumbnails.find('series')]).toEqual([[1], undefined]);
});

test('clearing revokes every URL, and failed thumbnails are requested again', async () => {
  const { thumbnails, asked, urls, letGo, indices } = createHeldThumbnails();
  thumbnails.want('a', addressOf(1), () => {});
  thumbnails.want('b', addressOf(2), () => {});
  await letGo();
  await asked[0]!.answer(PICTURE);
  await asked[1]!.answer(new Error('cannot be drawn'));
  expect(urls.size).toBe(1);
  thumbnails.clear();
  expect([urls.size, thumbnails.find('a')]).toEqual([0, undefined]);
  thumbnails.want('b', addressOf(2), () => {});
  expect(indices()).toEqual([1, 2, 2]);
});
