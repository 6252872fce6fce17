import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { createImage } from '../../../../test/support/annotatedFiles.ts';
import { createTempFolder, writeBelow } from '../../../../test/support/tempFolder.ts';
import { createPathMatcher } from './pathMatcher.ts';
import { needs } from '../../../../test/support/needs.ts';

describe('a path in a CSV means the open file', needs('a system with POSIX paths and permissions'), () => {
  test.each([
    ['/data/ct/1.dcm', 0],
    ['/data/ct/../ct/./1.dcm', 0],
    ['/data//ct///1.dcm', 0],
    ['/data/ct/1.dcm/', 0],
    ['/../data/ct/1.dcm', 0],
    ['ct/1.dcm', 0],
    ['./ct/1.dcm', 0],
    ['../data/ct/1.dcm', 0],
    ['ct\\1.dcm', 0],
    ['.\\ct\\..\\ct\\1.dcm', 0],
    ['\\data\\ct\\1.dcm', 0],
    ['/data/ct\\1.dcm', 0],
    // On POSIX this is a valid file name, and a file with this name is open.
    ['/data/mr\\2.dcm', 1],
    ['mr\\2.dcm', 1],
    ['/data/.hidden/..3.dcm', 2],
    ['/store/4.dcm', 3],
    ['/data/link.dcm', 3],
  ])('%s', (written, index) => {
    expect(createMatcher()(written)).toBe(index);
  });

  test.each([
    [''],
    ['.'],
    ['/'],
    ['/data/ct'],
    ['/data/ct/1.dc'],
    ['/data/CT/1.dcm'],
    ['/elsewhere/ct/1.dcm'],
    ['1.dcm'],
    [' /data/ct/1.dcm'],
    ['C:\\data\\ct\\1.dcm'],
    ['/data/ct/1.dcm\0'],
    ['file:///data/ct/1.dcm'],
    ['=cmd()'],
  ])('but %j means none', (written) => {
    expect(createMatcher()(written)).toBeUndefined();
  });
});

describe('symbolic links', needs('a system with POSIX paths and permissions'), () => {
  test('a file that was walked over a linked folder is found by every way to it', () => {
    const folder = createTempFolder();
    const realPath = writeBelow(folder, 'real/1.dcm');
    symlinkSync(join(folder, 'real'), join(folder, 'walked'));
    symlinkSync(join(folder, 'real'), join(folder, 'other'));
    const find = createPathMatcher([createImage(join(folder, 'walked/1.dcm'), { place: realPath })], folder);

    const ways = ['walked/1.dcm', 'real/1.dcm', 'other/1.dcm', join(folder, 'other/1.dcm')];
    expect(ways.map(find)).toEqual([0, 0, 0, 0]);
    expect(find('missing/1.dcm')).toBeUndefined();
  });

  test('a linked file is found below a linked folder by the name of the link', () => {
    const folder = createTempFolder();
    const realPath = writeBelow(folder, 'store/blob');
    writeBelow(folder, 'walked/other');
    symlinkSync(realPath, join(folder, 'walked/1.dcm'));
    symlinkSync(join(folder, 'walked'), join(folder, 'again'));
    const find = createPathMatcher([createImage(join(folder, 'walked/1.dcm'), { place: realPath })], folder);

    expect(find('again/1.dcm')).toBe(0);
    expect(find('store/blob')).toBe(0);
    expect(find('again/other')).toBeUndefined();
  });

  test('a link of any name leads to the open file, whichever of the two was walked', () => {
    const folder = createTempFolder();
    const realPath = writeBelow(folder, 'store/blob');
    symlinkSync(realPath, join(folder, 'link.dcm'));
    symlinkSync('link.dcm', join(folder, 'chain.dcm'));
    symlinkSync('nowhere', join(folder, 'broken.dcm'));
    for (const path of [realPath, join(folder, 'link.dcm'), join(folder, 'chain.dcm')]) {
      const find = createPathMatcher([createImage(path, { place: realPath })], folder);
      const ways = ['store/blob', 'link.dcm', './chain.dcm', join(folder, 'store/../link.dcm')];
      expect(ways.map(find)).toEqual([0, 0, 0, 0]);
      expect(find('broken.dcm')).toBeUndefined();
    }
  });
});

function createMatcher() {
  const files = [
    createImage('/data/ct/1.dcm'),
    createImage('/data/mr\\2.dcm'),
    createImage('/data/.hidden/..3.dcm'),
    createImage('/data/link.dcm', { place: '/store/4.dcm' }),
  ];
  return createPathMatcher(files, '/data');
}
