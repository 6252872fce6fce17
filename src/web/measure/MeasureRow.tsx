import { memo } from 'react';
import { showFrame } from '../state/shownFrame.ts';
import list from '../ui/ListPanel.module.css';
import { ListRow } from '../ui/ListRow.tsx';
import { describeMeasurement, nameScaleSource } from './describeMeasurement.ts';
import { describeImage, type MeasuredFile } from './exportMeasurements.ts';
import { MEASURE_KINDS } from './measureKinds.ts';
import type { Measurement } from './measurement.ts';
import { deleteMeasurement, selectMeasurement } from './measurements.ts';
import styles from './MeasurePanel.module.css';
import { chooseScale } from './scale.ts';

type Props = MeasuredFile & { readonly isSelected: boolean };

export const MeasureRow = memo(function MeasureRow({ item, file, isSelected }: Props) {
  const { title } = MEASURE_KINDS[item.kind];
  const image = describeImage(file, item.frame);
  const show = () => {
    selectMeasurement(item.id);
    showFrame(item.fileIndex, item.frame);
  };
  return (
    <ListRow
      isSelected={isSelected}
      onJump={show}
      deleteLabel={`Delete ${title.toLowerCase()}, ${image}`}
      onDelete={() => deleteMeasurement(item)}
    >
      <span className={styles.title}>{title}</span>
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

/** What its numbers rest on. */
function listOrigins({ kind, scale, points, values }: Measurement): readonly string[] {
  const { quantityOf } = MEASURE_KINDS[kind];
  return [
    ...(quantityOf === undefined || scale === undefined ? [] : [nameScaleSource(chooseScale(scale, points))]),
    ...(values?.kind === 'numbers' ? [values.origin] : []),
  ];
}
