import type { FileRecord } from '../../../../shared/contract/files.ts';
import { cellsOf, useCells, useStackOfCell } from '../../../kit/state/cells.ts';
import { type FrameOrder, orderOf } from '../../../kit/state/frameOrder.ts';
import { type Page, usePage } from '../../../kit/state/page.ts';
import { VisuallyHidden } from '../../../kit/ui/VisuallyHidden.tsx';
import { findShownFrame } from '../../../show/pictures/shownFrame.ts';
import { describeScope, framesInRange, type ImageRange, scopeOf, suggestRange } from '../rois/frameScope.ts';
import type { Roi } from '../rois/roi.ts';
import { changeRoi } from '../rois/roiActions.ts';
import styles from './MarkEditor.module.css';
import { NumberField } from './NumberField.tsx';

type Props = { readonly file: FileRecord; readonly roi: Roi };

/** Editor for the frames that a ROI is on. Images count from 1 here, in the order in which they are shown. */
export function FrameScopeEditor({ file, roi }: Props) {
  const page = usePage();
  const order = useFrameOrder(file);
  const scope = scopeOf(roi.frames, order);
  const setFrames = (frames: readonly number[]) =>
    changeRoi(page, { fileIndex: file.index, uid: roi.uid }, { frames }, frameOfRoi(page, file, roi));
  const choose = (kind: string) => {
    const frame = frameOfRoi(page, file, roi);
    if (kind === 'all') setFrames([]);
    if (kind === 'one') setFrames([frame]);
    if (kind === 'range' || kind === 'sameKind') setFrames(suggestRange(frame, order));
  };
  const setRange = (range: ImageRange) =>
    setFrames(framesInRange(range, order, scope.kind === 'sameKind' ? scope.of : undefined));
  return (
    <div className={styles.frames}>
      <label className={styles.scope}>
        Applies to
        <select aria-label="Frames of the ROI" value={scope.kind} onChange={(event) => choose(event.target.value)}>
          <option value="all">all frames</option>
          <option value="one">{scope.kind === 'one' ? describeScope(roi.frames, order) : 'this image'}</option>
          {order.kinds > 1 && (
            <option value="sameKind">images of the same kind (1 of {order.kinds} at each position)</option>
          )}
          {order.frameCount > 2 && (order.kinds === 1 || scope.kind === 'range') && (
            <option value="range">a range of images</option>
          )}
          {scope.kind === 'some' && <option value="some">{describeScope(roi.frames, order)}</option>}
        </select>
      </label>
      {(scope.kind === 'range' || scope.kind === 'sameKind') && (
        <>
          <fieldset className={styles.edges}>
            <legend>
              <VisuallyHidden>Range of images in display order</VisuallyHidden>
            </legend>
            <NumberField
              label="First image"
              value={scope.first + 1}
              min={1}
              max={scope.last + 1}
              onChange={(value) => setRange({ first: value - 1, last: scope.last })}
            />
            <NumberField
              label="Last image"
              value={scope.last + 1}
              min={scope.first + 1}
              max={order.imageCount}
              onChange={(value) => setRange({ first: scope.first, last: value - 1 })}
            />
          </fieldset>
          {!order.isAsStored && <p className={styles.stored}>{describeScope(roi.frames, order)}</p>}
        </>
      )}
    </div>
  );
}

/** The frame order of the stack in the active cell. */
function useFrameOrder(file: FileRecord): FrameOrder {
  return orderOf(useStackOfCell(useCells((state) => state.activeCell)), file);
}

/** The frame shown in the active cell if it belongs to this file, otherwise the first frame of the ROI. */
export function frameOfRoi(page: Page, { index }: FileRecord, { frames }: Roi): number {
  const shown = findShownFrame(page, cellsOf(page).getState().activeCell);
  return shown?.file.index === index ? shown.frame : (frames[0] ?? 0);
}
