import { useEffect, useState } from 'react';
import type { DiscoveryEntry } from '../../../shared/contract/files.ts';
import { fetchNotShown } from '../../kit/api/notShown.ts';
import { formatCount } from '../../show/series/describeFile.ts';
import type { FilesSummary } from '../../kit/state/library.ts';
import { type Page, usePage } from '../../kit/state/page.ts';
import { type ExplainedReason, explainReasons } from './explainReasons.ts';
import styles from './NotShown.module.css';
import { setPanels, showTab, type SkippedFile } from '../../kit/state/panels.ts';
import { groupDigits } from '../../kit/ui/groupDigits.ts';

/** Paths that are requested at once. */
const PATHS_AT_ONCE = 200;

/** Every file that is not in the list, by reason. */
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
          <Reason key={`${summary.server_start_ms} ${explained.reason}`} explained={explained} />
        ))}
      </details>
    </section>
  );
}

function Reason({ explained }: { readonly explained: ExplainedReason }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <details className={styles.reason} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary className={styles.summary}>
        {explained.text} <span className={styles.count}>{groupDigits(explained.count)}</span>
      </summary>
      {isOpen && <Paths explained={explained} />}
    </details>
  );
}

function Paths({ explained }: { readonly explained: ExplainedReason }) {
  const page = usePage();
  const { reason, count, text } = explained;
  const [listed, setListed] = useState<readonly DiscoveryEntry[]>([]);
  const [wanted, setWanted] = useState(PATHS_AT_ONCE);
  const [error, setError] = useState<string>();
  const offset = listed.length;
  // A DICOMDIR may name any number of files that are not there. They are counted, and the latest of them listed.
  const isCounted = reason === 'media_file_missing';
  const limit = isCounted ? 0 : Math.min(wanted, count) - offset;

  useEffect(() => {
    if (limit <= 0) return undefined;
    const stop = new AbortController();
    const load = async () => {
      try {
        const { entries } = await fetchNotShown(reason, offset, limit, stop.signal);
        setError(undefined);
        if (entries.length > 0) setListed((before) => [...before, ...entries]);
      } catch (problem) {
        if (!stop.signal.aborted) setError(String(problem));
      }
    };
    void load();
    return () => stop.abort();
  }, [reason, offset, limit]);

  const entries = isCounted ? explained.entries : listed;
  const rest = count - entries.length;
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
      {error !== undefined && <li className={styles.older}>{error}</li>}
      {rest > 0 && (
        <li className={styles.older}>
          {offset >= wanted ? (
            <button type="button" className={styles.open} onClick={() => setWanted(offset + PATHS_AT_ONCE)}>
              Show more of {formatCount(rest, 'path')}
            </button>
          ) : (
            `${formatCount(rest, 'more path')} not listed`
          )}
        </li>
      )}
    </ul>
  );
}

function openTags(page: Page, skippedFile: SkippedFile): void {
  showTab(page, 'tags');
  setPanels(page, { skippedFile });
}
