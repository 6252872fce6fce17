import { memo, type MouseEvent } from 'react';
import { usePage } from '../../../kit/state/page.ts';
import list from '../../../kit/ui/ListPanel.module.css';
import { ListRow } from '../../../kit/ui/ListRow.tsx';
import { describeMeasurement, nameScaleSource } from '../shapes/describeMeasurement.ts';
import { describeImage, type MeasuredFile } from '../shapes/exportMeasurements.ts';
import { MEASURE_KINDS } from '../shapes/measureKinds.ts';
import { classesOf, useLabels } from '../shapes/labels.ts';
import { MarkEditor } from './MarkEditor.tsx';
import { type Measurement, NO_WORDS } from '../shapes/measurement.ts';
import { deleteMeasurements } from '../shapes/measurements.ts';
import styles from './MeasurePanel.module.css';
import { chooseScale } from '../../../../shared/pixelScale.ts';

type Props = MeasuredFile & {
  readonly isSelected: boolean;
  readonly isChosen: boolean;
  /** Whether it is the only one that is chosen, so that its words can be edited. */
  readonly isAlone: boolean;
  readonly onChoose: (item: Measurement, event: MouseEvent) => void;
};

export const MeasureRow = memo(function MeasureRow({ item, file, isSelected, isChosen, isAlone, onChoose }: Props) {
  const page = usePage();
  const { title } = MEASURE_KINDS[item.kind];
  const image = describeImage(page, file, item);
  const words = item.words ?? NO_WORDS;
  const labelClass = useLabels((state) => classesOf(state).find(({ key }) => key === words.class));
  return (
    <ListRow
      isSelected={isSelected}
      isChosen={isChosen}
      row={item.id}
      onJump={(event) => onChoose(item, event)}
      deleteLabel={`Delete ${title.toLowerCase()}, ${image}`}
      onDelete={() => deleteMeasurements(page, new Set([item.id]))}
      details={isAlone && item.uid !== undefined && item.cut === undefined ? <MarkEditor item={item} /> : undefined}
    >
      <span className={styles.title}>
        {labelClass !== undefined && <span className={styles.swatch} style={{ background: labelClass.color }} />}
        {[labelClass?.title, words.label].filter(Boolean).join(': ') || title}
        {words.locked && ' (locked)'}
      </span>
      {describeMeasurement(item).map((line, i) => (
        // oxlint-disable-next-line react/no-array-index-key -- lines have no identity, and the text of an arrow may repeat one
        <span key={i} className={styles.line}>
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

/** The sources that its numbers are based on. */
function listOrigins({ kind, scale, points, values }: Measurement): readonly string[] {
  const { quantitiesOf } = MEASURE_KINDS[kind];
  return [
    ...(quantitiesOf === undefined || scale === undefined ? [] : [nameScaleSource(chooseScale(scale, points))]),
    ...(values?.kind === 'numbers' || values?.kind === 'channels' ? [values.origin] : []),
  ];
}
