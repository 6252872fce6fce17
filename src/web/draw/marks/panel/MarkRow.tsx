import { PLAIN_MASK } from '../../../../shared/markColors.ts';
import { Eye, EyeOff, Lock, LockOpen } from 'lucide-react';
import { memo, type MouseEvent } from 'react';
import { countMaskPixels } from '../../../../shared/maskRuns.ts';
import { chooseScale } from '../../../../shared/pixelScale.ts';
import { findFile } from '../../../kit/state/library.ts';
import { type Page, usePage } from '../../../kit/state/page.ts';
import { isMultiFrame } from '../../../kit/state/stacks.ts';
import list from '../../../kit/ui/ListPanel.module.css';
import { ListRow } from '../../../kit/ui/ListRow.tsx';
import { ToolButton } from '../../../kit/ui/ToolButton.tsx';
import { VisuallyHidden } from '../../../kit/ui/VisuallyHidden.tsx';
import { removeMarks } from '../removeMarks.ts';
import type { BrushMark } from '../masks/brushes.ts';
import { describeScope } from '../rois/frameScope.ts';
import { describeBoxSize } from '../rois/roiDrawing.ts';
import { isSamePlane } from '../rois/slideBoxes.ts';
import { describeMeasurement, formatSlideSize, nameScaleSource } from '../shapes/describeMeasurement.ts';
import { describeImage } from '../shapes/exportMeasurements.ts';
import { setMarksHidden } from '../shapes/hiddenMarks.ts';
import { classesOf, useLabels } from '../shapes/labels.ts';
import { MEASURE_KINDS } from '../shapes/measureKinds.ts';
import type { Measurement } from '../shapes/measurement.ts';
import { changeMarkWords } from '../shapes/measurements.ts';
import type { ListedMark } from './useListedMarks.ts';
import { MarkEditor } from './MarkEditor.tsx';
import listed from './MarkList.module.css';
import styles from './MarkPanel.module.css';

type Props = {
  readonly mark: ListedMark;
  /** From 1, among all below its heading. */
  readonly place: number;
  readonly total: number;
  /** Whether the heading above says which image it is on. */
  readonly isBelowImage: boolean;
  /** Whether this page does not draw it. */
  readonly isHidden: boolean;
  readonly isSelected: boolean;
  readonly isChosen: boolean;
  /** Whether it is the only one that is chosen, so that it can be edited. */
  readonly isAlone: boolean;
  readonly onChoose: (mark: ListedMark, event: MouseEvent) => void;
};

/** Memoized because most rows stay as they are while one mark is dragged. */
export const MarkRow = memo(function MarkRow(props: Props) {
  const { mark, place: at, total, isBelowImage, isHidden, isSelected, isChosen, isAlone, onChoose } = props;
  const page = usePage();
  const { title, words } = mark;
  const { name = title, lines, origins = [], where, deleted } = describeRow(page, mark);
  const labelClass = useLabels((state) => classesOf(state).find(({ key }) => key === words?.class));
  const color = labelClass?.color ?? (mark.type === 'brush' ? PLAIN_MASK : undefined);
  const said = [labelClass?.title, words?.label].filter(Boolean).join(': ');
  const place = deleted ?? [title.toLowerCase(), where].filter(Boolean).join(', ');
  return (
    <ListRow
      isSelected={isSelected}
      isChosen={isChosen}
      row={mark.uid}
      place={at}
      total={total}
      onJump={(event) => onChoose(mark, event)}
      deleteLabel={`Delete ${place}`}
      onDelete={() => removeMarks(page, [mark.uid])}
      actions={<RowSwitches mark={mark} isHidden={isHidden} said={place} />}
      details={isAlone ? <MarkEditor mark={mark} /> : undefined}
    >
      <span className={styles.title}>
        {color !== undefined && <span className={styles.swatch} style={{ background: color }} />}
        {said === '' ? name : said}
        {said !== '' && <span className={listed.kind}> {name}</span>}
        {words?.locked === true && <VisuallyHidden> (locked)</VisuallyHidden>}
      </span>
      {lines.map((line, i) => (
        // oxlint-disable-next-line react/no-array-index-key -- lines have no identity, and the text of an arrow may repeat one
        <span key={i} className={styles.line}>
          {line}
        </span>
      ))}
      {isSelected &&
        origins.map((origin) => (
          <span key={origin} className={list.quiet}>
            {origin}
          </span>
        ))}
      {where !== '' &&
        (isBelowImage ? <VisuallyHidden>{where}</VisuallyHidden> : <span className={list.quiet}>{where}</span>)}
    </ListRow>
  );
});

