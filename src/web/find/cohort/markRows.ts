import type { WireTableRow } from '../../../shared/contract/tables.ts';
import type { MarkForm } from '../../draw/marks/sync/markForm.ts';
import { createMarkUid, recordMarks } from '../../draw/marks/sync/marks.ts';
import type { FrameAddress } from '../../kit/api/frames.ts';
import { findFile, stackOf } from '../../kit/state/library.ts';
import type { Page } from '../../kit/state/page.ts';
import { buildFileStack } from '../../kit/state/stacks.ts';
import type { TableLevel } from '../../../shared/tableLevel.ts';

/**
 * Puts a box of a class around the images of each row: around one image, or through all images of the row. Marks are the
 * only thing that has a class, and this is the form that all of their exports can say. One step of undo. Returns how many
 * rows were marked: those without images are not.
 */
export function markRows(page: Page, level: TableLevel, rows: readonly WireTableRow[], classKey: string): number {
  const forms = rows.flatMap((row) => aroundImages(page, level, row, classKey) ?? []);
  const [first] = forms;
  if (first === undefined) return 0;
  recordMarks(
    page,
    forms.map((after) => ({ uid: createMarkUid(), before: undefined, after })),
    { fileIndex: fileOf(first), frame: 0, isOn: () => false, isElsewhere: true },
  );
  return forms.length;
}

function fileOf({ place }: MarkForm): number {
  if (place.type === 'stack') return place.from.file_index;
  return place.file_index;
}

function aroundImages(page: Page, level: TableLevel, row: WireTableRow, classKey: string): MarkForm | undefined {
  const file = findFile(page, row.file);
  if (file?.support_state !== 'renderable' || file.object_kind === 'whole_slide_microscopy') return undefined;
  const { frames } = level === 'file' ? buildFileStack(file) : stackOf(page, file);
  const [first, last] = [frames[0], frames.at(-1)];
  if (first === undefined || last === undefined) return undefined;
  const words = { label: '', class: classKey, text: '', comment: '', author: '', locked: false };
  const points = cornersOf(page, first);
  if (first === last) return { kind: 'box', place: { type: 'frame', ...toWire(first) }, points, ...words };
  return {
    kind: 'box',
    place: { type: 'stack', from: toWire(first), to: toWire(last) },
    points: [],
    slices: [first, last].map((frame) => ({ ...toWire(frame), points: cornersOf(page, frame) })),
    ...words,
  };
}

function toWire({ fileIndex, frame }: FrameAddress) {
  return { file_index: fileIndex, frame_index: frame };
}

/** Of a frame, in pixels. */
function cornersOf(page: Page, { fileIndex }: FrameAddress): number[][] {
  const { rows = 0, columns = 0 } = findFile(page, fileIndex) ?? {};
  return [
    [0, 0],
    [columns, rows],
  ];
}
