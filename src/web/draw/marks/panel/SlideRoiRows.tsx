import type { RoiBox } from '../../../../shared/contract/annotations.ts';
import { findFile } from '../../../kit/state/library.ts';
import { usePage } from '../../../kit/state/page.ts';
import type { ShownTiles } from '../../../kit/state/shownTiles.ts';
import type { Size } from '../../../kit/state/viewState.ts';
import list from '../../../kit/ui/ListPanel.module.css';
import { ListRow } from '../../../kit/ui/ListRow.tsx';
import { VisuallyHidden } from '../../../kit/ui/VisuallyHidden.tsx';
import { NumberField } from './NumberField.tsx';
import { describeBoxSize } from '../rois/roiDrawing.ts';
import { setEdge } from '../rois/roiEditing.ts';
import styles from './RoiPanel.module.css';
import type { RoiDetails } from './RoiRow.tsx';
import { isSamePlane } from '../rois/slideBoxes.ts';
import { deleteSlideRoi, jumpToSlideRoi, putSlideBox } from '../rois/slideRoiActions.ts';
import type { SlideRoi } from '../rois/slideRois.ts';

type Props = {
  readonly cell: number;
  readonly rois: readonly SlideRoi[];
  readonly tiles: ShownTiles;
  readonly selectedId: number | undefined;
  readonly details: RoiDetails;
};

/** Lists the boxes of a slide, each once, in pixels of its largest level. */
export function SlideRoiRows({ cell, rois, tiles, selectedId, details: Details }: Props) {
  const page = usePage();
  const [largest] = tiles.levels;
  if (largest === undefined) return null;
  return rois.map((roi) => {
    const isSelected = roi.id === selectedId;
    const file = findFile(page, largest.fileIndices[0]);
    const [ymin, xmin] = roi.box;
    const where = describePlace(roi, tiles);
    return (
      <ListRow
        key={roi.id}
        isSelected={isSelected}
        onJump={() => jumpToSlideRoi(page, cell, roi)}
        deleteLabel={`Delete ROI ${roi.number}`}
        onDelete={() => deleteSlideRoi(page, tiles, roi)}
        details={
          isSelected &&
          roi.unit.box !== undefined && (
            <>
              <SlideRoiEditor roi={roi} tiles={tiles} image={largest} />
              {file !== undefined && <Details file={file} roi={roi} />}
            </>
          )
        }
      >
        <span className={styles.face}>
          <span className={`${styles.number} ${list.quiet}`}>{roi.number}</span>
          <span>
            {describeBoxSize(roi.box)} at {xmin}, {ymin}
            {where !== '' && <span className={`${styles.where} ${list.quiet}`}>{where}</span>}
          </span>
        </span>
      </ListRow>
    );
  });
}

/** Describes what the coordinates do not show: the picture the box is on, and the precision with which it is stored. */
function describePlace(roi: SlideRoi, tiles: ShownTiles): string {
  const { unit, picture, level } = roi;
  if (unit.box === undefined) {
    const count = roi.frames.length;
    return count === 0 ? 'tile ROI, on all tiles of a level' : `tile ROI, on ${count} tiles`;
  }
  const shape = tiles.levels[level];
  const step = shape === undefined || level === 0 ? '' : `stored to the nearest ${Number(shape.scaleX.toFixed(2))} px`;
  const plane =
    picture === undefined || isSamePlane(picture, tiles.choice)
      ? ''
      : `focal plane ${picture.planeUm === undefined ? picture.planeIndex + 1 : `${picture.planeUm} µm`}`;
  return [plane, step].filter(Boolean).join(', ');
}

type EditorProps = { readonly roi: SlideRoi; readonly tiles: ShownTiles; readonly image: Size };

const EDGES = [
  [0, 'Top', 'height'],
  [1, 'Left', 'width'],
  [2, 'Bottom', 'height'],
  [3, 'Right', 'width'],
] as const;

/** Editor for the coordinates of the selected box, the keyboard alternative to dragging. */
function SlideRoiEditor({ roi, tiles, image }: EditorProps) {
  const page = usePage();
  const setBox = (box: RoiBox) => {
    if (String(box) !== String(roi.box)) putSlideBox(page, tiles, roi, box);
  };
  return (
    <div className={styles.editor}>
      <fieldset className={styles.edges}>
        <legend>
          <VisuallyHidden>Edges in pixels of the slide</VisuallyHidden>
        </legend>
        {EDGES.map(([edge, label, size]) => (
          <NumberField
            key={edge}
            label={label}
            value={roi.box[edge]}
            min={0}
            max={image[size]}
            onChange={(value) => setBox(setEdge(roi.box, edge, value, image))}
          />
        ))}
      </fieldset>
    </div>
  );
}
