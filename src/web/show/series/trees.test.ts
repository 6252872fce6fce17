import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { createFileRecord } from '../../../../test/support/createFileRecord.ts';
import type { FileRecord } from '../../../shared/contract/files.ts';
import { createPage } from '../../kit/state/page.ts';
import type { ViewStack } from '../../kit/state/stacks.ts';
import { explainMissingPicture, formatPersonName } from './describeFile.ts';
import { filterFiles, findFiles } from './filterFiles.ts';
import { buildFolderTree, growFolderTree } from './folderTree.ts';
import { buildStudyTree, growStudyTree } from './studyTree.ts';
import { findSeen, flattenTree, growLines, growTreeIndex, indexTree, listStacks, type TreeNode } from './treeNode.ts';

const page = createPage();
const NO_STACKS = { stackOfFile: new Map<number, ViewStack>(), isSeriesComplete: true };

function image(index: number, different: Partial<FileRecord> = {}): FileRecord {
  return createFileRecord(index, {
    support_state: 'renderable',
    object_kind: 'classic_image',
    has_pixels: true,
    frame_count: 1,
    rows: 8,
    columns: 8,
    modality: 'CT',
    sop_instance_uid: `1.${index}`,
    patient_id: 'P',
    study_instance_uid: '1.2',
    series_instance_uid: '1.2.3',
    ...different,
  });
}

function stackOf(id: string, files: readonly FileRecord[]): ViewStack {
  const frames = files.map((file) => ({
    fileIndex: file.index,
    frame: 0,
    sopInstanceUid: file.sop_instance_uid,
    positionMm: undefined,
  }));
  return { id, kind: 'ordinary', frames, warnings: [], fileIndex: files[0]?.index ?? 0, seriesUid: '', studyUid: '' };
}

function titles(nodes: readonly TreeNode[]): string[] {
  return nodes.map(({ title, fileCount }) => `${title}: ${fileCount}`);
}

const record = fc
  .record({ patient: fc.nat(3), study: fc.nat(3), series: fc.nat(4), folder: fc.nat(3), isImage: fc.boolean() })
  .map(({ patient, study, series, folder, isImage }) => (index: number) => {
    const ids = { patient_id: patient === 0 ? '' : `P${patient}`, study_instance_uid: study === 0 ? '' : `${study}` };
    const place = { series_instance_uid: series === 0 ? '' : `${series}`, path: `/data/${folder}/deep/${index}.dcm` };
    return isImage ? image(index, { ...ids, ...place }) : createFileRecord(index, { ...ids, ...place });
  });

/** The counts of the children add up at every line that has any. */
function expectSums(nodes: readonly TreeNode[]): void {
  for (const { children, fileCount } of nodes) {
    if (children.length === 0) continue;
    expect(children.reduce((sum, child) => sum + child.fileCount, 0)).toBe(fileCount);
    expectSums(children);
  }
}

test('in both trees every file is counted once at every level', () => {
  fc.assert(
    fc.property(fc.array(record), (makers) => {
      const files = makers.map((make, index) => make(index));
      for (const tree of [buildStudyTree(page, files, NO_STACKS), buildFolderTree(page, files)]) {
        expect(tree.reduce((sum, node) => sum + node.fileCount, 0)).toBe(files.length);
        expectSums(tree);
      }
    }),
  );
});

test('studies come by date and series by number, those without one last', () => {
  const series = (index: number, number: string) =>
    image(index, { series_instance_uid: `s${index}`, series_number: number });
  const files = [
    image(0, { study_instance_uid: 'b', study_date: '20240101', series_instance_uid: 'x' }),
    series(1, '10'),
    series(2, ''),
    series(3, '9'),
  ];
  const [patient] = buildStudyTree(page, files, NO_STACKS);
  expect(titles(patient?.children ?? [])).toEqual(['Study: 3', '2024-01-01: 1']);
  expect(titles(patient?.children[0]?.children ?? [])).toEqual(['Series 9: 1', 'Series 10: 1', 'CT: 1']);
});

test('a series of one stack is one line, one of several has a line for each and for what is in none', () => {
  const files = [
    image(0),
    image(1),
    image(2, { rows: 16 }),
    createFileRecord(3, { study_instance_uid: '1.2', series_instance_uid: '1.2.3', patient_id: 'P' }),
  ];
  const one = stackOf('one', files.slice(0, 2));
  const two = stackOf('two', files.slice(2, 3));
  const seriesOf = (stackOfFile: ReadonlyMap<number, ViewStack>, count: number) =>
    buildStudyTree(page, files.slice(0, count), { stackOfFile, isSeriesComplete: true })[0]?.children[0]?.children[0];

  expect(
    seriesOf(
      new Map([
        [0, one],
        [1, one],
      ]),
      2,
    ),
  ).toMatchObject({ stackId: 'one', children: [] });
  const parts = seriesOf(
    new Map([
      [0, one],
      [1, one],
      [2, two],
    ]),
    4,
  );
  expect(parts?.stackId).toBe('one');
  expect(titles(parts?.children ?? [])).toEqual(['8 × 8: 2', '8 × 16: 1', 'private object: 1']);
});

