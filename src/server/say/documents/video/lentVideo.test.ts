import { expect, test } from 'vitest';
import { createAdmission } from '../../../machine/memory/admission.ts';
import { createLentVideo } from './lentVideo.ts';

const MIB = 2 ** 20;
const videoOf = (mebibytes: number) => ({ bytes: new Uint8Array(mebibytes * MIB) });

test('a large packed video is kept in lent memory until another one replaces it', async () => {
  const tasks = createAdmission(64 * MIB);
  const videos = createLentVideo(tasks);
  const [first, second] = [videoOf(20), videoOf(10)];

  videos.keep('a', first);
  await expect.poll(() => tasks.heldBytes()).toBe(20 * MIB);
  expect([videos.find('a'), videos.find('b')]).toEqual([first, undefined]);

  videos.keep('b', second);
  await expect.poll(() => tasks.heldBytes()).toBe(10 * MIB);
  expect([videos.find('a'), videos.find('b')]).toEqual([undefined, second]);
});

test('it leaves when a task needs the memory', async () => {
  const tasks = createAdmission(64 * MIB);
  const videos = createLentVideo(tasks);
  videos.keep('a', videoOf(40));
  await expect.poll(() => tasks.heldBytes()).toBe(40 * MIB);

  expect(await tasks.reserve({ bytes: 50 * MIB }, async () => 'done')).toBe('done');
  expect(videos.find('a')).toBeUndefined();
});

test('it is not kept where it does not fit at all', async () => {
  const videos = createLentVideo(createAdmission(8 * MIB));
  videos.keep('a', videoOf(20));
  await expect.poll(() => videos.find('a')).toBeUndefined();
});
