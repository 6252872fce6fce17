import { ListFilter } from 'lucide-react';
import { useCallback, useEffect, useId, useState } from 'react';
import { useStore } from 'zustand';
import { writeColumnName } from '../../../shared/columnNames.ts';
import { parseWhere } from '../../../shared/whereClause.ts';
import { usePage } from '../../kit/state/page.ts';
import { type Completion, completeJoint, completeValue, MOST_OFFERED, readStage } from '../files/completeFilter.ts';
import { CompletionBox } from '../files/CompletionBox.tsx';
import { formatRows } from './cohortQuery.ts';
import styles from './ConditionField.module.css';
import { changeQuery, useQuery } from './query.ts';
import { useColumns } from './tableColumns.ts';
import { tableHeadOf } from './tableRows.ts';
import { useSummaries } from './tableSummaries.ts';

/** A condition that is complete is applied when the user rests; any other, with Enter. */
const REST_MS = 350;

const TITLE =
  "A condition, such as Modality = 'MR' and EchoTime < 30. Also <>, <=, >=, like 'T1%', in ('CT', 'PT'), between 1 and 5, is null, not, or, and parentheses";

/** Which rows the table has. Facets and histograms write into it. */
export function ConditionField() {
  const page = usePage();
  const id = useId();
  const where = useQuery((query) => query.where);
  const level = useQuery((query) => query.level);
  const { columns } = useColumns();
  const [draft, setDraft] = useState<{ readonly text: string; readonly where: string }>();
  // What a facet has written replaces what was typed.
  const typed = draft?.where === where ? draft.text : undefined;
  const text = typed ?? where;
  const error = useStore(tableHeadOf(page), (head) => (head.where === where.trim() ? head.conditionError : undefined));

  const apply = useCallback(
    (next: string) => {
      setDraft(undefined);
      changeQuery(page, { where: next });
    },
    [page],
  );
  useEffect(() => {
    if (typed === undefined || !isCondition(typed)) return undefined;
    const timer = setTimeout(() => changeQuery(page, { where: typed }), REST_MS);
    return () => clearTimeout(timer);
  }, [page, typed]);

  const stage = readStage(text, (name) => findName(columns, name) !== undefined, isCondition);
  const valued = stage.kind === 'value' ? findName(columns, stage.column) : undefined;
  const summaryOf = useSummaries(valued === undefined ? [] : [{ level, where: '', columns: [valued] }]);
  const values = valued === undefined ? undefined : summaryOf(valued).summary?.values;
  const complete = useCallback(
    (written: string): readonly Completion[] => {
      const at = readStage(written, (name) => findName(columns, name) !== undefined, isCondition);
      if (at.kind === 'joint') return completeJoint(at);
      if (at.kind === 'name') return completeColumnName(columns, at.before, at.begun);
      const counts = (values ?? []).map(({ value, count }) => [value, count] as const);
      return completeValue(at, counts, (count) => formatRows(count, level));
    },
    [columns, values, level],
  );
  return (
    <div className={styles.field}>
      <CompletionBox
        className={styles.box}
        label="Condition"
        icon={ListFilter}
        placeholder="Condition, such as Modality = 'MR' and EchoTime < 30"
        title={TITLE}
        value={text}
        onChange={(next) => setDraft({ text: next, where })}
        onEntered={(next) => next !== where && apply(next)}
        complete={complete}
        listLabel="Names and values"
        describedBy={id}
        isInvalid={error !== undefined}
      />
      <p id={id} className={styles.error} role={error === undefined ? undefined : 'alert'}>
        {error !== undefined && (
          <span style={{ marginLeft: `min(${placeOfError(where, columns)}ch, 50%)` }}>
            <span aria-hidden="true">↑ </span>
            {error}
          </span>
        )}
      </p>
    </div>
  );
}

type Named = { readonly name: string; readonly title: string };

function findName(columns: readonly Named[], name: string): string | undefined {
  const wanted = name.toLowerCase();
  return wanted === '' ? undefined : columns.find((column) => column.name.toLowerCase() === wanted)?.name;
}

/** Whether it is written as one, whatever its columns. */
function isCondition(text: string): boolean {
  return text.trim() === '' || parseWhere(text, (name) => name).ok;
}

/** Where in the text it stops being a condition, in characters. */
function placeOfError(where: string, columns: readonly Named[]): number {
  const parsed = parseWhere(where, (name) => findName(columns, name));
  return parsed.ok ? 0 : parsed.at;
}

function completeColumnName(
  columns: readonly (Named & { kind: string })[],
  before: string,
  begun: string,
): readonly Completion[] {
  const wanted = begun.toLowerCase();
  if (wanted === '') return [];
  const begins = columns.filter(({ name }) => name.toLowerCase().startsWith(wanted));
  const has = columns.filter(
    ({ name, title }) => !begins.some((one) => one.name === name) && `${name} ${title}`.toLowerCase().includes(wanted),
  );
  return [...begins, ...has]
    .slice(0, MOST_OFFERED)
    .map(({ name, kind }) => ({ title: name, detail: kind, text: `${before}${writeColumnName(name)} ` }));
}
