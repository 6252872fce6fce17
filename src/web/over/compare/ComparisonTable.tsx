import { useState } from 'react';
import { AGREEMENT_WORDS } from '../../../shared/agreementWords.ts';
import type { ComparisonResponse } from '../../../shared/contract/comparison.ts';
import { usePage } from '../../kit/state/page.ts';
import { VisuallyHidden } from '../../kit/ui/VisuallyHidden.tsx';
import { type ChosenPair, type CompareChoice, formatPair, parsePair } from '../../kit/state/compareChoice.ts';
import { changeComparison } from '../../kit/state/comparedSides.ts';
import { type ComparedPair, keyOfPair } from './comparison.ts';
import { COMPARE_COLUMNS, type CompareColumn, explainMissing } from './compareTexts.ts';
import styles from './ComparePanel.module.css';

type Props = {
  readonly answer: ComparisonResponse;
  readonly choice: CompareChoice;
  /** Whether more numbers are to come. */
  readonly isLoading: boolean;
};

/** A line for each part of the truth. The heads of the columns say what the numbers are, and sort: the worst first. */
export function ComparisonTable({ answer, choice, isLoading }: Props) {
  const page = usePage();
  const [sorted, setSorted] = useState<string>();
  const by = COMPARE_COLUMNS.find(({ name }) => name === sorted);
  const pairs = by === undefined ? answer.pairs : answer.pairs.toSorted((a, b) => by.rankOf(a) - by.rankOf(b));
  const unpaired = answer.only_truth.filter(({ samples }) => samples > 0);
  const pair = (truth: number, test: number | undefined) => {
    const others = answer.pairs
      .map((one): ChosenPair => [one.truth.part, one.test.part])
      .filter(([a, b]) => a !== truth && b !== test);
    const own: readonly ChosenPair[] = test === undefined ? [] : [[truth, test]];
    changeComparison(page, { pairs: [...others, ...own].toSorted(([a], [b]) => a - b), pair: undefined });
  };
  return (
    <div className={styles.scroller}>
      <table className={styles.table}>
        <thead>
          <tr>
            <th scope="col">Truth</th>
            <th scope="col">Test</th>
            {COMPARE_COLUMNS.map((column) => (
              <Head
                key={column.name}
                column={column}
                title={column.title(answer)}
                isSorted={column === by}
                onSort={() => setSorted(column === by ? undefined : column.name)}
              />
            ))}
          </tr>
        </thead>
        <tbody>
          {pairs.map((one) => (
            <Row key={keyOfPair(one)} {...{ one, answer, choice, isLoading, pair }} />
          ))}
          {unpaired.map(({ part, name, volume_ml: ml }) => (
            <tr key={part}>
              <th scope="row">
                <span className={styles.text}>{name}</span>
              </th>
              <td>
                <Partner name={name} answer={answer} value={undefined} onChange={(test) => pair(part, test)} />
              </td>
              <td colSpan={COMPARE_COLUMNS.length} className={styles.left}>
                no partner, {ml.toFixed(2)} ml
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

type HeadProps = {
  readonly column: CompareColumn;
  readonly title: string;
  readonly isSorted: boolean;
  readonly onSort: () => void;
};

function Head({ column: { name, unit }, title, isSorted, onSort }: HeadProps) {
  const { definition } = AGREEMENT_WORDS[name];
  const seen = unit === '' ? title : `${title} ${unit}`;
  const text = `${seen}: ${definition.replaceAll('`', '')}`;
  return (
    <th scope="col" aria-sort={isSorted ? 'ascending' : 'none'}>
      <button type="button" data-tooltip={text} aria-label={`${text}. Sort by it, the worst first`} onClick={onSort}>
        {seen}
      </button>
    </th>
  );
}

type RowProps = Props & {
  readonly one: ComparedPair;
  readonly pair: (truth: number, test: number | undefined) => void;
};

function Row({ one, answer, choice, isLoading, pair }: RowProps) {
  const page = usePage();
  const key = keyOfPair(one);
  const isOnly = choice.pair !== undefined && formatPair(choice.pair) === key;
  const areSeen = choice.pair === undefined || isOnly;
  return (
    <tr data-dim={!areSeen} data-only={isOnly}>
      <th scope="row">
        <button
          type="button"
          className={styles.text}
          aria-pressed={isOnly}
          data-tooltip={isOnly ? 'Errors of all pairs' : `Only errors of ${one.truth.name}`}
          onClick={() => changeComparison(page, { pair: isOnly ? undefined : parsePair(key) })}
        >
          {one.truth.name}
        </button>
      </th>
      <td>
        <Partner
          name={one.truth.name}
          answer={answer}
          value={one.test.part}
          onChange={(test) => pair(one.truth.part, test)}
        />{' '}
        <span className={styles.quiet}>{PAIRED_BY[one.paired_by]}</span>
      </td>
      {COMPARE_COLUMNS.map((column) => (
        <Cell key={column.name} {...{ column, one, isLoading }} />
      ))}
    </tr>
  );
}

const PAIRED_BY: Readonly<Record<ComparedPair['paired_by'], string>> = {
  code: 'by code',
  label: 'by label',
  number: 'by number',
  request: 'chosen',
};

type CellProps = { readonly column: CompareColumn; readonly one: ComparedPair; readonly isLoading: boolean };

function Cell({ column, one, isLoading }: CellProps) {
  const text = column.textOf(one);
  if (text !== undefined) return <td>{text}</td>;
  const reason = explainMissing(one, column, isLoading);
  return (
    <td title={reason}>
      <span aria-hidden="true">{isLoading ? '…' : '–'}</span>
      <VisuallyHidden>{reason}</VisuallyHidden>
    </td>
  );
}

type PartnerProps = {
  /** Of the part of the truth. */
  readonly name: string;
  readonly answer: ComparisonResponse;
  readonly value: number | undefined;
  readonly onChange: (part: number | undefined) => void;
};

/** The part of the test that a part of the truth is compared with. */
function Partner({ name, answer, value, onChange }: PartnerProps) {
  const known = new Map([...answer.pairs.map(({ test }) => test), ...answer.only_test].map((one) => [one.part, one]));
  const parts = [...known.values()].toSorted((a, b) => a.part - b.part);
  return (
    <select
      aria-label={`Part of the test that ${name} is compared with`}
      value={value ?? ''}
      onChange={({ target }) => onChange(target.value === '' ? undefined : Number(target.value))}
    >
      <option value="">no partner</option>
      {parts.map((one) => (
        <option key={one.part} value={one.part}>
          {one.name}
        </option>
      ))}
    </select>
  );
}
