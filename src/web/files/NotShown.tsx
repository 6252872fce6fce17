import type { FilesResponse } from '../../shared/contract/files.ts';
import { SKIP_REASONS, type SkipReason } from '../../shared/contract/skipReasons.ts';
import styles from './NotShown.module.css';

type Props = { readonly summary: Omit<FilesResponse, 'files'> };

const EXPLANATIONS: Readonly<Record<SkipReason, string>> = {
  input_path_unavailable: 'The path given does not exist or cannot be reached',
  directory_entry_unreadable: 'The folder cannot be read',
  not_dicom: 'Not a DICOM file',
  dicom_parse_failed: 'DICOM, but damaged beyond reading',
  media_directory: 'A DICOMDIR (the files that it lists are found without it)',
  unreadable: 'The file cannot be read',
  filter_mismatch: 'Left out by --filter',
  limit_exceeded: 'More files than can be opened at once',
};

/** Every file that is not in the list, by reason, with the names that the server still holds. */
export function NotShown({ summary }: Props) {
  const reasons = SKIP_REASONS.filter((reason) => summary.not_shown[reason] !== undefined);
  if (reasons.length === 0) return undefined;
  const total = summary.skipped + summary.filtered;
  return (
    <section className={styles.section} aria-label="Files that are not shown">
      <details className={styles.all}>
        <summary>
          Not shown <span className={styles.count}>{total.toLocaleString('en')}</span>
        </summary>
        {reasons.map((reason) => (
          <details key={reason} className={styles.reason}>
            <summary className={styles.summary}>
              {EXPLANATIONS[reason]}{' '}
              <span className={styles.count}>{summary.not_shown[reason]?.toLocaleString('en')}</span>
            </summary>
            <Paths reason={reason} summary={summary} />
          </details>
        ))}
      </details>
    </section>
  );
}

function Paths({ reason, summary }: Props & { readonly reason: SkipReason }) {
  const paths = summary.discovery.filter((entry) => entry.reason === reason).map((entry) => entry.path);
  const older = (summary.not_shown[reason] ?? 0) - paths.length;
  return (
    <ul className={styles.paths}>
      {paths.map((path) => (
        <li key={path}>{path}</li>
      ))}
      {older > 0 && <li className={styles.older}>and {older.toLocaleString('en')} before these</li>}
    </ul>
  );
}
