import { beforeEach, describe, expect, test } from 'vitest';
import type { FileRecord } from '../../../shared/contract/files.ts';
import { createFileRecord } from '../../../../test/support/createFileRecord.ts';
import { cellOf, openInCell } from '../../kit/state/cells.ts';
import { libraryOf } from '../../kit/state/library.ts';
import { createPage } from '../../kit/state/page.ts';
import type { ViewStack } from '../../kit/state/stacks.ts';
import { findPicture, locatePicture, pictureOf } from './pictureKinds.ts';
import { refusePicture } from './refusals.ts';
import { scrollBy, scrollTo } from './scroll.ts';
import { slidePictures } from './slide/slidePictures.ts';

const COUNT = 5;

let page = createPage();

beforeEach(() => {
  page = createPage();
});

/** A stack of one file with several frames, 2 mm apart, in a library that has nothing else. */
function know(kind: ViewStack['kind'], record: Partial<FileRecord> = {}): ViewStack {
  const file = createFileRecord(0, {
    sop_instance_uid: '1.2.3',
    support_state: 'renderable',
    frame_count: COUNT,
    columns: 64,
    rows: 32,
    modality: 'XA',
    series_description: 'Run 1',
    frame_of_reference_uid: '1.9',
    ...record,
  });
  const stack: ViewStack = {
    id: 'stack',
    kind,
    frames: Array.from({ length: COUNT }, (_, frame) => ({
      fileIndex: 0,
      frame,
      sopInstanceUid: '1.2.3',
      positionMm: 2 * frame,
    })),
    warnings: [],
    fileIndex: 0,
    matrix: { rows: 3000, columns: 4000 },
    seriesUid: '1.2',
    studyUid: '1',
  };
  libraryOf(page).setState({
    files: [file],
    stacks: new Map([[stack.id, stack]]),
    stackOfFile: new Map([[0, stack]]),
    isSeriesComplete: true,
  });
  return stack;
}

describe('the frames of a stack', () => {
  test('are the pictures of its source, each in its place and file', () => {
    const stack = know('ordinary');
    const source = findPicture(page, stack.id);
    expect(source).toMatchObject({ id: 'stack', viewName: 'stack', positions: COUNT, stack });
    expect(source?.traits).toMatchObject({ scrolls: true, frames: 'pictures', layers: true });
    expect(source?.label()).toBe('XA Run 1');
    expect(source?.sizeOf(1)).toEqual({ width: 64, height: 32, aspect: 1 });
    expect(source?.fileOf(3)).toEqual({ file: libraryOf(page).getState().files[0], frame: 3 });
    expect(source?.positionOf({ fileIndex: 0, frame: 3 })).toBe(3);
    expect(source?.axes.map((axis) => [axis.name, axis.frameOfReferenceUid, axis.valueOf(4)])).toEqual([
      ['place', '1.9', 8],
    ]);
  });

  test('end with the last: beyond it there is no file, and a cell does not scroll there', () => {
    const stack = know('ordinary');
    openInCell(page, 0, stack.id, 2);
    expect(pictureOf(page, 0)?.fileOf(COUNT)).toBeUndefined();
    scrollBy(page, 0, 100);
    expect(cellOf(page, 0).position).toBe(COUNT - 1);
    scrollTo(page, 0, -3);
    expect(cellOf(page, 0).position).toBe(0);
  });

  test('are found again by the names that they have in links', () => {
    const source = findPicture(page, know('ordinary').id);
    const address = source?.addressOf(3);
    expect(address).toEqual({ instance: '1.2.3', frameNumber: 4, plane: undefined });
    expect(address && locatePicture(page, address)).toEqual({ id: 'stack', position: 3 });
    expect(locatePicture(page, { instance: '9.9', frameNumber: 1, plane: undefined })).toBeUndefined();
  });

  test('have the same source as long as the stack is the same object, also with new records of its files', () => {
    const stack = know('ordinary');
    const source = findPicture(page, stack.id);
    libraryOf(page).setState(({ files }) => ({ files: files.map((file) => ({ ...file, modality: 'RF' })) }));
    expect(findPicture(page, stack.id)).toBe(source);
    expect(source?.label()).toBe('RF Run 1');
    libraryOf(page).setState({ stacks: new Map([[stack.id, { ...stack }]]) });
    expect(findPicture(page, stack.id)).not.toBe(source);
  });
});

test('a file without an image has no positions, but a name in links', () => {
  know('ordinary', { support_state: 'metadata_only' });
  libraryOf(page).setState({ stacks: new Map(), stackOfFile: new Map() });
  const source = findPicture(page, 'file/0');
  expect(source?.positions).toBe(0);
  expect(source?.fileOf(0)).toBeUndefined();
  expect(source?.addressOf(0)).toEqual({ instance: '1.2.3', frameNumber: 1 });
});

test('an id that nothing known has is no picture', () => {
  expect(findPicture(page, 'stack')).toBeUndefined();
  expect(findPicture(page, undefined)).toBeUndefined();
});

describe('the tiles of a slide', () => {
  test('are one picture of the size of the whole slide, and the history knows it by its series', () => {
    const source = findPicture(page, know('wsi_pyramid_level').id);
    expect(source?.traits).toMatchObject({ scrolls: false, plays: false, frames: 'tiles', layers: true });
    expect(source).toMatchObject({ positions: COUNT, viewName: '1.2' });
    expect(source?.sizeOf(0)).toEqual({ width: 4000, height: 3000, aspect: 1 });
  });

  test('are tiles before the series are known, unless there is only one, which may be the label', () => {
    know('file', { object_kind: 'whole_slide_microscopy' });
    expect(findPicture(page, 'stack')?.traits.frames).toBe('tiles');
    libraryOf(page).setState(({ stacks }) => ({
      stacks: new Map([...stacks].map(([id, stack]) => [id, { ...stack, frames: stack.frames.slice(0, 1) }])),
    }));
    expect(findPicture(page, 'stack')?.traits.frames).toBe('pictures');
  });

  test('are shown one by one if the slide refuses them, until another run of the server answers', () => {
    const { id } = know('wsi_pyramid_level');
    refusePicture(page, slidePictures, id);
    expect(findPicture(page, id)?.traits.frames).toBe('pictures');
    page.restart();
    expect(findPicture(page, id)?.traits.frames).toBe('tiles');
  });
});
