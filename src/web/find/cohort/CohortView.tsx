import { PanelLeft, X } from 'lucide-react';
import { type KeyboardEvent, type ReactNode, useEffect, useRef } from 'react';
import { useStore } from 'zustand';
import { closeCohort } from '../../kit/state/cohortPlace.ts';
import { usePage } from '../../kit/state/page.ts';
import { SegmentedChoice } from '../../kit/ui/SegmentedChoice.tsx';
import { SelectField } from '../../kit/ui/SelectField.tsx';
import { ToolButton } from '../../kit/ui/ToolButton.tsx';
import { TABLE_LEVELS } from '../../../shared/tableLevel.ts';
import { COHORT_MODES, type CohortMode, formatRows, LEVEL_TITLES } from './cohortQuery.ts';
import styles from './CohortView.module.css';
import { ColumnChooser } from './ColumnChooser.tsx';
import { ConditionField } from './ConditionField.tsx';
import { DownloadMenu } from './DownloadMenu.tsx';
import { FacetPanel, setFacetsOpen, useAreFacetsOpen } from './FacetPanel.tsx';
import { groupBy } from './gridActions.ts';
import { changeLevel, changeQuery, useQuery } from './query.ts';
import { SelectionBar } from './SelectionBar.tsx';
import { useColumns, useMissingColumns } from './tableColumns.ts';
import { tableHeadOf } from './tableRows.ts';
import { useScoreColumns } from './useScoreColumns.ts';
import { useVerdicts } from './useVerdicts.ts';

const MODE_TITLES: Readonly<Record<CohortMode, string>> = { table: 'Table', gallery: 'Gallery', audits: 'Audits' };

type Props = Readonly<Record<CohortMode, ReactNode>>;

/** All files, series or studies at once, over the cells: as a table, or as pictures. */
export function CohortView(bodies: Props) {
  const page = usePage();
  const mode = useQuery((query) => query.mode);
  const areFacetsOpen = useAreFacetsOpen();
  const view = useRef<HTMLElement>(null);
  useMissingColumns();
  useScoreColumns();
  useVerdicts(mode !== 'audits');

  // What is below cannot have the focus, and gets it back.
  useEffect(() => {
    const element = view.current;
    if (element?.contains(document.activeElement) === false) element.focus();
    return () => {
      const { activeElement } = document;
      if (activeElement === null || activeElement === document.body || element?.contains(activeElement) === true)
        document.querySelector<HTMLElement>('[data-cell]')?.focus();
    };
  }, []);
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions
    <section ref={view} className={styles.view} aria-label={MODE_TITLES[mode]} tabIndex={-1} onKeyDown={leaveField}>
      <Bar />
      <div className={styles.condition}>
        {mode !== 'audits' && (
          <ToolButton label="Values" isOn={areFacetsOpen} onClick={() => setFacetsOpen(page, !areFacetsOpen)}>
            <PanelLeft size={17} aria-hidden="true" />
          </ToolButton>
        )}
        <ConditionField />
      </div>
      <div className={styles.body}>
        {areFacetsOpen && mode !== 'audits' && <FacetPanel />}
        {bodies[mode]}
      </div>
      {mode !== 'audits' && <SelectionBar />}
    </section>
  );
}

/** From a field, the way back begins with the rows. */
function leaveField(event: KeyboardEvent<HTMLElement>): void {
  if (event.key !== 'Escape' || event.defaultPrevented || !(event.target instanceof HTMLInputElement)) return;
  event.preventDefault();
  const rows = event.currentTarget.querySelector<HTMLElement>('[role=grid] [tabindex="0"]');
  (rows ?? event.currentTarget).focus();
}

/** What the rows are, and how they are shown. */
function Bar() {
  const page = usePage();
  const mode = useQuery((query) => query.mode);
  return (
    <div className={styles.bar}>
      <ToolButton label="Back to the images" keyHint="Esc" onClick={() => closeCohort(page)}>
        <X size={17} aria-hidden="true" />
      </ToolButton>
      <SegmentedChoice
        label="Show as"
        value={mode}
        choices={COHORT_MODES.map((one) => [one, MODE_TITLES[one]])}
        onChange={(next) => changeQuery(page, { mode: next })}
      />
      {mode !== 'audits' && <RowChoices />}
    </div>
  );
}

/** What the rows are; an audit looks at files. */
function RowChoices() {
  const page = usePage();
  const level = useQuery((query) => query.level);
  const group = useQuery((query) => query.group);
  const where = useQuery((query) => query.where);
  const { columns } = useColumns();
  const { total, isComplete, isLoading } = useStore(tableHeadOf(page));
  const names = columns.map(({ name }) => name);
  const groups = group === undefined || names.includes(group) ? names : [group, ...names];
  return (
    <>
      <SegmentedChoice
        label="Rows"
        value={level}
        choices={TABLE_LEVELS.map((one) => [one, LEVEL_TITLES[one]])}
        onChange={(next) => changeLevel(page, next)}
      />
      <output className={styles.total}>
        {isLoading && total === 0 ? '' : formatRows(total, level)}
        {!isComplete && total > 0 && '; still being read'}
      </output>
      <SelectField
        label="Group"
        className={styles.group}
        value={group ?? ''}
        choices={[['', 'none'], ...groups.map((name) => [name, name] as const)]}
        onChange={(name) => groupBy(page, name === '' ? undefined : name)}
      />
      <ColumnChooser />
      <DownloadMenu label="Download the table" where={where} isEnabled count={total} />
    </>
  );
}
