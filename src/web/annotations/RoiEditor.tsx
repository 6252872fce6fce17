import type { RoiBox } from '../../shared/contract/annotations.ts';
import type { FileRecord } from '../../shared/contract/files.ts';
import { cellsStore } from '../state/cells.ts';
import { findShownFrame } from '../state/shownFrame.ts';
import { describeFrames, scopeOf, toFrameRange } from './frameScope.ts';
import { NumberField } from './NumberField.tsx';
import type { Roi } from './roi.ts';
import { changeRoi } from './roiActions.ts';
import { setEdge } from './roiEditing.ts';
import styles from './RoiPanel.module.css';
import { VisuallyHidden } from '../ui/VisuallyHidden.tsx';

type Props = { readonly file: FileRecord; readonly roi: Roi };

const EDGES = [
  [0, 'Top', 'rows'],
  [1, 'Left', 'columns'],
  [2, 'Bottom', 'rows'],
  [3, 'Right', 'columns'],
] as const;

/** The selected ROI in numbers: what a mouse does by dragging. */
export function RoiEditor({ file, roi }: Props) {
  const setBox = (box: RoiBox) => {
    if (String(box) !== String(roi.box)) changeRoi({ fileIndex: file.index, id: roi.id }, { box }, frameOf(file, roi));
  };
  const image = { width: file.columns, height: file.rows };
  return (
    <div className={styles.editor}>
      <fieldset className={styles.edges}>
        <legend>
          <VisuallyHidden>Edges in pixels</VisuallyHidden>
        </legend>
        {EDGES.map(([edge, label, size]) => (
          <NumberField
            key={edge}
            label={label}
            value={roi.box[edge]}
            min={0}
            max={file[size]}
            onChange={(value) => setBox(setEdge(roi.box, edge, value, image))}
          />
        ))}
      </fieldset>
      {file.frame_count > 1 && <FrameScopeEditor file={file} roi={roi} />}
    </div>
  );
}

/** On which frames it is. Frames count from 1 here. */
function FrameScopeEditor({ file, roi }: Props) {
  const scope = scopeOf(roi.frames);
  const last = file.frame_count - 1;
  const setFrames = (frames: readonly number[]) =>
    changeRoi({ fileIndex: file.index, id: roi.id }, { frames }, frameOf(file, roi));
  const choose = (kind: string) => {
    const frame = frameOf(file, roi);
    if (kind === 'all') setFrames([]);
    if (kind === 'one') setFrames([frame]);
    // A range begins as the frame on screen and the next one.
    if (kind === 'range') setFrames(frame < last ? [frame, frame + 1] : [frame - 1, frame]);
  };
  return (
    <div className={styles.frames}>
      <label className={styles.scope}>
        On
        <select aria-label="On which frames" value={scope.kind} onChange={(event) => choose(event.target.value)}>
          <option value="all">all frames</option>
          <option value="one">{scope.kind === 'one' ? describeFrames(roi.frames) : 'this frame'}</option>
          {file.frame_count > 2 && <option value="range">a range of frames</option>}
          {scope.kind === 'some' && <option value="some">{describeFrames(roi.frames)}</option>}
        </select>
      </label>
      {scope.kind === 'range' && (
        <fieldset className={styles.edges}>
          <legend>
            <VisuallyHidden>Range of frames</VisuallyHidden>
          </legend>
          <NumberField
            label="First"
            value={scope.first + 1}
            min={1}
            max={scope.last + 1}
            onChange={(value) => setFrames(toFrameRange(value - 1, scope.last, file.frame_count))}
          />
          <NumberField
            label="Last"
            value={scope.last + 1}
            min={scope.first + 1}
            max={file.frame_count}
            onChange={(value) => setFrames(toFrameRange(scope.first, value - 1, file.frame_count))}
          />
        </fieldset>
      )}
    </div>
  );
}

/** The frame of the file on the screen, else the first that the ROI is on. */
function frameOf({ index }: FileRecord, { frames }: Roi): number {
  const shown = findShownFrame(cellsStore.getState().activeCell);
  return shown?.file.index === index ? shown.frame : (frames[0] ?? 0);
}
