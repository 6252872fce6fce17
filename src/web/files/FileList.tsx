import type { FileRecord } from '../../shared/contract/files.ts';
import styles from './FileList.module.css';
import { useVisibleRows } from './useVisibleRows.ts';

type Props = { readonly files: readonly FileRecord[] };

const ROW_HEIGHT_PX = 34;
const COLUMNS = ['#', 'Patient', 'Study', 'Modality', 'Series', 'Image', 'Size', 'Kind', 'File'];

export function FileList({ files }: Props) {
  const { scroller, first, end } = useVisibleRows(files.length, ROW_HEIGHT_PX);
  return (
    // A region that scrolls must be reachable by keyboard.
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
    <section className={styles.scroller} ref={scroller} aria-label="Files" tabIndex={0}>
      <table className={styles.table} aria-rowcount={files.length + 1}>
        <thead>
          <tr aria-rowindex={1}>
            {COLUMNS.map((column) => (
              <th key={column} scope="col" className={styles.heading}>
                {column}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          <Spacer rows={first} />
          {files.slice(first, end).map((file) => (
            <FileRow key={file.index} file={file} />
          ))}
          <Spacer rows={files.length - end} />
        </tbody>
      </table>
    </section>
  );
}

function FileRow({ file }: { readonly file: FileRecord }) {
  return (
    <tr className={styles.row} aria-rowindex={file.index + 2}>
      <td className={styles.number}>{file.index}</td>
      <Cell text={[file.patient_id, file.patient_name].filter((part) => part !== '').join(' · ')} />
      <Cell text={[toIsoDate(file.study_date), file.study_description].filter((part) => part !== '').join(' · ')} />
      <Cell text={file.modality} />
      <Cell text={[file.series_number, file.series_description].filter((part) => part !== '').join(' · ')} />
      <td className={styles.number}>{file.instance_number}</td>
      <td className={styles.number}>{describeSize(file)}</td>
      <Cell text={describeKind(file)} isQuiet={file.support_state !== 'renderable'} />
      <Cell text={file.path.slice(file.path.lastIndexOf('/') + 1)} hint={file.path} />
    </tr>
  );
}

function Cell({ text, hint = text, isQuiet = false }: { text: string; hint?: string; isQuiet?: boolean }) {
  return (
    <td className={isQuiet ? styles.quiet : styles.cell} title={hint}>
      {text}
    </td>
  );
}

function Spacer({ rows }: { readonly rows: number }) {
  if (rows <= 0) return undefined;
  return <tr aria-hidden="true" style={{ height: rows * ROW_HEIGHT_PX }} />;
}

/** `20240131` as `2024-01-31`; anything else as it stands. */
function toIsoDate(date: string): string {
  return date.replace(/^(\d{4})(\d{2})(\d{2})$/, '$1-$2-$3');
}

function describeSize({ rows, columns, frame_count, has_pixels }: FileRecord): string {
  if (!has_pixels) return '';
  const frames = frame_count > 1 ? ` × ${frame_count.toLocaleString('en')}` : '';
  return `${columns} × ${rows}${frames}`;
}

function describeKind({ object_kind, support_state, support_reason }: FileRecord): string {
  const kind = object_kind.replaceAll('_', ' ');
  return support_state === 'renderable' ? kind : `${kind} (${support_reason ?? support_state})`;
}
