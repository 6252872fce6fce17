import { useEffect, useMemo, useState } from 'react';
import type { WireDocumentTable } from '../../../shared/contract/documents.ts';
import { formatCount } from '../../show/series/describeFile.ts';
import { CopyButton } from '../../kit/ui/CopyButton.tsx';
import { formatCsvRows } from '../../kit/ui/formatCsv.ts';
import { SearchBox } from '../../kit/ui/SearchBox.tsx';
import { useVirtualRows } from '../../kit/ui/useVirtualRows.ts';
import styles from './DocumentCell.module.css';
import { compareCells, type TableRow } from './tableOrder.ts';

type Props = { readonly tables: readonly WireDocumentTable[] };

export function DocumentTables({ tables }: Props) {
  return tables.map((table, at) => <DocumentTableView key={`${table.title} ${at}`} table={table} />);
}

/** Longer tables are drawn row by row as they are scrolled. */
const FEW_ROWS = 200;
const ROW_PX = 26;

type Order = { readonly column: number; readonly isDown: boolean };

/** A table that can be sorted, searched if it is long, and copied. */
export function DocumentTableView({ table }: { readonly table: WireDocumentTable }) {
  const { title, columns, rows, row_count } = table;
  const [order, setOrder] = useState<Order>();
  const [filter, setFilter] = useState('');
  const isLong = rows.length > FEW_ROWS;
  const shown = useMemo(() => orderRows(rows, order, filter), [rows, order, filter]);
  const writeCsv = () =>
    formatCsvRows([columns.map(nameColumn), ...shown.map((row) => row.map((cell) => cell ?? undefined))]);
  const sortBy = (column: number) =>
    setOrder((known) => {
      if (known?.column !== column) return { column, isDown: false };
      return known.isDown ? undefined : { column, isDown: true };
    });
  return (
    <section className={styles.section} aria-label={title}>
      <div className={styles.tableHead}>
        <h2 className={styles.heading}>
          {title} <span className={styles.quiet}>{formatCount(row_count, 'row')}</span>
        </h2>
        {isLong && <SearchBox label={`Search ${title}`} placeholder="Search" value={filter} onChange={setFilter} />}
        <CopyButton label="Copy as CSV" text={writeCsv} />
      </div>
      {filter !== '' && <output className={styles.quiet}>{formatCount(shown.length, 'row')} found</output>}
      <TableBody
        label={title}
        head={
          <tr>
            {columns.map((column, at) => (
              <th key={`${column.label} ${at}`} scope="col" aria-sort={describeOrder(order, at)}>
                <button type="button" className={styles.sort} onClick={() => sortBy(at)}>
                  {nameColumn(column)}
                  {order?.column === at && <span aria-hidden="true">{order.isDown ? ' ↓' : ' ↑'}</span>}
                </button>
              </th>
            ))}
          </tr>
        }
        columns={columns}
        rows={shown}
        isLong={isLong}
      />
      {rows.length < row_count && (
        <p className={styles.quiet}>{formatCount(row_count - rows.length, 'row')} more than are listed here.</p>
      )}
    </section>
  );
}

type BodyProps = {
  readonly label: string;
  readonly head: React.ReactNode;
  readonly columns: WireDocumentTable['columns'];
  readonly rows: readonly TableRow[];
  readonly isLong: boolean;
};

function TableBody({ label, head, columns, rows, isLong }: BodyProps) {
  const isPrinted = usePrinting();
  const measured = useMemo(() => rows.map((_, at) => ({ key: String(at), height: ROW_PX })), [rows]);
  const { scroller, totalPx, first, end, tops } = useVirtualRows(measured);
  const isWhole = !isLong || isPrinted;
  const [from, to] = isWhole ? [0, rows.length] : [first, end];
  return (
    <section
      ref={scroller}
      className={`${styles.tableBox} ${isLong ? styles.long : ''}`}
      aria-label={`${label}, table`}
      // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- a region that scrolls must be reachable by keyboard
      tabIndex={0}
    >
      <table className={styles.table} aria-rowcount={rows.length + 1}>
        <thead>{head}</thead>
        <tbody>
          {from > 0 && <tr style={{ height: tops[from] ?? 0 }} aria-hidden="true" />}
          {rows.slice(from, to).map((row, at) => (
            <tr key={from + at} aria-rowindex={from + at + 2}>
              {row.map((cell, column) => (
                // oxlint-disable-next-line react/no-array-index-key -- the columns of a table never change
                <td key={column} className={classOf(cell)}>
                  {columns[column]?.is_color === true && cell !== null ? <ColorCell color={String(cell)} /> : cell}
                </td>
              ))}
            </tr>
          ))}
          {!isWhole && to < rows.length && <tr style={{ height: totalPx - (tops[to] ?? 0) }} aria-hidden="true" />}
        </tbody>
      </table>
    </section>
  );
}

/** A square of the color, and its three values in one line. */
function ColorCell({ color }: { readonly color: string }) {
  return (
    <span className={styles.color}>
      <span className={styles.swatch} style={{ backgroundColor: `rgb(${color})` }} aria-hidden="true" />
      {color}
    </span>
  );
}

/** A sentence is not broken after each word, however many columns there are. */
const SENTENCE_LETTERS = 20;

function classOf(cell: TableRow[number]): string | undefined {
  if (typeof cell === 'number') return styles.number;
  return cell !== null && cell.length > SENTENCE_LETTERS && cell.includes(' ') ? styles.sentence : undefined;
}

function nameColumn({ label, unit }: WireDocumentTable['columns'][number]): string {
  return unit === null ? label : `${label} (${unit})`;
}

function describeOrder(order: Order | undefined, column: number): 'ascending' | 'descending' | 'none' {
  if (order?.column !== column) return 'none';
  return order.isDown ? 'descending' : 'ascending';
}

function orderRows(rows: readonly TableRow[], order: Order | undefined, filter: string): readonly TableRow[] {
  const wanted = filter.trim().toLowerCase();
  const found =
    wanted === ''
      ? rows
      : rows.filter((row) => row.some((cell) => cell !== null && String(cell).toLowerCase().includes(wanted)));
  if (order === undefined) return found;
  const { column, isDown } = order;
  return found.toSorted((a, b) => compareCells(a[column] ?? null, b[column] ?? null, isDown));
}

/** All rows are drawn while the page is printed. */
function usePrinting(): boolean {
  const [isPrinting, setPrinting] = useState(false);
  useEffect(() => {
    const start = () => setPrinting(true);
    const stop = () => setPrinting(false);
    addEventListener('beforeprint', start);
    addEventListener('afterprint', stop);
    return () => {
      removeEventListener('beforeprint', start);
      removeEventListener('afterprint', stop);
    };
  }, []);
  return isPrinting;
}
