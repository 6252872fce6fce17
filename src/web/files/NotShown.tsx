import { formatCount } from '../series/describeFile.ts';
import type { FilesSummary } from '../state/library.ts';
import { type Page, usePage } from '../state/page.ts';
import { type ExplainedReason, explainReasons } from './explainReasons.ts';
import styles from './NotShown.module.css';
import { setPanels, type SkippedFile } from '../state/panels.ts';
import { groupDigits } from '../ui/groupDigits.ts';

/** Every file that is not in the list, by reason, with the paths that the server still has. */
export function NotShown({ summary }: { readonly summary: FilesSummary }) {
  const reasons = explainReasons(summary);
  if (reasons.length === 0) return undefined;
  const total = summary.skipped + summary.filtered;
  return (
    <section className={styles.section} aria-label="Files not shown">
      <details className={styles.all}>
        <summary>
          Not shown <span className={styles.count}>{groupDigits(total)}</span>
        </summary>
        {reasons.map((explained) => (
          <details key={explained.reason} className={styles.reason}>
            <summary className={styles.summary}>
              {explained.text} <span className={styles.count}>{groupDigits(explained.count)}</span>
            </summary>
            <Paths explained={explained} />
          </details>
        ))}
      </details>
    </section>
  );
}

function Paths({ explained: { count, entries, text } }: { readonly explained: ExplainedReason }) {
  const page = usePage();
  const older = count - entries.length;
  return (
    <ul className={styles.paths}>
      {entries.map(({ id, path, has_tags }) => (
        <li key={id}>
          {has_tags ? (
            <button
              type="button"
              className={styles.open}
              title="Show tags"
              onClick={() => openTags(page, { id, path, reason: text })}
            >
              {path}
            </button>
          ) : (
            path
          )}
        </li>
      ))}
      {older > 0 && <li className={styles.older}>{formatCount(older, 'earlier path')} not listed</li>}
    </ul>
  );
}

function openTags(page: Page, skippedFile: SkippedFile): void {
  setPanels(page, { skippedFile, tab: 'tags', isInspectorOpen: true });
}
