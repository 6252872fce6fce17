import { Trash2 } from 'lucide-react';
import { memo, useEffect, useRef } from 'react';
import { showFrame } from '../state/shownFrame.ts';
import { ToolButton } from '../ui/ToolButton.tsx';
import { describeMeasurement, nameScaleSource } from './describeMeasurement.ts';
import { describeImage, type MeasuredFile } from './exportMeasurements.ts';
import { MEASURE_KINDS } from './measureKinds.ts';
import type { Measurement } from './measurement.ts';
import { deleteMeasurement, selectMeasurement } from './measurements.ts';
import styles from './MeasurePanel.module.css';
import { chooseScale } from './scale.ts';

type Props = MeasuredFile & { readonly isSelected: boolean };

export const MeasureRow = memo(function MeasureRow({ item, file, isSelected }: Props) {
  const ref = useRef<HTMLLIElement>(null);
  useEffect(() => {
    if (isSelected) ref.current?.scrollIntoView({ block: 'nearest' });
  }, [isSelected]);
  const { title } = MEASURE_KINDS[item.kind];
  const image = describeImage(file, item.frame);
  const show = () => {
    selectMeasurement(item.id);
    showFrame(item.fileIndex, item.frame);
  };
  return (
    <li ref={ref} className={styles.row} data-selected={isSelected}>
      <button type="button" className={styles.jump} aria-current={isSelected} onClick={show}>
        <span className={styles.title}>{title}</span>
        {describeMeasurement(item).map((line) => (
          <span key={line} className={styles.line}>
            {line}
          </span>
        ))}
        {isSelected &&
          listOrigins(item).map((origin) => (
            <span key={origin} className={styles.quiet}>
              {origin}
            </span>
          ))}
        <span className={styles.quiet}>{image}</span>
      </button>
      <ToolButton label={`Delete ${title.toLowerCase()}, ${image}`} onClick={() => deleteMeasurement(item)}>
        <Trash2 size={15} aria-hidden="true" />
      </ToolButton>
    </li>
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
