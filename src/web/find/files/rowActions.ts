import type { FileRecord } from '../../../shared/contract/files.ts';
import type { TreeNode } from '../../show/series/treeNode.ts';
import { EMPTY_ADDRESS } from '../../kit/state/address.ts';
import { formatAddress } from '../../kit/state/formatAddress.ts';
import {
  activateCell,
  cellsOfLayout,
  cellsOf,
  EMPTY_CELL,
  openAtStart,
  setLayout,
  updateCell,
} from '../../kit/state/cells.ts';
import { nameFile } from '../../kit/state/fileNames.ts';
import { hasLayer } from '../../kit/state/layers.ts';
import { findFile, findStack, libraryOf, openingPosition } from '../../kit/state/library.ts';
import { openLabels } from '../../kit/state/labelChoice.ts';
import { sayOutcome } from '../../kit/state/messages.ts';
import { commandFinderOf } from '../../kit/state/commands.ts';
import type { Page } from '../../kit/state/page.ts';
import type { ViewStack } from '../../kit/state/stacks.ts';
import { showCells } from '../../kit/state/cohortPlace.ts';
import { isPresentation } from '../../kit/state/presentations.ts';
import type { PopupItem } from '../../kit/ui/PopupMenu.tsx';
import { setTool } from '../../kit/state/tools.ts';
import { showTab } from '../../kit/state/panels.ts';
import { downloadVolume } from '../../show/series/downloadVolume.ts';
import { downloadFile } from '../../show/series/downloadFile.ts';
import { writeCopyCommand } from './copyCommand.ts';
import { openOverTarget } from '../../over/layers/openOverTarget.ts';
import { openStudy } from '../studies/openStudy.ts';
import { isReadFirst, openImages, openNode } from './openNode.ts';

/** What the actions of a row need of it: a line of the explorer, or a row of the table of all files. */
export type RowSubject = Pick<TreeNode, 'kind' | 'hint' | 'stackId' | 'fileIndex' | 'studyUid'>;

/** The actions for a row. A heading cannot be opened, and has a path only if it is a folder. */
export function listRowActions(page: Page, node: RowSubject): readonly PopupItem[] {
  const first = firstFile(page, node);
  return [...openActions(page, node), ...copyActions(page, node, first)];
}

function openActions(page: Page, node: RowSubject): readonly PopupItem[] {
  const { studyUid } = node;
  if (studyUid !== undefined) return [{ title: 'Open study', run: () => void openStudy(page, studyUid) }];
  if (node.stackId === undefined) return [];
  const { layout, activeCell } = cellsOf(page).getState();
  const cells = cellsOfLayout(layout);
  const inOthers =
    cells.length === 1
      ? [{ title: 'Open to the side', run: () => openBeside(page, node) }]
      : cells
          .filter((cell) => cell !== activeCell)
          .map((cell) => ({ title: `Open in cell ${cell + 1}`, run: () => openIn(page, node, cell) }));
  const stack = findStack(page, node.stackId);
  // Opening such a file may show the images that it is about.
  const asDocument =
    stack === undefined || stack.frames.length > 0 || isOpenedAsDocument(page, stack.fileIndex)
      ? []
      : [{ title: 'Open as document', run: () => openDocument(page, activeCell, stack) }];
  const file = findFile(page, stack?.fileIndex);
  const overImages =
    file === undefined || !isReadFirst(file) || !hasLayer(file)
      ? []
      : [{ title: 'Open over its images', run: () => void openOverTarget(page, file.index, activeCell) }];
  const itsImages =
    file === undefined || !isReadFirst(file) || !isPresentation(file)
      ? []
      : [{ title: 'Open its images', run: () => void openImages(page, file.index, activeCell) }];
  const open = { title: 'Open', run: () => openNode(page, node) };
  return [open, ...asDocument, ...overImages, ...itsImages, ...inOthers, ...imageActions(page, node)];
}

function openDocument(page: Page, cell: number, stack: ViewStack): void {
  showCells(page);
  openAtStart(page, cell, stack);
}

/** What can be done with images, beside looking at them. */
function imageActions(page: Page, node: RowSubject): readonly PopupItem[] {
  const stack = findStack(page, node.stackId);
  const [first] = stack?.frames ?? [];
  const file = findFile(page, first?.fileIndex);
  if (first === undefined || file === undefined || !file.has_pixels || hasLayer(file)) return [];
  const mayBeVolume =
    stack !== undefined &&
    stack.frames.length > 1 &&
    file.samples_per_pixel === 1 &&
    file.object_kind !== 'whole_slide_microscopy';
  const ofVolume = [
    { title: 'Open in three planes', startsGroup: true, run: () => openWith(page, node, 'layout.planes') },
    { title: 'Open as rotating MIP', run: () => openWith(page, node, 'layout.mip') },
  ];
  const toLayers = () => {
    openNode(page, node);
    showTab(page, 'layers');
  };
  const toMeasure = () => {
    openNode(page, node);
    setTool(page, 'length');
  };
  return [
    ...(mayBeVolume ? ofVolume : []),
    { title: 'Open with its layers', startsGroup: !mayBeVolume, run: toLayers },
    { title: 'Open and measure', run: toMeasure },
    ...(mayBeVolume
      ? [
          { title: 'Download volume as NIfTI', startsGroup: true, run: () => void downloadVolume(page, first) },
          { title: 'Download labels…', run: () => openLabels(page, first) },
        ]
      : []),
  ];
}

