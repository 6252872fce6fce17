import { expect, test } from 'vitest';
import { createFileRecord } from '../../../../test/support/createFileRecord.ts';
import type { Reference, ReferenceTarget, WireReferrer } from '../../../shared/contract/references.ts';
import { listLinkRows } from './linkRows.ts';
import { linksFrom, linksTo } from './links.ts';

const FILES = [
  createFileRecord(0, {
    path: '/data/a.dcm',
    modality: 'CT',
    series_number: '2',
    series_description: 'Chest',
    instance_number: '14',
    frame_count: 8,
  }),
  createFileRecord(1, { path: '/data/b.dcm', modality: 'SEG', series_number: '9', instance_number: '' }),
];
const find = (index: number) => FILES[index];

function createReference(target: Partial<ReferenceTarget>, ...files: number[]): Reference {
  return {
    relationship: 'source_image',
    target: {
      sop_class_uid: null,
      sop_class_name: null,
      sop_instance_uid: null,
      series_instance_uid: null,
      frame_numbers: [],
      segment_numbers: [],
      ...target,
    },
    matches: files.map((file_index) => ({ file_index, path: '', sop_instance_uid: '', frame_indices: [] })),
  };
}

test('references to one instance are one link, which names all frames, and leads to those that exist', () => {
  const [link, ...others] = linksTo(
    [
      createReference({ sop_instance_uid: '2.25.1', frame_numbers: [7, 3] }, 0),
      createReference({ sop_instance_uid: '2.25.1', frame_numbers: [4, 99], segment_numbers: [2] }, 0),
    ],
    find,
  );

  expect(others).toEqual([]);
  expect(link).toMatchObject({
    title: 'CT · 2 · Chest · #14',
    detail: 'frames 3–4, 7, 99 · segment 2 · a.dcm',
    uid: '2.25.1',
    frames: [2, 3, 6],
  });
});

test('one reference without frame numbers means all of the instance', () => {
  const links = linksTo(
    [
      createReference({ sop_instance_uid: '2.25.1', frame_numbers: [3] }, 0),
      createReference({ sop_instance_uid: '2.25.1' }, 0),
    ],
    find,
  );

  expect(links.map(({ detail, frames }) => ({ detail, frames }))).toEqual([{ detail: 'a.dcm', frames: [] }]);
});

test('an instance of which several copies are open has a link to each, which says so', () => {
  const links = linksTo([createReference({ sop_instance_uid: '2.25.1', frame_numbers: [2] }, 0, 1)], find);

  expect(links.map(({ file, detail }) => [file?.index, detail])).toEqual([
    [0, 'frame 2 · copy 1 of 2 · a.dcm'],
    [1, 'frame 2 · copy 2 of 2 · b.dcm'],
  ]);
  expect(new Set(links.map(({ key }) => key)).size).toBe(2);
});

test('an object that is not open is named by its class and distinguished by the end of its UID', () => {
  const target = { sop_instance_uid: '1.2.3.4567890123', sop_class_name: 'CT Image Storage', frame_numbers: [5] };

  expect(linksTo([createReference(target)], find)).toMatchObject([
    { title: 'CT Image', detail: 'frame 5 · …67890123', file: undefined, frames: [] },
  ]);
});

test('a series of which no instance is named is one link to all its files', () => {
  const links = linksTo([createReference({ series_instance_uid: '2.25.9' }, 0, 1)], find);

  expect(links).toMatchObject([{ title: 'Entire series 2 · Chest', detail: '2 files', uid: '2.25.9', file: FILES[0] }]);
});

test('an object that points to frames names them, and is opened from its beginning', () => {
  const referrer: WireReferrer = {
    relationship: 'source_image_for_segmentation',
    file_index: 1,
    path: '/data/b.dcm',
    sop_class_uid: '',
    sop_instance_uid: '2.25.2',
    frame_numbers: [1, 2],
    segment_numbers: [],
  };

  const links = linksFrom([referrer], find);

  expect(links).toMatchObject([{ title: 'SEG · Series 9', detail: 'frames 1–2 · b.dcm', frames: [] }]);
});

test('the lines are both directions, each by relationship, with the frames of a link when it is unfolded', () => {
  const to = linksTo(
    [
      { ...createReference({ sop_instance_uid: '2.25.5' }), relationship: 'unknown' },
      createReference({ sop_instance_uid: '2.25.1', frame_numbers: [3, 4] }, 0),
    ],
    find,
  );
  const describe = (toggled: string[]) =>
    listLinkRows({ to, from: [] }, new Set(toggled)).map((row) => {
      const name = row.kind === 'heading' ? row.title : row.kind === 'link' ? row.link.uid : `frame ${row.frame}`;
      return `${row.level} ${name}`;
    });

  const closed = ['1 Refers to', '2 Source images', '3 2.25.1', '2 Other references', '3 2.25.5', '1 Referenced by'];
  expect(describe([])).toEqual(closed);
  expect(describe(['to/source_image/2.25.1'])).toEqual(closed.toSpliced(3, 0, '4 frame 2', '4 frame 3'));
  expect(describe(['to'])).toEqual(['1 Refers to', '1 Referenced by']);
});

test('a group of more than 20 is closed at first', () => {
  const references = Array.from({ length: 21 }, (_, i) => createReference({ sop_instance_uid: `2.25.${i}` }));
  const countRows = (count: number, ...toggled: string[]) =>
    listLinkRows({ to: linksTo(references.slice(0, count), find), from: [] }, new Set(toggled)).length;

  // Two headings for the directions and one for the group.
  expect(countRows(20)).toBe(23);
  expect(countRows(21)).toBe(3);
  expect(countRows(21, 'to/source_image')).toBe(24);
});
