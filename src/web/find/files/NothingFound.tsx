import { formatCount } from '../../show/series/describeFile.ts';
import { useLibrary } from '../../kit/state/library.ts';
import { explainNothing, explainReasons } from './explainReasons.ts';
import styles from './NothingFound.module.css';

/** Maximum number of paths per reason, so that they can be read at a glance. */
const MOST_PATHS = 3;

/** Shown in the middle of the page if there is no file to show: says what was found instead. */
export function NothingFound() {
  const fileCount = useLibrary(({ files }) => files.length);
  const summary = useLibrary((library) => library.summary);
  const heading = explainNothing(fileCount, summary);
  if (summary === undefined || heading === undefined) return null;
  const reasons = explainReasons(summary);
  return (
    <section className={styles.nothing} aria-label="Scan result">
      <p className={styles.heading}>{heading}</p>
      {reasons.length === 0 && <p>The opened folders contain no files.</p>}
      {reasons.map(({ reason, text, count, entries }) => (
        <div key={reason}>
          <p>
            {text}: {formatCount(count, reason === 'input_path_unavailable' ? 'path' : 'file')}
          </p>
          <ul className={styles.paths}>
            {entries.slice(0, MOST_PATHS).map(({ id, path }) => (
              <li key={id}>{path}</li>
            ))}
            {count > Math.min(entries.length, MOST_PATHS) && <li>…</li>}
          </ul>
        </div>
      ))}
    </section>
  );
}