/** Opens a row and runs a command that shows it in another way, in which nothing else is shown any more. */
function openWith(page: Page, node: RowSubject, id: string): void {
  const command = commandFinderOf(page).find(id);
  if (command?.isOn?.(page) === true) command.run(page);
  openNode(page, node);
  // Nobody has looked for a place yet, and the image on the screen is the one where planes begin: the middle.
  const frames = findStack(page, node.stackId)?.frames.length ?? 0;
  if (frames > 1) updateCell(page, cellsOf(page).getState().activeCell, { position: Math.floor((frames - 1) / 2) });
  command?.run(page);
}

/** Whether opening it shows the document already. */
function isOpenedAsDocument(page: Page, fileIndex: number): boolean {
  const file = findFile(page, fileIndex);
  return file === undefined || isReadFirst(file) || !(hasLayer(file) || isPresentation(file));
}

function openIn(page: Page, node: RowSubject, cell: number): void {
  openNode(page, node, cell);
  activateCell(page, cell);
}

/** Splits a single cell into two. */
function openBeside(page: Page, node: RowSubject): void {
  setLayout(page, { rows: 1, columns: 2 });
  openIn(page, node, 1);
}

function copyActions(page: Page, node: RowSubject, first: FileRecord | undefined): readonly PopupItem[] {
  if (node.kind === 'folder') return [copy('Copy path', node.hint)];
  if (first === undefined) return [];
  return [
    { title: 'Download file', run: () => void downloadFile(page, first) },
    copy('Copy link', linkTo(page, first)),
    copy('Copy path', first.path),
    ...(first.sop_instance_uid === '' ? [] : [copy('Copy UID', first.sop_instance_uid)]),
    ...deidentifyActions(page, node, first),
  ];
}

/** The command for copies of a study, series or file. A masked run does not show the UIDs that it would need. */
function deidentifyActions(page: Page, node: RowSubject, first: FileRecord): readonly PopupItem[] {
  const { files, summary } = libraryOf(page).getState();
  if (summary?.masked === true) return [];
  const run = async () => {
    const [column, uid] = uidOf(node, first);
    const those = files.filter((file) => file === first || (uid !== '' && file[column[0]] === uid));
    const where = uid === '' ? undefined : `${column[1]} = '${uid.replaceAll("'", "''")}'`;
    await navigator.clipboard.writeText(
      writeCopyCommand(
        those.map(({ path }) => path),
        where,
      ),
    );
    return 'The command for copies without identifiers is in the clipboard.';
  };
  return [{ title: 'Copy command for copies without identifiers', run: () => void sayOutcome(page, run) }];
}

const STUDY = ['study_instance_uid', 'StudyInstanceUID'] as const;
const SERIES = ['series_instance_uid', 'SeriesInstanceUID'] as const;
const INSTANCE = ['sop_instance_uid', 'SOPInstanceUID'] as const;

function uidOf({ fileIndex, studyUid, kind }: RowSubject, first: FileRecord) {
  const column = studyUid !== undefined || kind === 'study' ? STUDY : fileIndex === undefined ? SERIES : INSTANCE;
  return [column, first[column[0]]] as const;
}

function copy(title: string, text: string): PopupItem {
  return { title, run: () => navigator.clipboard.writeText(text) };
}

/** URL of this page with only this file open. */
function linkTo(page: Page, file: FileRecord): string {
  const { window, view, invert, colorMap, mix, presentation, keyObjects, item } = EMPTY_CELL;
  const cell = {
    instance: nameFile(page, file),
    frameNumber: 1,
    window,
    view,
    invert,
    colorMap,
    mix,
    plane: undefined,
    presentation,
    keyObjects,
    item,
  };
  return new URL(`#${formatAddress({ ...EMPTY_ADDRESS, cells: [cell] })}`, location.href).href;
}

/** The file that opening the row would show first. */
function firstFile(page: Page, { stackId, fileIndex }: RowSubject): FileRecord | undefined {
  if (fileIndex !== undefined) return findFile(page, fileIndex);
  const stack = findStack(page, stackId);
  return stack && findFile(page, stack.frames[openingPosition(page, stack)]?.fileIndex ?? stack.fileIndex);
}
