import { memo } from 'react';
import { cellOf, cellsOf, setView } from '../state/cells.ts';
import { type Page, usePage } from '../state/page.ts';
import { showCut, showFrame } from '../pictures/shownFrame.ts';
import { reportOf } from '../pictures/viewports.ts';
import list from '../ui/ListPanel.module.css';
import { ListRow } from '../ui/ListRow.tsx';
import { describeMeasurement, nameScaleSource } from './describeMeasurement.ts';
import { describeImage, type MeasuredFile } from './exportMeasurements.ts';
import { MEASURE_KINDS } from './measureKinds.ts';
import { classesOf, useLabels } from './labels.ts';
import { MarkEditor } from './MarkEditor.tsx';
import { type Measurement, NO_WORDS } from './measurement.ts';
import { deleteMeasurement, selectMeasurement } from './measurements.ts';
import styles from './MeasurePanel.module.css';
import { chooseScale } from './scale.ts';

type Props = MeasuredFile & { readonly isSelected: boolean };

export const MeasureRow = memo(function MeasureRow({ item, file, isSelected }: Props) {
  const page = usePage();
  const { title } = MEASURE_KINDS[item.kind];
  const image = describeImage(page, file, item);
  const words = item.words ?? NO_WORDS;
  const labelClass = useLabels((state) => classesOf(state).find(({ key }) => key === words.class));
  const show = () => {
    selectMeasurement(page, item.id);
    if (item.cut !== undefined) showCut(page, item.cut);
    else if (item.isWhole !== true || !centerOn(page, item)) showFrame(page, item.fileIndex, item.frame);
  };
  return (
    <ListRow
      isSelected={isSelected}
      onJump={show}
      deleteLabel={`Delete ${title.toLowerCase()}, ${image}`}
      onDelete={() => deleteMeasurement(page, item)}
      details={isSelected && item.uid !== undefined && item.cut === undefined ? <MarkEditor item={item} /> : undefined}
    >
      <span className={styles.title}>
        {labelClass !== undefined && <span className={styles.swatch} style={{ background: labelClass.color }} />}
        {[labelClass?.title, words.label].filter(Boolean).join(': ') || title}
        {words.locked && ' (locked)'}
      </span>
      {describeMeasurement(item).map((line) => (
        <span key={line} className={styles.line}>
          {line}
        </span>
      ))}
      {isSelected &&
        listOrigins(item).map((origin) => (
          <span key={origin} className={list.quiet}>
            {origin}
          </span>
        ))}
      <span className={list.quiet}>{image}</span>
    </ListRow>
  );
});

/** Centers the slide in the active cell on the measurement; false if the cell shows something else. */
function centerOn(page: Page, { fileIndex, points }: Measurement): boolean {
  const { activeCell } = cellsOf(page).getState();
  const { tiles, screen } = reportOf(page, activeCell);
  if (screen === undefined || tiles?.fileIndices.includes(fileIndex) !== true) return false;
  const center = { x: middleOf(points.map(({ x }) => x)), y: middleOf(points.map(({ y }) => y)) };
  setView(page, activeCell, { ...cellOf(page, activeCell).view, zoom: screen.zoom, center });
  return true;
}

function middleOf(values: readonly number[]): number {
  return (Math.min(...values) + Math.max(...values)) / 2;
}

/** The sources that its numbers are based on. */
function listOrigins({ kind, scale, points, values }: Measurement): readonly string[] {
  const { quantityOf } = MEASURE_KINDS[kind];
  return [
    ...(quantityOf === undefined || scale === undefined ? [] : [nameScaleSource(chooseScale(scale, points))]),
    ...(values?.kind === 'numbers' || values?.kind === 'channels' ? [values.origin] : []),
  ];
}
