import { Grid2x2, ListFilter, Tag, X } from 'lucide-react';
import { type KeyboardEvent, useState } from 'react';
import { useStore } from 'zustand';
import { asError } from '../../../shared/asError.ts';
import type { WireTableRow } from '../../../shared/contract/tables.ts';
import { groupDigits } from '../../kit/ui/groupDigits.ts';
import { addClass } from '../../draw/marks/panel/addClass.ts';
import { classesOf, findClass, labelsOf, useLabels } from '../../draw/marks/shapes/labels.ts';
import { say, sayOutcome } from '../../kit/state/messages.ts';
import { type Page, usePage } from '../../kit/state/page.ts';
import { Menu } from '../../kit/ui/Menu.tsx';
import { ToolButton } from '../../kit/ui/ToolButton.tsx';
import { VerdictMenu } from '../review/VerdictMenu.tsx';
import { fetchSelected, writeSelected } from './chosenRows.ts';
import { countSelected, formatRows, hasSelection, NONE_SELECTED } from './cohortQuery.ts';
import { splitCondition } from './conditionParts.ts';
import { CopyMenu } from './CopyMenu.tsx';
import { DownloadMenu } from './DownloadMenu.tsx';
import { markRows } from './markRows.ts';
import { MOST_TOGETHER, openTogether } from './openRow.ts';
import { changeQuery, queryOf, selectNone, useQuery } from './query.ts';
import styles from './SelectionBar.module.css';
import { listTableColumns } from './tableColumns.ts';
import { tableHeadOf } from './tableRows.ts';

/** A request names each row, and the server takes no longer address. */
const LONGEST_CONDITION = 3_000;
/** Rows that are marked or decided at once. */
export const MOST_MARKED = 1_000;

/** What can be done with the selected rows, in the table and the gallery alike. */
export function SelectionBar() {
  const page = usePage();
  const level = useQuery((query) => query.level);
  const selected = useQuery((query) => query.selected);
  const where = useQuery((query) => query.where);
  const total = useStore(tableHeadOf(page), (head) => head.total);
  if (!hasSelection(selected)) return null;
  const count = countSelected(selected, total);
  const chosen = conditionOfSelected(page);
  const reason = chosen === undefined ? 'too many rows of their own; select all of a narrower condition' : undefined;
  const open = () =>
    act(page, async () => {
      const rows = await loadSelected(page, MOST_TOGETHER);
      openTogether(page, level, rows);
      return count > rows.length ? `The first ${rows.length} of ${formatRows(count, level)} are shown.` : undefined;
    });
  const restrict = () => {
    if (chosen !== undefined) changeQuery(page, { where: chosen, selected: NONE_SELECTED });
  };
  return (
    // oxlint-disable-next-line jsx-a11y/prefer-tag-over-role -- a fieldset is for fields
    <div className={styles.bar} role="group" aria-label="Selected rows">
      <output className={styles.count}>
        {groupDigits(count)} of {formatRows(total, level)} selected
      </output>
      <ToolButton label="Open together" reason={reason} onClick={open}>
        <Grid2x2 size={16} aria-hidden="true" />
        Open together
      </ToolButton>
      <DownloadMenu label="Download selected" where={chosen ?? where} isEnabled={chosen !== undefined} count={count} />
      <CopyMenu where={chosen} />
      {level !== 'study' && <MarkMenu isEnabled={chosen !== undefined} />}
      <VerdictMenu isEnabled={chosen !== undefined} />
      <ToolButton label="Only these rows" reason={reason} onClick={restrict}>
        <ListFilter size={16} aria-hidden="true" />
        Only these
      </ToolButton>
      <ToolButton label="Select none" className={styles.none ?? ''} onClick={() => selectNone(page)}>
        <X size={16} aria-hidden="true" />
      </ToolButton>
    </div>
  );
}

/** Undefined if the condition would be too long. */
function conditionOfSelected(page: Page): string | undefined {
  const { level, where, selected } = queryOf(page).getState();
  if (selected.isAllBut && selected.ids.size === 0) return where;
  const parts =
    splitCondition(
      where,
      listTableColumns(page).map(({ name }) => name),
    ) ?? [];
  const condition = writeSelected(level, parts, selected);
  return condition.length > LONGEST_CONDITION ? undefined : condition;
}

export async function loadSelected(page: Page, limit: number): Promise<readonly WireTableRow[]> {
  const condition = conditionOfSelected(page);
  return condition === undefined ? [] : fetchSelected(queryOf(page).getState(), condition, limit);
}

/** Runs an action of the user, and says what it says, or what went wrong. */
function act(page: Page, run: () => Promise<string | undefined>): void {
  run().then(
    (text) => text !== undefined && say(page, text),
    (error: unknown) => say(page, asError(error).message, 'failed'),
  );
}

function MarkMenu({ isEnabled }: { readonly isEnabled: boolean }) {
  return (
    <Menu
      label="Mark the images of the selected rows"
      face={
        <>
          <Tag size={16} aria-hidden="true" />
          Mark
        </>
      }
    >
      {(close) => <MarkClasses isEnabled={isEnabled} close={close} />}
    </Menu>
  );
}

function MarkClasses({ isEnabled, close }: { readonly isEnabled: boolean; readonly close: () => void }) {
  const page = usePage();
  const classes = useLabels(classesOf);
  const [title, setTitle] = useState('');
  const mark = (classKey: string) => {
    close();
    void sayOutcome(page, async () => {
      const { level } = queryOf(page).getState();
      const rows = await loadSelected(page, MOST_MARKED);
      const marked = markRows(page, level, rows, classKey);
      const name = findClass(page, classKey)?.title ?? classKey;
      const others = rows.length > marked ? ` ${formatRows(rows.length - marked, level)} without images were not.` : '';
      return `Marked ${formatRows(marked, level)} as ${name}. Ctrl+Z undoes it.${others}`;
    });
  };
  const add = async () => {
    const { nextClass: before } = labelsOf(page).getState();
    if (!(await addClass(page, title.trim()))) return;
    const { nextClass } = labelsOf(page).getState();
    labelsOf(page).setState({ nextClass: before });
    if (nextClass !== null) mark(nextClass);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'Enter' || title.trim() === '' || !isEnabled) return;
    event.preventDefault();
    void add();
  };
  return (
    <div className={styles.classes}>
      {classes.map(({ key, title: name, color }) => (
        <button key={key} type="button" disabled={!isEnabled} className={styles.line} onClick={() => mark(key)}>
          <span className={styles.swatch} style={{ background: color }} />
          {name}
        </button>
      ))}
      <input
        type="text"
        aria-label="New class"
        placeholder="New class, Enter"
        maxLength={128}
        value={title}
        onChange={({ target }) => setTitle(target.value)}
        onKeyDown={onKeyDown}
      />
      <p className={styles.note}>A box of the class around each image, or through all images of a series.</p>
    </div>
  );
}
