import { useId } from 'react';
import { useStore } from 'zustand';
import type { Suv } from '../../../shared/contract/valueMapping.ts';
import {
  findDifference,
  type FrameValues,
  listFrameReadings,
  type NamedReading,
} from '../../../shared/listFrameReadings.ts';
import { useCells } from '../../kit/state/cells.ts';
import type { FileRecord } from '../../../shared/contract/files.ts';
import { findFile } from '../../kit/state/library.ts';
import { usePage } from '../../kit/state/page.ts';
import { frameOnScreen, useReport } from '../pictures/viewports.ts';
import { formatValue } from '../../kit/ui/formatNumbers.ts';
import { PanelMessage } from '../../kit/ui/PanelMessage.tsx';
import { hasValues } from './followReadings.ts';
import { findValues, frameValuesOf, loadValues } from './frameValues.ts';
import { chooseReading, readingsOf } from './reading.ts';
import styles from './ValueSection.module.css';

/**
 * Shows how the values of the image in the active cell are read and what that is based on, with a choice if there are
 * several readings. Renders nothing if that image is not of this file.
 */
export function ValueSection({ file }: { readonly file: FileRecord }) {
  const page = usePage();
  const cell = useCells(({ activeCell }) => activeCell);
  // The same object as long as it is the same frame of the same stack.
  const frame = useReport(cell, () => frameOnScreen(page, cell)?.frame);
  const known = useStore(frameValuesOf(page), () => findValues(page, frame));
  const shown = frameOnScreen(page, cell);
  const stackId = shown?.stack.id;
  // While the user scrolls, the previous frame is shown, so that the panel does not flicker.
  const last = useStore(readingsOf(page), ({ readings }) => readings.get(cell));
  const before = useStore(frameValuesOf(page), () =>
    last?.stackId === stackId ? findValues(page, last?.frame) : undefined,
  );
  if (frame === undefined || stackId === undefined || !hasValues(shown) || frame.fileIndex !== file.index)
    return undefined;
  const values = known ?? before;
  return (
    <section
      className={`${styles.section} ${known === undefined && before !== undefined ? styles.stale : ''}`}
      aria-label="Values"
      aria-busy={known === undefined}
    >
      <h2 className={styles.title}>Values</h2>
      {values === undefined && <p className={styles.quiet}>Loading the meaning of the values…</p>}
      {values instanceof Error && (
        <PanelMessage tone="danger" onRetry={() => void loadValues(page, frame, new AbortController().signal)}>
          {values.message}
        </PanelMessage>
      )}
      {values !== undefined && !(values instanceof Error) && (
        <Readings values={values} chosenId={last?.id} onChoose={(id) => chooseReading(page, stackId, id)} />
      )}
    </section>
  );
}

type ReadingsProps = {
  readonly values: FrameValues;
  readonly chosenId: string | undefined;
  readonly onChoose: (id: string) => void;
};

function Readings({ values, chosenId, onChoose }: ReadingsProps) {
  const name = useId();
  const readings = listFrameReadings(values);
  const chosen = readings.find(({ id }) => id === chosenId) ?? readings[0];
  return (
    <>
      <fieldset className={styles.readings}>
        <legend className={styles.legend}>Show values as</legend>
        {readings.map(({ id, title, reading }) => (
          <label key={id} className={styles.reading}>
            <input type="radio" name={name} checked={id === chosen?.id} onChange={() => onChoose(id)} />
            <span className={styles.name}>{title}</span>
            <span className={styles.quiet} title={reading.unitCode}>
              {reading.unit}
            </span>
          </label>
        ))}
      </fieldset>
      {chosen !== undefined && <Origin chosen={chosen} />}
      {readings.map(
        (each) =>
          each.rival &&
          each.id.startsWith('real_world') && <Contradiction key={each.id} declared={each} own={each.rival} />,
      )}
      {values.mapping.pet !== null && <SuvPart suv={values.mapping.pet.suv} />}
    </>
  );
}

function Origin({ chosen: { reading, sourceFileIndex } }: { readonly chosen: NamedReading }) {
  const page = usePage();
  const source = findFile(page, sourceFileIndex);
  return (
    <p className={styles.origin}>
      {reading.origin}
      {source !== undefined && <span className={styles.quiet}> (from {source.path})</span>}
    </p>
  );
}

/** Two readings of which only one can be right. */
function Contradiction({ declared, own }: { readonly declared: NamedReading; readonly own: NamedReading }) {
  if (declared.reading.unit !== own.reading.unit) {
    return (
      <div className={styles.refused} role="note">
        <p>
          The rescale differs from slice to slice, and “{declared.title}” ignores it: it is not right in all slices. “
          {own.title}” follows the rescale of each image and is preferred.
        </p>
        <p className={styles.origin}>{declared.reading.origin}</p>
      </div>
    );
  }
  const percent = Math.round(100 * findDifference(declared.reading, own.reading));
  const [ofDeclared, ofOwn] = [declared, own].map(({ reading: { toValue } }) => {
    const value = toValue(EXAMPLE);
    return value === undefined ? 'no value' : formatValue(value);
  });
  return (
    <div className={styles.refused} role="note">
      <p>
        Two readings in {own.reading.unit} differ by {percent} %: for a stored value of {EXAMPLE}, “{declared.title}”
        gives {ofDeclared} and “{own.title}” gives {ofOwn}. “{own.title}” follows the rescale of this image and is
        preferred; “{declared.title}” contradicts it.
      </p>
      <p className={styles.origin}>{declared.reading.origin}</p>
      <p className={styles.origin}>{own.reading.origin}</p>
    </div>
  );
}

const EXAMPLE = 1000;

function SuvPart({ suv }: { readonly suv: Suv }) {
  if ('missing' in suv) {
    return (
      <div className={styles.refused}>
        <p>SUV by body weight cannot be computed:</p>
        <ul>
          {suv.missing.map(({ tag, keyword, why }) => (
            <li key={keyword + why}>
              {keyword} {tag} {why}
            </li>
          ))}
        </ul>
      </div>
    );
  }
  return (
    <details className={styles.suv}>
      <summary>How SUV is computed</summary>
      <p className={styles.origin}>{suv.formula}</p>
      <table>
        <tbody>
          {suv.inputs.map(({ tag, keyword, value }) => (
            <tr key={keyword}>
              <th scope="row">
                {keyword} <span className={styles.quiet}>{tag}</span>
              </th>
              <td>{value}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </details>
  );
}
