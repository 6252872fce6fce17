import { ChevronRight } from 'lucide-react';
import { useMemo } from 'react';
import { useStore } from 'zustand';
import { createStore } from 'zustand/vanilla';
import type { TableLevel } from '../../../shared/tableLevel.ts';
import type { WherePart } from '../../../shared/whereClause.ts';
import { definePart, type Page, usePage } from '../../kit/state/page.ts';
import { conditionsOn, replaceConditionOn, splitCondition } from './conditionParts.ts';
import { FacetBody, isConstant, describeSummary } from './FacetBody.tsx';
import styles from './FacetPanel.module.css';
import { changeQuery, queryOf, useQuery } from './query.ts';
import { listTableColumns, useColumns } from './tableColumns.ts';
import { type SummaryAnswer, useSummaries } from './tableSummaries.ts';

type FacetsState = {
  /** Undefined until the user opens or closes the panel: it is open where there is room. */
  readonly isOpen: boolean | undefined;
  /** Columns whose values are not shown. */
  readonly closed: ReadonlySet<string>;
};

const facetsOf = definePart(() => createStore<FacetsState>(() => ({ isOpen: undefined, closed: new Set() })));

const ROOM_PX = 1_100;

export function useAreFacetsOpen(): boolean {
  return useStore(facetsOf(usePage()), ({ isOpen }) => isOpen ?? innerWidth >= ROOM_PX);
}

export function setFacetsOpen(page: Page, isOpen: boolean): void {
  facetsOf(page).setState({ isOpen });
}

function toggleFacet(page: Page, name: string): void {
  const closed = new Set(facetsOf(page).getState().closed);
  if (!closed.delete(name)) closed.add(name);
  facetsOf(page).setState({ closed });
}

/** The values of each column with their counts; what is chosen becomes a part of the condition. */
export function FacetPanel() {
  const page = usePage();
  const level = useQuery((query) => query.level);
  const where = useQuery((query) => query.where);
  const shown = useQuery((query) => query.columns);
  const { columns } = useColumns();
  const closed = useStore(facetsOf(page), (state) => state.closed);
  const parts = useMemo(
    () =>
      splitCondition(
        where,
        columns.map(({ name }) => name),
      ),
    [where, columns],
  );
  const names = useMemo(() => listFacets(shown, columns, parts ?? []), [shown, columns, parts]);
  const open = names.filter((name) => !closed.has(name));
  const summaryOf = useSummaries(parts === undefined ? [] : planSummaries(open, parts, level));
  return (
    <section className={styles.panel} aria-label="Values">
      {parts === undefined && columns.length > 0 && (
        <p className={styles.note}>Values are counted when the condition is complete.</p>
      )}
      {parts !== undefined &&
        names.map((name) => (
          <Facet
            key={name}
            name={name}
            level={level}
            isOpen={!closed.has(name)}
            answer={summaryOf(name)}
            conditions={conditionsOn(parts, name)}
          />
        ))}
    </section>
  );
}

type FacetProps = {
  readonly name: string;
  readonly level: TableLevel;
  readonly isOpen: boolean;
  readonly answer: SummaryAnswer;
  readonly conditions: readonly WherePart[];
};

function Facet({ name, level, isOpen, answer, conditions }: FacetProps) {
  const page = usePage();
  const { summary } = answer;
  const isNothingToChoose = summary !== undefined && isConstant(summary) && conditions.length === 0;
  if (isNothingToChoose) {
    return (
      <section className={styles.facet} aria-label={name}>
        <h3 className={`${styles.title} ${styles.constant}`}>
          <span className={styles.name}>{name}</span>
          <span className={styles.only} title={describeSummary(summary)}>
            {describeSummary(summary)}
          </span>
        </h3>
      </section>
    );
  }
  return (
    <section className={styles.facet} aria-label={name}>
      <h3 className={styles.title}>
        <button type="button" aria-expanded={isOpen} className={styles.toggle} onClick={() => toggleFacet(page, name)}>
          <ChevronRight size={14} aria-hidden="true" className={isOpen ? styles.open : undefined} />
          <span className={styles.name}>{name}</span>
          <span className={styles.quiet}>{isOpen ? describeSummary(summary) : ''}</span>
        </button>
        {conditions.length > 0 && (
          <button
            type="button"
            className={styles.clear}
            aria-label={`Any ${name}`}
            onClick={() => restrictTo(page, name, undefined)}
          >
            Any
          </button>
        )}
      </h3>
      {isOpen && (
        <FacetBody
          name={name}
          level={level}
          answer={answer}
          conditions={conditions}
          onCondition={(next) => restrictTo(page, name, next)}
        />
      )}
    </section>
  );
}

/** Puts a condition on one column in place of what was said of it. */
function restrictTo(page: Page, name: string, next: string | undefined): void {
  const names = listTableColumns(page).map((column) => column.name);
  const parts = splitCondition(queryOf(page).getState().where, names);
  if (parts !== undefined) changeQuery(page, { where: replaceConditionOn(parts, name, next) });
}

/** Columns on which there is a condition, then those that are shown. */
function listFacets(
  shown: readonly string[],
  columns: readonly { readonly name: string; readonly distinct: number | null }[],
  parts: readonly WherePart[],
): readonly string[] {
  const known = new Set(columns.map(({ name }) => name));
  const conditioned = parts.flatMap((part) => (part.columns.length === 1 ? part.columns : []));
  return [...new Set([...conditioned.filter((name) => !shown.includes(name)), ...shown])].filter((name) =>
    known.has(name),
  );
}

/** One request for all columns without a condition of their own: the others are counted without theirs. */
function planSummaries(names: readonly string[], parts: readonly WherePart[], level: TableLevel) {
  const byCondition = new Map<string, string[]>();
  for (const name of names) {
    const where = replaceConditionOn(parts, name, undefined);
    const same = byCondition.get(where) ?? [];
    byCondition.set(where, same);
    same.push(name);
  }
  return [...byCondition].map(([where, columns]) => ({ level, where, columns }));
}