/** Whether it is drawn on this page, and whether it is locked. ROIs have nothing in which a lock could be kept. */
function RowSwitches({ mark, isHidden, said }: Pick<Props, 'mark' | 'isHidden'> & { readonly said: string }) {
  const page = usePage();
  const { uid, words } = mark;
  const isLocked = words?.locked === true;
  const EyeIcon = isHidden ? EyeOff : Eye;
  const LockIcon = isLocked ? Lock : LockOpen;
  return (
    <>
      <ToolButton
        label={`Draw ${said}`}
        className={listed.switch ?? ''}
        isOn={!isHidden}
        onClick={() => setMarksHidden(page, [mark], !isHidden)}
      >
        <EyeIcon size={15} aria-hidden="true" />
      </ToolButton>
      {words !== undefined && (
        <ToolButton
          label={`Lock ${said}`}
          className={listed.switch ?? ''}
          isOn={isLocked}
          onClick={() => changeMarkWords(page, [uid], { locked: !isLocked })}
        >
          <LockIcon size={15} aria-hidden="true" />
        </ToolButton>
      )}
    </>
  );
}

type Row = {
  /** Absent: the title of the kind. */
  readonly name?: string;
  readonly lines: readonly string[];
  /** What its numbers are based on. */
  readonly origins?: readonly string[];
  /** The image; empty if there is only one. */
  readonly where: string;
  /** What the button deletes, if that is not its kind and image. */
  readonly deleted?: string;
};

function describeRow(page: Page, mark: ListedMark): Row {
  switch (mark.type) {
    case 'shape': {
      const { item, file } = mark;
      return { lines: describeMeasurement(item), origins: listOrigins(item), where: describeImage(page, file, item) };
    }
    case 'brush': {
      const name = 'Mask';
      const said = mark.words?.label ?? '';
      return { name, lines: [describeMask(page, mark.mask)], where: '', deleted: `mask ${said}`.trim() };
    }
    case 'roi': {
      const { roi, number, position, order, file, isStack } = mark;
      const place = isStack ? `image ${position + 1} / ${order.imageCount}` : '';
      const where = isMultiFrame(file) ? describeScope(roi.frames, order) : place;
      return { ...describeBox(number, roi.box), where, deleted: `ROI ${number}${where === '' ? '' : `, ${where}`}` };
    }
    case 'box': {
      const { number, box } = mark.box;
      return { ...describeBox(number, box), where: describePlace(mark), deleted: `ROI ${number}` };
    }
  }
}

function describeBox(number: number, box: Parameters<typeof describeBoxSize>[0]): Pick<Row, 'name' | 'lines'> {
  const [ymin, xmin] = box;
  return { name: `ROI ${number} (CSV)`, lines: [`${describeBoxSize(box)} at ${xmin}, ${ymin}`] };
}

/** The sources that its numbers are based on. */
function listOrigins({ kind, scale, points, values }: Measurement): readonly string[] {
  const { quantitiesOf } = MEASURE_KINDS[kind];
  return [
    ...(quantitiesOf === undefined || scale === undefined ? [] : [nameScaleSource(chooseScale(scale, points))]),
    ...(values?.kind === 'numbers' || values?.kind === 'channels' ? [values.origin] : []),
  ];
}

/** Its pixels; on a slide its area in mm² or µm², if the size of a pixel is known. */
function describeMask(page: Page, { slices, slide }: BrushMark): string {
  const pixels = [...slices.values()].reduce((sum, mask) => sum + countMaskPixels(mask.runs), 0);
  if (slide === undefined) return `${pixels} pixels on ${slices.size === 1 ? '1 image' : `${slices.size} images`}`;
  const { fileIndex, step } = slide;
  const [rowMm, columnMm] = findFile(page, fileIndex)?.pixel_spacing_mm ?? [];
  const area = pixels * step ** 2;
  const resolution = step === 1 ? 'in full resolution' : `at 1/${step} of full resolution`;
  if (rowMm === undefined || columnMm === undefined) return `${area} pixels of the slide, ${resolution}`;
  return `${formatSlideSize(area * rowMm * columnMm, 'mm²')}, ${resolution}`;
}

/** Describes what the coordinates do not show: the picture the box is on, and the precision with which it is stored. */
function describePlace({ box, tiles }: Extract<ListedMark, { type: 'box' }>): string {
  const { unit, picture, level } = box;
  if (unit.box === undefined) {
    const count = box.frames.length;
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
