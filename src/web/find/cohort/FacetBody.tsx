import { useState } from 'react';
import type { ColumnSummary } from '../../../shared/contract/tables.ts';
import type { WherePart } from '../../../shared/whereClause.ts';
import { groupDigits } from '../../kit/ui/groupDigits.ts';
import type { TableLevel } from '../../../shared/tableLevel.ts';
import { formatRows } from './cohortQuery.ts';
import { type ColumnValue, passes, writeChoice, writeContains } from './conditionParts.ts';
import styles from './FacetPanel.module.css';
import { formatColumnValue } from './formatCell.ts';
import { RangeFacet } from './RangeFacet.tsx';
import type { SummaryAnswer } from './tableSummaries.ts';

type Props = {
  readonly name: string;
  readonly level: TableLevel;
  readonly answer: SummaryAnswer;
  /** What is said of this column alone. */
  readonly conditions: readonly WherePart[];
  /** Undefined for none. */
  readonly onCondition: (next: string | undefined) => void;
};

/** Whether all rows are the same, so that there is nothing to choose. */
export function isConstant({ values, empty, varying }: ColumnSummary): boolean {
  const count = (values?.length ?? Infinity) + Number(empty > 0);
  return count <= 1 && varying === 0;
}

/** What a column has, in a few words. */
export function describeSummary(summary: ColumnSummary | undefined): string {
  if (summary === undefined) return '';
  const { values, histogram } = summary;
  if (isConstant(summary)) return nameValue(values?.[0]?.value ?? null);
  if (values !== null) return values.length === 1 ? '1 value' : `${values.length} values`;
  return histogram === null ? 'many values' : `${histogram.min} to ${histogram.max}`;
}

/** The values of one column: each with its count, or how numbers are distributed, or a text to look for. */
export function FacetBody({ name, level, answer: { summary, total, error }, conditions, onCondition }: Props) {
  if (error !== undefined) return <p className={styles.note}>{error}</p>;
  if (summary === undefined) return <p className={styles.note}>Counting…</p>;
  const { values, histogram, varying } = summary;
  return (
    <>
      {values !== null && (
        <Values name={name} summary={summary} total={total} conditions={conditions} onCondition={onCondition} />
      )}
      {values === null && histogram !== null && (
        <RangeFacet name={name} histogram={histogram} conditions={conditions} onCondition={onCondition} />
      )}
      {values === null && histogram === null && (
        <Contains key={conditions.map(({ text }) => text).join()} name={name} onCondition={onCondition} />
      )}
      {varying > 0 && <p className={styles.note}>Differs within {formatRows(varying, level)}.</p>}
    </>
  );
}

/** Values that are listed until the user asks for all of them. */
const FEW = 6;

type ValuesProps = Pick<Props, 'name' | 'conditions' | 'onCondition'> & {
  readonly summary: ColumnSummary;
  readonly total: number;
};

function Values({ name, summary, total, conditions, onCondition }: ValuesProps) {
  const [areAll, setAll] = useState(false);
  const counts: readonly { readonly value: ColumnValue; readonly count: number }[] = [
    ...(summary.values ?? []).toSorted((a, b) => b.count - a.count),
    ...(summary.empty > 0 ? [{ value: null, count: summary.empty }] : []),
  ];
  const isOn = (value: ColumnValue) => conditions.length > 0 && passes(conditions, name, value);
  const shown = areAll ? counts : counts.filter(({ value }, n) => n < FEW || isOn(value));
  const toggle = (value: ColumnValue) => {
    const chosen = counts.map((one) => one.value).filter((one) => isOn(one) !== (one === value));
    onCondition(chosen.length === 0 || chosen.length === counts.length ? undefined : writeChoice(name, chosen));
  };
  return (
    <ul className={styles.values}>
      {shown.map(({ value, count }) => (
        <li key={formatKey(value)}>
          <label className={styles.value}>
            <input type="checkbox" checked={isOn(value)} onChange={() => toggle(value)} />
            <span
              className={styles.valueText}
              data-none={value === null || value === ''}
              title={formatColumnValue(value)}
            >
              {nameValue(value)}
            </span>
            <span className={styles.bar} aria-hidden="true">
              <span style={{ width: `${total === 0 ? 0 : (100 * count) / total}%` }} />
            </span>
            <span className={styles.count}>{groupDigits(count)}</span>
          </label>
        </li>
      ))}
      {counts.length > shown.length && (
        <li>
          <button type="button" className={styles.more} onClick={() => setAll(true)}>
            All {counts.length} values
          </button>
        </li>
      )}
    </ul>
  );
}

function nameValue(value: ColumnValue): string {
  if (value === null) return 'none';
  return value === '' ? 'empty' : formatColumnValue(value);
}

/** The number 1 and the text 1 are two values. */
function formatKey(value: ColumnValue): string {
  return `${typeof value} ${value}`;
}

function Contains({ name, onCondition }: Pick<Props, 'name' | 'onCondition'>) {
  const [text, setText] = useState('');
  const apply = () => {
    if (text.trim() !== '') onCondition(writeContains(name, text.trim()));
  };
  return (
    <form
      className={styles.contains}
      onSubmit={(event) => {
        event.preventDefault();
        apply();
      }}
    >
      <input
        type="text"
        aria-label={`${name} contains`}
        placeholder="Contains…"
        value={text}
        onChange={({ target }) => setText(target.value)}
      />
    </form>
  );
}
