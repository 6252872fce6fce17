import { type ComponentType, memo } from 'react';
import list from '../../../kit/ui/ListPanel.module.css';
import { usePage } from '../../../kit/state/page.ts';
import { isMultiFrame } from '../../../kit/state/stacks.ts';
import { ListRow } from '../../../kit/ui/ListRow.tsx';
import { describeScope } from '../rois/frameScope.ts';
import { deleteRoi, jumpToRoi } from '../rois/roiActions.ts';
import { describeBoxSize } from '../rois/roiDrawing.ts';
import { RoiEditor } from './RoiEditor.tsx';
import styles from './RoiPanel.module.css';
import type { ListedRoi } from '../rois/stackRois.ts';

/** Component that shows more about a selected ROI. */
export type RoiDetails = ComponentType<Pick<ListedRoi, 'file' | 'roi'>>;

type Props = ListedRoi & {
  readonly isSelected: boolean;
  /** Whether the row has to name the image that the ROI is on. */
  readonly isStack: boolean;
  readonly details: RoiDetails;
};

/** Memoized because a list can have hundreds of rows. */
export const RoiRow = memo(function RoiRow(props: Props) {
  const page = usePage();
  const { file, roi, number, position, order, isSelected, isStack, details: Details } = props;
  const [ymin, xmin] = roi.box;
  const place = isStack ? `image ${position + 1} / ${order.imageCount}` : '';
  const where = isMultiFrame(file) ? describeScope(roi.frames, order) : place;
  const details = isSelected && (
    <>
      <RoiEditor file={file} roi={roi} />
      <Details file={file} roi={roi} />
    </>
  );
  return (
    <ListRow
      isSelected={isSelected}
      onJump={() => jumpToRoi(page, file.index, roi)}
      deleteLabel={`Delete ROI ${number}${where === '' ? '' : `, ${where}`}`}
      onDelete={() => deleteRoi(page, { fileIndex: file.index, id: roi.id }, roi.frames[0] ?? 0)}
      details={details}
    >
      <span className={styles.face}>
        <span className={`${styles.number} ${list.quiet}`}>{number}</span>
        <span>
          {describeBoxSize(roi.box)} at {xmin}, {ymin}
          {where !== '' && <span className={`${styles.where} ${list.quiet}`}>{where}</span>}
        </span>
      </span>
    </ListRow>
  );
});
