import { useStore } from 'zustand';
import type { FileRecord } from '../../../../shared/contract/files.ts';
import { findFile, useLibrary } from '../../../kit/state/library.ts';
import { usePage } from '../../../kit/state/page.ts';
import { isMultiFrame } from '../../../kit/state/stacks.ts';
import { stepsOf } from '../../../kit/state/stepHistory.ts';
import { useTools } from '../../../kit/state/tools.ts';
import { usePicture } from '../../../show/pictures/pictureKinds.ts';
import { addRoiInMiddle, usualScopeOf } from '../rois/roiActions.ts';
import { isRoiStep } from '../rois/roiEdits.ts';
import { roisOf, useRois } from '../rois/roiFiles.ts';
import { useRoiJournal } from '../rois/roiJournal.ts';
import type { ListedPlace } from './useListedMarks.ts';
import styles from './MarkPanel.module.css';

/** What ROIs are, on which frames new ones are, and whether they are loaded and saved. */
export function RoiSettings({ cell, stack, fileIndices, tiles }: ListedPlace) {
  const page = usePage();
  const isRoiTool = useTools((state) => state.tool === 'roi');
  const isTiled = usePicture(cell)?.traits.frames === 'tiles';
  const ofFrames = fileIndices.map((index) => findFile(page, index)).find((file) => file && isMultiFrame(file));
  const read = useRois(({ files }) => fileIndices.filter((index) => files.get(index)?.load.kind === 'loaded').length);
  const canAdd = tiles !== undefined || (stack?.frames.length ?? 0) > 0;
  return (
    <>
      {isRoiTool && (
        <section className={styles.roi} aria-label="ROIs (CSV)">
          <p>ROIs are rectangles in whole pixels, for the annotation CSV.</p>
          {ofFrames !== undefined && !isTiled && <NewRoiScope file={ofFrames} />}
          <button type="button" data-key="Shift+R" disabled={!canAdd} onClick={() => addRoiInMiddle(page)}>
            Add ROI in the center
          </button>
        </section>
      )}
      <RoiStatus total={fileIndices.length} read={read} />
    </>
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

const SAVED = 'ROIs are saved. ';

type RoiStatusProps = { readonly total: number; readonly read: number };

function RoiStatus({ total, read }: RoiStatusProps) {
  const page = usePage();
  const saving = useStore(roisOf(page).sync.store, ({ phase, troubles }) => {
    if (troubles.size > 0) return 'ROIs are not saved. ';
    return phase === 'saved' ? SAVED : 'Saving ROIs… ';
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
      {(hasEdits || saving !== SAVED) && saving}
      {hasEdits && saving === SAVED && howKept}
    </output>
  );
}
