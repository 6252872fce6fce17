import { X } from 'lucide-react';
import type { Dispatch, SetStateAction } from 'react';
import type { VolumeUnit } from './dvhCurves.ts';
import styles from './DvhPanel.module.css';
import {
  type AddedColumns,
  DOSE_COLUMNS,
  type DoseUnit,
  formatCm3,
  formatDose,
  formatOutside,
  formatPoint,
} from './dvhTable.ts';
import type { MeasuredPart } from './useDvhs.ts';

type Props = {
  readonly rows: readonly MeasuredPart[];
  /** Parts whose curves are not drawn. */
  readonly hidden: ReadonlySet<number>;
  readonly setHidden: Dispatch<SetStateAction<ReadonlySet<number>>>;
  readonly lit: number | undefined;
  readonly setLit: (part: number | undefined) => void;
  readonly unit: VolumeUnit;
  readonly dose: DoseUnit;
  readonly added: AddedColumns & { readonly remove: (title: string) => void };
};

/** The numbers of each part; its box decides whether its curve is drawn. */
export function HistogramTable({ rows, hidden, setHidden, lit, setLit, unit, dose, added }: Props) {
  const drawn = rows.filter(({ dvh }) => dvh.volume_cm3 !== null);
  const areAll = drawn.every(({ number }) => !hidden.has(number));
  const toggle = (part: number) =>
    setHidden((before) =>
      before.has(part) ? new Set([...before].filter((one) => one !== part)) : new Set([...before, part]),
    );
  return (
    <div className={styles.scroller}>
      <table className={styles.table}>
        <thead>
          <tr>
            <th scope="col">
              <label className={styles.all}>
                <input
                  type="checkbox"
                  aria-label="All curves"
                  checked={areAll}
                  onChange={() => setHidden(areAll ? new Set(drawn.map(({ number }) => number)) : new Set())}
                />
                Name
              </label>
            </th>
            <th scope="col">
              Volume <span>(cm³)</span>
            </th>
            {added.columns.map((column) => (
              <th key={column.title} scope="col">
                {column.title} <span>({column.of === 'dose' ? dose.label : unit === 'cm3' ? 'cm³' : '%'})</span>
                <button
                  type="button"
                  className={styles.remove}
                  aria-label={`Remove ${column.title}`}
                  onClick={() => added.remove(column.title)}
                >
                  <X size={12} aria-hidden="true" />
                </button>
              </th>
            ))}
            {DOSE_COLUMNS.map(({ title, tooltip }) => (
              <th key={title} scope="col" title={tooltip}>
                {title} <span>({dose.label})</span>
              </th>
            ))}
            <th scope="col" title="Share of the volume where no dose is known">
              Outside <span>(%)</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr
              key={row.number}
              data-part={row.number}
              data-lit={row.number === lit}
              onPointerEnter={() => setLit(row.number)}
              onPointerLeave={() => setLit(undefined)}
            >
              {/* oxlint-disable-next-line jsx-a11y/control-has-associated-label -- the label is in it */}
              <th scope="row">
                <label className={styles.name}>
                  <input
                    type="checkbox"
                    checked={!hidden.has(row.number) && row.dvh.volume_cm3 !== null}
                    disabled={row.dvh.volume_cm3 === null}
                    onChange={() => toggle(row.number)}
                  />
                  <span className={styles.swatch} style={{ background: `rgb(${row.color.join(' ')})` }} />
                  <span className={styles.text} title={row.name}>
                    {row.name}
                  </span>
                </label>
              </th>
              <td>{formatCm3(row.dvh.volume_cm3)}</td>
              {added.columns.map(({ title, name, of }) => (
                <td key={title}>
                  {formatPoint(
                    added.points?.get(row.number)?.find((point) => point.name === name),
                    { of, dose, unit },
                  )}
                </td>
              ))}
              {DOSE_COLUMNS.map(({ title, of }) => (
                <td key={title}>{formatDose(of(row.dvh), dose)}</td>
              ))}
              <td data-warned={row.dvh.warnings.some(({ code }) => code === 'outside_dose_grid')}>
                {formatOutside(row.dvh)}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
