import { Download } from 'lucide-react';
import { TABLE_FILE_FORMATS, fetchTableFile, type TableFileFormat } from '../../kit/api/table.ts';
import { sayOutcome, say } from '../../kit/state/messages.ts';
import { usePage } from '../../kit/state/page.ts';
import { download } from '../../kit/ui/download.ts';
import { Menu } from '../../kit/ui/Menu.tsx';
import { formatRows } from './cohortQuery.ts';
import styles from './SelectionBar.module.css';
import { queryOf, useQuery } from './query.ts';
import { wantedRowsOf } from './tableRows.ts';

const FORMAT_TITLES: Readonly<Record<TableFileFormat, string>> = {
  csv: 'CSV, for spreadsheets',
  jsonl: 'JSON Lines',
  parquet: 'Parquet, for Python, R and SQL',
};

type Props = {
  readonly label: string;
  /** The condition that the rows meet. */
  readonly where: string;
  readonly isEnabled: boolean;
  readonly count: number;
};

/** Downloads the shown columns of these rows. */
export function DownloadMenu({ label, where, isEnabled, count }: Props) {
  const page = usePage();
  const level = useQuery((query) => query.level);
  const save = (format: TableFileFormat) => {
    say(page, `Writing ${formatRows(count, level)}…`);
    void sayOutcome(page, async () => {
      const { bytes, name } = await fetchTableFile({ ...wantedRowsOf(queryOf(page).getState()), where }, format);
      download(bytes, name);
      return `Downloaded ${name}.`;
    });
  };
  return (
    <Menu
      label={label}
      face={
        <>
          <Download size={16} aria-hidden="true" />
          <span className={styles.face}>Download</span>
        </>
      }
    >
      {(close) => (
        <div role="menu" aria-label={label}>
          {TABLE_FILE_FORMATS.map((format) => (
            <button
              key={format}
              type="button"
              role="menuitem"
              disabled={!isEnabled}
              className={styles.line}
              onClick={() => {
                close();
                save(format);
              }}
            >
              {FORMAT_TITLES[format]}
            </button>
          ))}
        </div>
      )}
    </Menu>
  );
}
