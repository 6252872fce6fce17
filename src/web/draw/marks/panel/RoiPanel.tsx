import { Download, Plus, Redo2, SquareDashed, Undo2 } from 'lucide-react';
import { useMemo } from 'react';
import { useStore } from 'zustand';
import { useShallow } from 'zustand/shallow';
import type { FileRecord } from '../../../../shared/contract/files.ts';
import { useCells, useStackOfCell } from '../../../kit/state/cells.ts';
import { findFile, useLibrary } from '../../../kit/state/library.ts';
import { usePage } from '../../../kit/state/page.ts';
import { redoStep, undoStep } from '../../../show/pictures/shownFrame.ts';
import { isMultiFrame, type ViewStack } from '../../../kit/state/stacks.ts';
import { usePicture } from '../../../show/pictures/pictureKinds.ts';
import { stepsOf } from '../../../kit/state/stepHistory.ts';
import { setTool, useTools } from '../../../kit/state/tools.ts';
import type { ShownTiles } from '../../../kit/state/shownTiles.ts';
import { reportOf, viewportsOf } from '../../../show/pictures/viewports.ts';
import { ToolButton } from '../../../kit/ui/ToolButton.tsx';
import { exportRois } from '../rois/exportRois.ts';
import { roisOf, useRois, isRoiStep } from '../rois/roiFiles.ts';
import { addRoiInMiddle, usualScopeOf } from '../rois/roiActions.ts';
import { useRoiJournal } from '../rois/roiJournal.ts';
import styles from './RoiPanel.module.css';
import list from '../../../kit/ui/ListPanel.module.css';
import { type RoiDetails, RoiRow } from './RoiRow.tsx';
import { SlideRoiRows } from './SlideRoiRows.tsx';
import { listSlideRois } from '../rois/slideRois.ts';
import { positionsByFile, listRois } from '../rois/stackRois.ts';

/** Limit on listed rows, because each row takes time to render and longer lists are not read. */
const MOST_ROWS = 500;

/** Lists all ROIs of the stack in the active cell; the user can jump to them, edit them by keyboard and delete them. */
export function RoiPanel({ details }: { readonly details: RoiDetails }) {
  const page = usePage();
  const stack = useActiveStack();
  const isTiled = usePicture(useCells((state) => state.activeCell))?.traits.frames === 'tiles';
  const fileIndices = useFileIndices(stack);
  // Selects only the files of this stack, because other files are loaded in the background all the time.
  const known = useRois(useShallow(({ files }) => fileIndices.map((index) => files.get(index))));
  const listed = useMemo(
    () => (stack === undefined ? [] : listRois(page, stack, new Map(fileIndices.map((index, i) => [index, known[i]])))),
    [page, stack, fileIndices, known],
  );
  const cell = useCells((state) => state.activeCell);
  const tiles = useTiles(cell);
  const onSlide = useRois(({ files }) => (tiles === undefined ? undefined : files));
  const boxes = useMemo(
    () => (tiles === undefined || onSlide === undefined ? [] : listSlideRois(tiles, onSlide)),
    [tiles, onSlide],
  );
  const count = tiles === undefined ? listed.length : boxes.length;
  const selectedId = useRois((state) => state.selection?.id);
  const rows = useMemo(
    () => listed.filter(({ roi }, i) => i < MOST_ROWS || roi.id === selectedId),
    [listed, selectedId],
  );
  const ofFrames = fileIndices.map((index) => findFile(page, index)).find((file) => file && isMultiFrame(file));
  const isStack = !isTiled && (stack?.frames.length ?? 0) > 1;
  return (
    <section className={list.panel} aria-label="ROIs">
      <RoiToolbar canAdd={(stack?.frames.length ?? 0) > 0} />
      {ofFrames !== undefined && !isTiled && <NewRoiScope file={ofFrames} />}
      <RoiStatus total={fileIndices.length} read={known.filter((file) => file?.load.kind === 'loaded').length} />
      {count === 0 ? (
        <p className={styles.empty}>No ROIs. Select the ROI tool (R) and drag on the image.</p>
      ) : (
        <ul className={list.list}>
          {tiles !== undefined && (
            <SlideRoiRows
              cell={cell}
              rois={boxes.filter(({ id }, i) => i < MOST_ROWS || id === selectedId)}
              tiles={tiles}
              selectedId={selectedId}
              details={details}
            />
          )}
          {(tiles === undefined ? rows : []).map((one) => (
            <RoiRow
              key={one.roi.id}
              {...one}
              isSelected={one.roi.id === selectedId}
              isStack={isStack}
              details={details}
            />
          ))}
          {count > MOST_ROWS && (
            <li className={styles.empty}>
              {MOST_ROWS} of {count} ROIs are listed. All of them are shown on the images and exported.
            </li>
          )}
        </ul>
      )}
    </section>
  );
}

function useActiveStack(): ViewStack | undefined {
  return useStackOfCell(useCells((state) => state.activeCell));
}

/**
 * The tiles of the slide in a cell. The result changes only when more tile indices are known or another picture is
 * shown.
 */
