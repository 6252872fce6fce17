import { readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { expect, test } from 'vitest';
import type { FilesResponse } from '../../src/shared/contract/files.ts';
import type { VolumeResponse } from '../../src/shared/contract/volumes.ts';
import { askAgain } from '../support/askAgain.ts';
import { corpus } from '../support/corpus.ts';
import { CORPUS, needs } from '../support/needs.ts';
import { serveShared } from '../support/serve.ts';

/** By the first file of each series that dcm2niix converts: the shapes of its files. See makeConverted.py. */
const CONVERTED: Readonly<Record<string, readonly (readonly number[])[]>> = JSON.parse(
  readFileSync(new URL('converted.json', import.meta.url), 'utf8'),
);

/** A tag, a clause, or what the positions themselves say. */
const SAYS_WHY = /\([\dA-F]{4},[\dA-F]{4}\)|PS3\.3 [AC]\.|^there is only one image$|^all frames lie in one plane$/;
/** Others, with what they say instead. */
const OTHERS: Readonly<Record<string, string>> = {
  'dicomdir/pydicom/98892003/MR700/4467': 'the planes turn around an axis, so they do not lie above each other',
  'series/mosaic/0.dcm':
    'the image is a mosaic of slices, and 48 slices are 7 rows of 7, which 256 rows and 256 columns of samples are no multiple of',
};
/** Three copies of one dose, of which dcm2niix makes two times. */
const COPIES: Readonly<Record<string, string>> = { 'rt/small/rtdose.dcm': '10 10 15, 1' };

test(
  'each series that dcm2niix converts is a volume of the same shape, or is refused with what is missing or a clause',
  { ...needs(CORPUS), timeout: 300_000 },
  async () => {
    const server = await serveShared(`${corpus}`);
    const { files }: FilesResponse = await (await server.request('/api/files')).json();
    const bySeries = groupBySeries(files);
    const counts = { volumes: 0, refused: 0 };
    const unexplained: string[] = [];
    for (const [path, shapes] of Object.entries(CONVERTED)) {
      const file = files.find((one) => one.path === `${corpus}/${path}`)!;
      const answers: VolumeResponse[] = [];
      for (const { index } of bySeries.get(seriesOf(file))!) {
        answers.push(await (await askAgain(`${server.baseUrl}/api/file/${index}/volume`)).json());
      }
      const volumes = answers.flatMap(({ volume }) => volume ?? []);
      if (volumes.length > 0) {
        counts.volumes += 1;
        // dcm2niix turns sagittal and coronal images, so that the order of the sizes is left out.
        const own = volumes.map(({ columns, rows, places, times }) => toText([columns, rows, places, times.length]));
        const isEqual = shapes.some((shape) => own.includes(toText(shape))) || own[0] === COPIES[path];
        if (!isEqual) unexplained.push(`${path}: ${own[0]}`);
        continue;
      }
      counts.refused += 1;
      for (const { refusal } of answers) {
        const message = refusal?.message ?? '';
        if (!SAYS_WHY.test(message) && OTHERS[path] !== message) unexplained.push(`${path}: ${message}`);
      }
    }
    expect(unexplained).toEqual([]);
    expect(counts).toEqual({ volumes: 47, refused: 113 });
  },
);

function groupBySeries(files: FilesResponse['files']): ReadonlyMap<string, FilesResponse['files']> {
  const groups = new Map<string, FilesResponse['files'][number][]>();
  for (const file of files) groups.set(seriesOf(file), [...(groups.get(seriesOf(file)) ?? []), file]);
  return groups;
}

function seriesOf({
  path,
  study_instance_uid: study,
  series_instance_uid: series,
}: FilesResponse['files'][number]): string {
  return series === '' ? path : [dirname(path), study, series].join('\n');
}

function toText(shape: readonly number[]): string {
  return `${shape
    .slice(0, 3)
    .toSorted((a, b) => a - b)
    .join(' ')}, ${Math.max(1, shape[3] ?? 1)}`;
}
