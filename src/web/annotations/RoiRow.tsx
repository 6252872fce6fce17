import { Trash2 } from 'lucide-react';
import { type ComponentType, memo, useEffect, useRef } from 'react';
import { ToolButton } from '../ui/ToolButton.tsx';
import { describeFrames } from './frameScope.ts';
import { deleteRoi, jumpToRoi } from './roiActions.ts';
import { sizeOf } from './roiDrawing.ts';
import { RoiEditor } from './RoiEditor.tsx';
import styles from './RoiPanel.module.css';
import type { ListedRoi } from './stackRois.ts';

/** Says more about a selected ROI. */
export type RoiDetails = ComponentType<Pick<ListedRoi, 'file' | 'roi'>>;

type Props = ListedRoi & {
  readonly isSelected: boolean;
  /** Whether it needs saying on which image it is. */
  readonly isStack: boolean;
  readonly details: RoiDetails;
};

/** Drawn again only when it changes: there may be hundreds. */
export const RoiRow = memo(function RoiRow(props: Props) {
  const { file, roi, number, position, isSelected, isStack, details: Details } = props;
  const ref = useRef<HTMLLIElement>(null);
  useEffect(() => {
    if (isSelected) ref.current?.scrollIntoView({ block: 'nearest' });
  }, [isSelected]);
  const [ymin, xmin] = roi.box;
  const where = file.frame_count > 1 ? describeFrames(roi.frames) : isStack ? `image ${position + 1}` : '';
  return (
    <li ref={ref} className={styles.row} data-selected={isSelected}>
      <div className={styles.line}>
        <button
          type="button"
          className={styles.jump}
          aria-current={isSelected}
          onClick={() => jumpToRoi(file.index, roi)}
        >
          <span className={styles.number}>{number}</span>
          <span>
            {sizeOf(roi.box)} at {xmin}, {ymin}
            {where !== '' && <span className={styles.where}>{where}</span>}
          </span>
        </button>
        <ToolButton
          label={`Delete ROI ${number}${where === '' ? '' : `, ${where}`}`}
          onClick={() => deleteRoi({ fileIndex: file.index, id: roi.id }, roi.frames[0] ?? 0)}
        >
          <Trash2 size={15} aria-hidden="true" />
        </ToolButton>
      </div>
      {isSelected && <RoiEditor file={file} roi={roi} />}
      {isSelected && <Details file={file} roi={roi} />}
    </li>
  );
});
