import { Check, Columns3, Plus } from 'lucide-react';
import { type KeyboardEvent, useId, useState } from 'react';
import { asError } from '../../../shared/asError.ts';
import type { WireTableColumn } from '../../../shared/contract/tables.ts';
import { usePage } from '../../kit/state/page.ts';
import { Menu } from '../../kit/ui/Menu.tsx';
import styles from './ColumnChooser.module.css';
import { FIRST_COLUMNS } from './cohortQuery.ts';
import { describeColumn, describeReading } from './describeColumn.ts';
import { hideColumn, showColumn } from './gridActions.ts';
import { changeQuery, useQuery } from './query.ts';
import { readFromFiles, useColumns } from './tableColumns.ts';

/** The button for the columns of the table. */
export function ColumnChooser() {
  return (
    <Menu
      label="Columns"
      face={
        <>
          <Columns3 size={16} aria-hidden="true" />
          <span className={styles.face}>Columns</span>
        </>
      }
    >
      {() => <ColumnList />}
    </Menu>
  );
}

type Entry =
  | { readonly kind: 'column'; readonly name: string; readonly known: WireTableColumn | undefined }
  | { readonly kind: 'path' };

/** Columns by a few letters; what is none of them is read from the files. */
function ColumnList() {
  const page = usePage();
  const id = useId();
  const { columns: known, error } = useColumns();
  const columns = useQuery((query) => query.columns);
  const level = useQuery((query) => query.level);
  const [text, setText] = useState('');
  const [active, setActive] = useState(0);
  const [problem, setProblem] = useState<string>();
  const entries = listEntries(known, columns, text);
  const current = Math.min(active, entries.length - 1);

  const read = async () => {
    const path = text.trim();
    try {
      showColumn(page, await readFromFiles(page, path));
      setText('');
      setProblem(undefined);
    } catch (thrown) {
      setProblem(asError(thrown).message);
    }
  };
  const choose = (entry: Entry | undefined) => {
    if (entry?.kind === 'path') void read();
    else if (entry !== undefined && columns.includes(entry.name)) hideColumn(page, entry.name);
    else if (entry !== undefined) showColumn(page, entry.name);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined) {
      const next = Math.max(0, Math.min(entries.length - 1, current + step));
      setActive(next);
      document.getElementById(`${id}-${next}`)?.scrollIntoView({ block: 'nearest' });
    } else if (event.key === 'Enter') choose(entries[current]);
    else return;
    event.preventDefault();
  };
  return (
    <div className={styles.chooser}>
      <input
        type="text"
        role="combobox"
        aria-label="Find a column, or name an element"
        aria-expanded
        aria-controls={`${id}-list`}
        aria-activedescendant={entries.length > 0 ? `${id}-${current}` : undefined}
        aria-describedby={`${id}-note`}
        placeholder="Find a column, or a tag such as (0018,0081)"
        autoComplete="off"
        spellCheck={false}
        className={styles.text}
        value={text}
        onChange={({ target }) => {
          setText(target.value);
          setActive(0);
          setProblem(undefined);
        }}
        onKeyDown={onKeyDown}
      />
      {/* A select or datalist cannot be styled like this. */}
      {/* oxlint-disable-next-line jsx-a11y/prefer-tag-over-role */}
      <div id={`${id}-list`} role="listbox" aria-label="Columns" aria-multiselectable="true" className={styles.list}>
        {entries.map((entry, n) => (
          // The field keeps the focus and handles the keys.
          // oxlint-disable-next-line jsx-a11y/click-events-have-key-events, jsx-a11y/interactive-supports-focus
          <div
            key={entry.kind === 'path' ? '+' : entry.name}
            id={`${id}-${n}`}
            // oxlint-disable-next-line jsx-a11y/prefer-tag-over-role
            role="option"
            aria-selected={entry.kind === 'column' && columns.includes(entry.name)}
            data-active={n === current}
            className={styles.entry}
            title={entry.kind === 'column' ? describeColumn(entry.name, entry.known) : undefined}
            onPointerDown={(event) => event.preventDefault()}
            onClick={() => choose(entry)}
          >
            <EntryText entry={entry} text={text} isShown={entry.kind === 'column' && columns.includes(entry.name)} />
          </div>
        ))}
      </div>
      <p
        id={`${id}-note`}
        className={styles.note}
        data-problem={problem !== undefined || error !== undefined}
        role={problem === undefined ? undefined : 'alert'}
      >
        {problem ?? error ?? 'Anything else, such as a private or nested element, is read from the files.'}
      </p>
      <button
        type="button"
        className={styles.reset}
        onClick={() => changeQuery(page, { columns: FIRST_COLUMNS[level], widths: new Map() })}
      >
        Columns as at first
      </button>
    </div>
  );
}

function EntryText({
  entry,
  text,
  isShown,
}: {
  readonly entry: Entry;
  readonly text: string;
  readonly isShown: boolean;
}) {
  if (entry.kind === 'path') {
    return (
      <>
        <Plus size={14} aria-hidden="true" className={styles.icon} />
        <span className={styles.name}>Read “{text.trim()}” from the files</span>
      </>
    );
  }
  const { name, known } = entry;
  const detail = describeReading(known) ?? (known === undefined || known.title === name ? '' : known.title);
  return (
    <>
      <span className={styles.icon}>{isShown && <Check size={14} aria-hidden="true" />}</span>
      <span className={styles.name}>{name}</span>
      <span className={styles.detail}>{detail}</span>
    </>
  );
}

/** The shown columns first, in their order; then the usual ones, then all others. */
function listEntries(known: readonly WireTableColumn[], columns: readonly string[], text: string): readonly Entry[] {
  const byName = new Map(known.map((column) => [column.name, column]));
  const others = known
    .filter(({ name }) => !columns.includes(name))
    .toSorted((a, b) => Number(b.is_usual) - Number(a.is_usual));
  const all = [
    ...columns.map((name) => ({ name, known: byName.get(name) })),
    ...others.map((column) => ({ name: column.name, known: column })),
  ];
  const words = text.trim().toLowerCase().split(/\s+/);
  const found = all.filter(({ name, known: one }) => {
    const said = [name, one?.title, one?.tag, one?.path].join(' ').toLowerCase();
    return words.every((word) => said.includes(word));
  });
  const wanted = text.trim();
  const isKnown = wanted === '' || all.some(({ name }) => name.toLowerCase() === wanted.toLowerCase());
  const entries = found.map((one) => ({ kind: 'column' as const, ...one }));
  return isKnown ? entries : [...entries, { kind: 'path' }];
}
