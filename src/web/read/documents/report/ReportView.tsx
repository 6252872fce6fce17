import { useMemo, useState } from 'react';
import { PanelMessage } from '../../../kit/ui/PanelMessage.tsx';
import { SearchBox } from '../../../kit/ui/SearchBox.tsx';
import styles from '../DocumentCell.module.css';
import { DocumentTableView } from '../DocumentTables.tsx';
import type { DocumentViewProps } from '../documentViews.ts';
import { MeasurementTable } from './MeasurementTable.tsx';
import { ReadingView } from './ReadingView.tsx';
import { textOfItem, listTreeRows } from './reportRows.ts';
import own from './Report.module.css';
import { TreeOfReport } from './TreeOfReport.tsx';
import { useReportContent } from './useReportContent.ts';

const MODES = [
  ['read', 'Read'],
  ['tree', 'Tree'],
  ['measurements', 'Measurements'],
] as const;
type Mode = (typeof MODES)[number][0];

/** A structured report: to read, as a tree, and as a table of its measurements. */
export function ReportView({ cell, file, document, item, setItem }: DocumentViewProps) {
  const [mode, setMode] = useState<Mode>('read');
  const [search, setSearch] = useState('');
  const { root, isComplete, isCut, error } = useReportContent(file.index);
  const found = useMemo(() => {
    const wanted = search.trim().toLowerCase();
    if (wanted === '' || root === undefined) return undefined;
    return listTreeRows(root, NONE_CLOSED)
      .filter(({ content }) => textOfItem(content).includes(wanted))
      .map(({ content }) => content.item);
  }, [root, search]);
  const at = found === undefined ? -1 : found.indexOf(item ?? '');
  const step = (by: number) => {
    if (found === undefined || found.length === 0) return;
    setItem(found[(at + by + found.length) % found.length]);
  };
  return (
    <div className={own.report}>
      {document.tables.map((table) => (
        <DocumentTableView key={table.title} table={table} />
      ))}
      <div className={own.bar} role="toolbar" aria-label="Report">
        {MODES.map(([name, title]) => (
          <button
            key={name}
            type="button"
            className={styles.button}
            aria-pressed={mode === name}
            onClick={() => setMode(name)}
          >
            {title}
          </button>
        ))}
        {mode !== 'measurements' && (
          <form
            className={own.search}
            onSubmit={(event) => {
              event.preventDefault();
              step(1);
            }}
          >
            <SearchBox label="Search the report" placeholder="Search" value={search} onChange={setSearch} />
            {found !== undefined && (
              <>
                <output className={styles.quiet}>
                  {found.length === 0 ? 'Nothing found' : `${at < 0 ? '' : `${at + 1} of `}${found.length}`}
                </output>
                <button type="submit" className={styles.button} disabled={found.length === 0}>
                  Next
                </button>
              </>
            )}
          </form>
        )}
        {!isComplete && error === undefined && <output className={styles.quiet}>Loading…</output>}
      </div>
      {error !== undefined && <PanelMessage tone="danger">{error}</PanelMessage>}
      {isCut && isComplete && (
        <p className={styles.warning}>The report is longer than what is shown. All of it is in its tags.</p>
      )}
      {root?.children === 0 && isComplete && mode !== 'measurements' && (
        <p className={styles.quiet}>The report has no content.</p>
      )}
      {root !== undefined && mode === 'read' && <ReadingView cell={cell} root={root} item={item} setItem={setItem} />}
      {root !== undefined && mode === 'tree' && <TreeOfReport cell={cell} root={root} item={item} setItem={setItem} />}
      {mode === 'measurements' && <MeasurementTable cell={cell} file={file} item={item} setItem={setItem} />}
    </div>
  );
}

const NONE_CLOSED: ReadonlySet<string> = new Set<string>([]);
