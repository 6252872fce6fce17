import { ClipboardCheck } from 'lucide-react';
import { usePage } from '../../kit/state/page.ts';
import { Menu } from '../../kit/ui/Menu.tsx';
import { deciderOf } from './decide.ts';
import { useReview } from './review.ts';
import styles from './Review.module.css';
import { NO_VERDICT, withReason, withVerdict } from './verdict.ts';

/** Verdicts for what is selected over the images; nothing outside a review. */
export function VerdictMenu({ isEnabled }: { readonly isEnabled: boolean }) {
  const page = usePage();
  const scheme = useReview(({ head }) => head?.scheme);
  if (scheme === undefined) return null;
  const lines = scheme.verdicts.flatMap(({ id, title, key, reasons }) => [
    { name: title, key, change: (before: typeof NO_VERDICT) => withVerdict(before, id) },
    ...reasons.map((reason) => ({
      name: `${title}: ${reason}`,
      key: null,
      change: (before: typeof NO_VERDICT) => withReason(withVerdict(before, id), reason, true),
    })),
  ]);
  const all = [...lines, { name: 'no verdict', key: null, change: () => NO_VERDICT }];
  return (
    <Menu
      label="Verdict on what is selected"
      face={
        <>
          <ClipboardCheck size={16} aria-hidden="true" />
          Verdict
        </>
      }
    >
      {(close) => (
        <div className={styles.menu}>
          {all.map(({ name, key, change }) => (
            <button
              key={name}
              type="button"
              disabled={!isEnabled}
              className={styles.line}
              onClick={() => {
                close();
                deciderOf(page).decide?.(change, name);
              }}
            >
              <span>{name}</span>
              {key !== null && <kbd className={styles.key}>{key.toUpperCase()}</kbd>}
            </button>
          ))}
        </div>
      )}
    </Menu>
  );
}