test('while the series are not known their images are not listed one by one', () => {
  const [patient] = buildStudyTree(page, [image(0), image(1)], { stackOfFile: new Map(), isSeriesComplete: false });
  expect(patient?.children[0]?.children[0]).toMatchObject({ fileCount: 2, children: [] });
});

test('a folder that holds nothing but another one is one line with it', () => {
  const files = ['/data/a/b/1.dcm', '/data/a/b/2.dcm', '/data/c/3.dcm'].map((path, index) => image(index, { path }));
  const tree = buildFolderTree(page, files);
  expect(titles(tree)).toEqual(['/data: 3']);
  expect(titles(tree[0]?.children ?? [])).toEqual(['a/b: 2', 'c: 1']);
});

test('closed lines hide what is below them', () => {
  const tree = buildFolderTree(page, [image(0, { path: '/data/a/1.dcm' }), image(1, { path: '/data/b/2.dcm' })]);
  const levels = (toggled: readonly string[]) =>
    flattenTree(tree, new Set(toggled)).map(({ level, node }) => `${level} ${node.title}`);
  expect(levels([])).toEqual(['1 /data', '2 a', '2 b']);
  expect(levels(['folder//data/'])).toEqual(['1 /data']);
  expect(levels(['folder//data/b/'])).toEqual(['1 /data', '2 a', '2 b', '3 2.dcm']);
});

test('files without images are skipped when stepping through the series', () => {
  const files = [
    image(0, { series_instance_uid: 'a' }),
    createFileRecord(1, { patient_id: 'P' }),
    image(2, { series_instance_uid: 'b' }),
  ];
  expect(listStacks(buildStudyTree(page, files, NO_STACKS))).toEqual(['file/0', 'file/2']);
});

test.each([
  ['', [0, 1]],
  ['doe', [0]],
  ['ct', [0]],
  ['ort', [1]],
  ['structured doe', []],
  ['2024-01-31', [1]],
  ['20240131', [1]],
  ['1.0.7', []],
  ['/data/0', [0]],
])('the filter %j finds %j', (text, found) => {
  const files = [
    image(0, { patient_name: 'Doe^Jane' }),
    createFileRecord(1, { object_kind: 'structured_report', modality: 'SR', study_date: '20240131' }),
  ];
  expect(filterFiles(files, text).map(({ index }) => index)).toEqual(found);
});

test('a word is found in each file by itself, whatever the files before it contain', () => {
  const files = [
    image(0, { path: '/data/First.dcm' }),
    image(1, { path: '/data/second.dcm' }),
    image(2, { path: '/data/first.dcm', series_description: 'Second look' }),
    image(3, { path: '/data/third.dcm' }),
  ];
  const found = (text: string) => filterFiles(files, text).map(({ index }) => index);
  expect(found('second')).toEqual([1, 2]);
  expect(found('first')).toEqual([0, 2]);
  expect(found('first second')).toEqual([2]);
});

function countPauses(work: Generator<undefined, unknown, undefined>): number {
  return [...work].length;
}

test('filtering and building the trees of 20,000 files pauses at least once every 128 files', () => {
  const files = Array.from({ length: 20_000 }, (_, index) =>
    image(index, { path: `/data/${index % 7}/${index}.dcm`, series_instance_uid: `${index % 100}` }),
  );
  expect(countPauses(findFiles(files, 'data'))).toBeGreaterThanOrEqual(20_000 / 128);
  expect(countPauses(growStudyTree(page, files, NO_STACKS))).toBeGreaterThanOrEqual(20_000 / 128);
  for (const order of ['found', 'name', 'newest'] as const) {
    expect(countPauses(growFolderTree(page, files, { order }))).toBeGreaterThanOrEqual(20_000 / 128);
  }
});

