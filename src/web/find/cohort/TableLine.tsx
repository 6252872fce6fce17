/* oxlint-disable jsx-a11y/prefer-tag-over-role -- a table would lay out its rows itself; these are placed line by line */
import { Check, ChevronRight } from 'lucide-react';
import { memo } from 'react';
import type { WireTableRow } from '../../../shared/contract/tables.ts';
import { useLibrary } from '../../kit/state/library.ts';
import { groupDigits } from '../../kit/ui/groupDigits.ts';
import { VisuallyHidden } from '../../kit/ui/VisuallyHidden.tsx';
import { fileName } from '../../show/series/describeFile.ts';
import { formatColumnValue, formatVarying, isVarying } from './formatCell.ts';
import type { GridColumns } from './gridColumns.ts';
import styles from './TableGrid.module.css';
import { CHECK_PX } from './useGrid.ts';

type LineProps = {
  readonly line: number;
  readonly topPx: number;
  /** It is only there because it has the focus. */
  readonly isOutside: boolean;
  /** The column that has the focus, if the line has it. */
  readonly focused: number | undefined;
};

type RowProps = LineProps & {
  /** Undefined until it is there. */
  readonly row: WireTableRow | undefined;
  /** The columns that its cells are of. */
  readonly names: readonly string[];
  readonly isSelected: boolean;
  readonly layout: GridColumns;
  readonly columns: readonly number[];
};

/** One row. The grid handles the pointer and the keys. */
export const TableLine = memo(function TableLine(props: RowProps) {
  const { line, topPx, isOutside, row, names, isSelected, layout, columns, focused } = props;
  // A count of 0 does not tell a row from others either.
  const isNameless = row !== undefined && row.cells.every((cell) => cell === null || cell === '' || cell === 0);
  const file = useLibrary(({ files }) => (isNameless ? files[row.file] : undefined));
  return (
    <div
      role="row"
      aria-rowindex={line + 2}
      aria-selected={isSelected}
      data-line={line}
      data-row={row?.id}
      className={`${styles.line} ${isOutside ? styles.outside : ''}`}
      style={{ top: topPx }}
    >
      <div role="gridcell" aria-colindex={1} data-column={0} className={styles.check} tabIndex={focused === 0 ? 0 : -1}>
        <span className={styles.box} data-state={isSelected ? 'all' : 'none'}>
          {isSelected && <Check size={12} aria-hidden="true" />}
        </span>
        <VisuallyHidden>{isSelected ? 'Selected' : 'Not selected'}</VisuallyHidden>
      </div>
      {columns.map((column) => {
        const shown = layout.columns[column];
        if (shown === undefined) return null;
        const cell = row?.cells[names.indexOf(shown.name)];
        const value = isVarying(cell) ? formatVarying(cell) : formatColumnValue(cell ?? null);
        const isName = value === '' && column === 0 && file !== undefined;
        const text = isName ? fileName(file) : value;
        return (
          <div
            key={shown.name}
            role="gridcell"
            aria-colindex={column + 2}
            data-column={column + 1}
            className={`${styles.cell} ${shown.known?.kind === 'number' ? styles.number : ''} ${isName ? styles.name : ''}`}
            style={{ left: CHECK_PX + (layout.lefts[column] ?? 0), width: shown.widthPx }}
            tabIndex={focused === column + 1 ? 0 : -1}
            title={text === '' ? undefined : text}
          >
            {isVarying(cell) ? (
              <span className={styles.varying} data-varying="">
                {text}
              </span>
            ) : (
              text
            )}
          </div>
        );
      })}
    </div>
  );
});

type GroupProps = LineProps & {
  readonly title: string;
  readonly count: number;
  readonly isOpen: boolean;
  readonly span: number;
};

/** The heading of a group of rows. */
export const GroupLine = memo(function GroupLine({
  line,
  topPx,
  isOutside,
  title,
  count,
  isOpen,
  focused,
  span,
}: GroupProps) {
  return (
    <div
      role="row"
      aria-rowindex={line + 2}
      data-line={line}
      className={`${styles.line} ${styles.group} ${isOutside ? styles.outside : ''}`}
      style={{ top: topPx }}
    >
      <div
        role="gridcell"
        aria-colindex={1}
        aria-colspan={span}
        aria-expanded={isOpen}
        data-column={focused ?? 0}
        className={styles.groupCell}
        tabIndex={focused === undefined ? -1 : 0}
      >
        <ChevronRight size={14} aria-hidden="true" className={isOpen ? styles.open : undefined} />
        <span className={styles.groupTitle}>{title}</span>
        <span className={styles.count}>
          {groupDigits(count)}
          <VisuallyHidden> rows</VisuallyHidden>
        </span>
      </div>
    </div>
  );
});