function useTiles(cell: number): ShownTiles | undefined {
  const page = usePage();
  const parts = useStore(
    viewportsOf(page),
    useShallow(({ reports }) => {
      const { levels, choice } = reports.get(cell)?.tiles ?? {};
      return levels === undefined ? NO_PARTS : [JSON.stringify(choice), ...levels.map(({ index }) => index)];
    }),
  );
  return useMemo(() => (parts.length === 0 ? undefined : reportOf(page, cell).tiles), [page, cell, parts]);
}

const NO_PARTS: readonly unknown[] = [];
const NO_FILES: readonly number[] = [];

/** The files of the stack, or of all levels of a slide. */
function useFileIndices(stack: ViewStack | undefined): readonly number[] {
  const page = usePage();
  const cell = useCells((state) => state.activeCell);
  const ofTiles = useStore(
    viewportsOf(page),
    useShallow(({ reports }) => reports.get(cell)?.tiles?.fileIndices ?? NO_FILES),
  );
  const ofStack = useMemo(() => (stack === undefined ? NO_FILES : [...positionsByFile(stack).keys()]), [stack]);
  return ofTiles.length > 0 ? ofTiles : ofStack;
}

function RoiToolbar({ canAdd }: { readonly canAdd: boolean }) {
  const page = usePage();
  const isRoiTool = useTools((state) => state.tool === 'roi');
  const canUndo = useStore(stepsOf(page).store, ({ done }) => done.length > 0);
  const canRedo = useStore(stepsOf(page).store, ({ undone }) => undone.length > 0);
  const isExporting = useRois((state) => state.export.kind === 'running');
  return (
    <div className={list.tools} role="toolbar" aria-label="ROI tools">
      <ToolButton
        label="Draw ROIs"
        keyHint="R"
        isOn={isRoiTool}
        onClick={() => setTool(page, isRoiTool ? 'auto' : 'roi')}
      >
        <SquareDashed size={16} aria-hidden="true" />
      </ToolButton>
      <ToolButton
        label="Add ROI in the center"
        keyHint="Shift+R"
        disabled={!canAdd}
        onClick={() => addRoiInMiddle(page)}
      >
        <Plus size={16} aria-hidden="true" />
      </ToolButton>
      <ToolButton label="Undo" keyHint="Ctrl+Z" disabled={!canUndo} onClick={() => undoStep(page)}>
        <Undo2 size={16} aria-hidden="true" />
      </ToolButton>
      <ToolButton label="Redo" keyHint="Ctrl+Shift+Z" disabled={!canRedo} onClick={() => redoStep(page)}>
        <Redo2 size={16} aria-hidden="true" />
      </ToolButton>
      <ToolButton
        label="Export ROIs of all files as CSV"
        className={list.export ?? ''}
        disabled={isExporting}
        onClick={() => void exportRois(page)}
      >
        <Download size={16} aria-hidden="true" />
        Export
      </ToolButton>
    </div>
  );
}

function NewRoiScope({ file }: { readonly file: FileRecord }) {
  const page = usePage();
  const newRoisOn = useRois((state) => state.newRoisOn) ?? usualScopeOf(file);
  return (
    <label className={styles.scope}>
      New ROIs apply to
      <select
        aria-label="New ROIs apply to"
        value={newRoisOn}
        onChange={(event) => roisOf(page).setNewRoisOn(event.target.value === 'frame' ? 'frame' : 'all')}
      >
        <option value="all">all frames of the file</option>
        <option value="frame">the frame they are drawn on</option>
      </select>
    </label>
  );
}

type RoiStatusProps = { readonly total: number; readonly read: number };

function RoiStatus({ total, read }: RoiStatusProps) {
  const page = usePage();
  const saving = useStore(roisOf(page).sync.store, ({ phase, troubles }) => {
    if (troubles.size > 0) return 'Not saved';
    return phase === 'saved' ? 'Saved' : 'Saving…';
  });
  const hasEdits = useStore(stepsOf(page).store, ({ done, undone }) => [...done, ...undone].some(isRoiStep));
  const isKept = useRoiJournal(({ report }) => report?.state === 'on');
  const howKept = isKept
    ? 'Stored on the server’s disk until you export them.'
    : 'Stored until the server stops. Export them to keep them longer.';
  const importState = useLibrary(({ summary }) => summary?.annotations.import_state);
  const isImporting = importState === 'waiting' || importState === 'running';
  const failure = useRois(({ files }) =>
    [...files.values()].map(({ load }) => (load.kind === 'failed' ? load.error.message : undefined)).find(Boolean),
  );
  return (
    <output className={styles.status}>
      {isImporting && 'Importing or restoring ROIs. You can draw new ROIs when this is done. '}
      {!isImporting && read < total && failure === undefined && `Loading ROIs: ${read} of ${total} files. `}
      {failure !== undefined && `ROIs could not be loaded: ${failure}. `}
      {(hasEdits || saving !== 'Saved') && `${saving}. `}
      {hasEdits && saving === 'Saved' && howKept}
    </output>
  );
}