/** The most files that a single step of the work looks at. */
function mostPerStep(
  count: number,
  start: (files: readonly FileRecord[]) => Generator<undefined, unknown, undefined>,
): number {
  const touched = new Set<number>();
  const files = Array.from({ length: count }, (_, index) => {
    const own = { patient_id: `P${index}`, study_instance_uid: `${index}`, study_date: String(20_000_101 + index) };
    const file = image(index, { ...own, path: `/data/${index}/${index}.dcm` });
    return new Proxy(file, {
      get(target, key, self) {
        touched.add(index);
        return Reflect.get(target, key, self);
      },
    });
  });
  const work = start(files);
  let most = 0;
  for (let step = work.next(); step.done !== true; step = work.next()) {
    most = Math.max(most, touched.size);
    touched.clear();
  }
  return Math.max(most, touched.size);
}

test.each(['found', 'name', 'newest'] as const)(
  'no step looks at more than 128 files and the one before them, also if all have their own patient and folder: %s',
  (order) => {
    const count = 2_000;
    expect(mostPerStep(count, (files) => findFiles(files, 'data'))).toBeLessThanOrEqual(129);
    expect(mostPerStep(count, (files) => growStudyTree(page, files, NO_STACKS, order))).toBeLessThanOrEqual(129);
    expect(mostPerStep(count, (files) => growFolderTree(page, files, { order }))).toBeLessThanOrEqual(129);
  },
);

test('finding the lines of a tree of 20,000 files, and what each shows, pauses at least once every 128 lines', () => {
  const files = Array.from({ length: 20_000 }, (_, index) => image(index, { path: `/data/${index % 7}/${index}.dcm` }));
  const tree = buildFolderTree(page, files, { areOpen: true });
  // The folder of all, seven in it, and the files.
  const lines = 20_008;
  expect(flattenTree(tree, new Set())).toHaveLength(lines);
  expect(countPauses(growLines(tree, new Set()))).toBe(Math.floor(lines / 128));
  expect(countPauses(growTreeIndex(tree))).toBe(Math.floor(lines / 128));
});

test.each([
  ['Doe^Jane^M', 'Doe, Jane M'],
  ['Doe', 'Doe'],
  ['^Jane', 'Jane'],
  ['Yamada^Tarou=山田^太郎', 'Yamada, Tarou'],
  ['=山田^太郎', '山田, 太郎'],
  ['^^=山田^太郎', '山田, 太郎'],
  ['', ''],
])('the name %s reads %s', (stored, shown) => {
  expect(formatPersonName(stored)).toBe(shown);
});

test('until the series are known a slide is not opened by its label', () => {
  const slide = { object_kind: 'whole_slide_microscopy', modality: 'SM' } as const;
  const files = [image(0, slide), image(1, { ...slide, frame_count: 12 }), image(2, slide)];

  const [patient] = buildStudyTree(page, files, { ...NO_STACKS, isSeriesComplete: false });

  expect(patient?.children[0]?.children[0]).toMatchObject({ stackId: 'file/1', thumbnail: { fileIndex: 1 } });
});

test('a series without a displayable image requests no thumbnail', () => {
  const file = image(0, { support_state: 'unsupported', support_reason: 'pixel_layout.rows_missing' });
  const stacks = { stackOfFile: new Map([[0, stackOf('a', [file])]]), isSeriesComplete: true };

  expect(buildStudyTree(page, [file], stacks)[0]?.children[0]?.children[0]).toMatchObject({
    stackId: 'a',
    thumbnail: undefined,
  });
});

test('the way to a file is found, and the innermost line of it that can be seen stands for it', () => {
  const paths = ['/data/a/b/1.dcm', '/data/a/2.dcm', '/data/c/3.dcm'];
  const tree = buildFolderTree(
    page,
    paths.map((path, index) => image(index, { path })),
  );
  const index = indexTree(tree);
  const path = index.pathTo({ stackId: 'any', fileIndex: 0 });

  expect(path.map(({ title }) => title)).toEqual(['/data', 'a', 'b', '1.dcm']);
  // Initially only the outermost folder is open.
  expect(findSeen(path, new Set())?.title).toBe('a');
  expect(findSeen(path, new Set(['folder//data/a/', 'folder//data/a/b/']))?.title).toBe('1.dcm');
  expect(findSeen(path, new Set(['folder//data/']))?.title).toBe('/data');
  expect(index.pathTo({ stackId: 'elsewhere', fileIndex: 9 })).toEqual([]);
});

test('of a series and its stack the line of the stack is the one that is shown', () => {
  const files = [image(0), image(1, { rows: 16 })];
  const [one, two] = [stackOf('one', files.slice(0, 1)), stackOf('two', files.slice(1))];
  const stackOfFile = new Map([
    [0, one],
    [1, two],
  ]);
  const index = indexTree(buildStudyTree(page, files, { stackOfFile, isSeriesComplete: true }));

  expect(index.pathTo({ stackId: 'one', fileIndex: 0 }).map(({ kind }) => kind)).toEqual([
    'patient',
    'study',
    'series',
    'stack',
  ]);
});

test('a stack is named by what distinguishes it from the others of its series', () => {
  const files = [image(0), image(1)];
  const traits = [
    [{ name: 'echo', value: '1' }],
    [
      { name: 'b_value', value: '800' },
      { name: 'matrix', value: '8 x 8' },
    ],
  ] as const;
  const stackOfFile = new Map(
    files.map((file, at) => [file.index, { ...stackOf(`${at}`, [file]), distinction: traits[at] }]),
  );
  const series = buildStudyTree(page, files, { stackOfFile, isSeriesComplete: true })[0]?.children[0]?.children[0];

  expect(series?.children.map(({ title, detail }) => [title, detail])).toEqual([
    ['echo 1', '8 × 8 · 1 image'],
    ['b 800 s/mm²', '8 × 8 · 1 image'],
  ]);
});

test('patients and studies come as they were found, by name, or the newest first', () => {
  const files = [
    ['B^Zoe', '20200101', 'x'],
    ['a^Kim', '20190101', 'y'],
    ['a^Kim', '20230101', 'b'],
    ['B^Zoe', '20210101', 'a'],
  ].map(([patient_name = '', study_date = '', study_description = ''], index) =>
    image(index, {
      patient_name,
      patient_id: patient_name,
      study_date,
      study_description,
      study_instance_uid: study_date,
    }),
  );
  const outline = (order: 'found' | 'name' | 'newest') =>
    buildStudyTree(page, files, NO_STACKS, order).map(({ title, children }) => [
      title,
      ...children.map((one) => one.title),
    ]);

  expect(outline('found')).toEqual([
    ['B, Zoe', '2020-01-01 · x', '2021-01-01 · a'],
    ['a, Kim', '2019-01-01 · y', '2023-01-01 · b'],
  ]);
  expect(outline('name')).toEqual([
    ['a, Kim', '2023-01-01 · b', '2019-01-01 · y'],
    ['B, Zoe', '2021-01-01 · a', '2020-01-01 · x'],
  ]);
  expect(outline('newest')).toEqual([
    ['a, Kim', '2023-01-01 · b', '2019-01-01 · y'],
    ['B, Zoe', '2021-01-01 · a', '2020-01-01 · x'],
  ]);
});

test.each([
  ['pixel_data.absent', 'The file contains no image.'],
  ['pixel_layout.rows_missing', 'Rows is missing, so the pixels cannot be read.'],
  ['transfer_syntax.unknown', 'The transfer syntax is not defined in the DICOM standard.'],
  ['transfer_syntax.not_supported', 'negato has no decoder for the transfer syntax of this file.'],
  ['pixel_layout.samples_per_pixel', 'The pixels are stored in a way that is not supported (Samples per Pixel).'],
  ['pixel_layout.cmyk', 'The pixels are stored in a way that is not supported (CMYK color).'],
])('a sentence says why a file has no picture: %s', (support_reason, sentence) => {
  expect(explainMissingPicture(image(0, { support_state: 'unsupported', support_reason }))).toBe(sentence);
});

test('documents are found by their titles, and both trees show them', () => {
  const of = {
    object_kind: 'structured_report',
    modality: 'SR',
    sop_class_name: 'Basic Text SR Storage',
    patient_id: 'P',
  } as const;
  const files = [
    createFileRecord(0, { ...of, series_instance_uid: 'a', content_title: 'Discharge letter' }),
    createFileRecord(1, { ...of, series_instance_uid: 'b', content_title: 'Basic Text SR' }),
    createFileRecord(2, { ...of, series_instance_uid: 'b', content_title: null }),
  ];
  expect(filterFiles(files, 'letter').map(({ index }) => index)).toEqual([0]);
  expect(filterFiles(files, 'disch sr').map(({ index }) => index)).toEqual([0]);

  const lines = buildFolderTree(page, files)[0]?.children.map(({ detail }) => detail);
  expect(lines).toEqual(['Discharge letter · Basic Text SR', 'Basic Text SR', 'Basic Text SR']);
  const series = buildStudyTree(page, files, NO_STACKS)[0]?.children[0]?.children ?? [];
  expect(series.map(({ detail }) => detail)).toEqual(['Discharge letter · Basic Text SR', 'Basic Text SR']);
  expect(series[1]?.children.map(({ title }) => title)).toEqual(['Basic Text SR', 'Basic Text SR']);
});
