import { X } from 'lucide-react';
import { Dialog } from '../kit/ui/Dialog.tsx';
import { ToolButton } from '../kit/ui/ToolButton.tsx';
import { usePage } from '../kit/state/page.ts';
import { listAllCommands } from './commandTable.ts';
import { listKeys } from './keyHelp.ts';
import styles from './KeySheet.module.css';

export function KeySheet({ onClose }: { readonly onClose: () => void }) {
  const page = usePage();
  return (
    <Dialog label="Keyboard and mouse" onClose={onClose}>
      <div className={styles.head}>
        <h2 className={styles.title}>Keyboard and mouse</h2>
        <ToolButton label="Close" keyHint="Esc" onClick={onClose}>
          <X size={16} aria-hidden="true" />
        </ToolButton>
      </div>
      <div className={styles.groups}>
        {listKeys(listAllCommands(page)).map(({ group, lines }) => (
          <section key={group} className={styles.group}>
            <h3 className={styles.groupTitle}>{group}</h3>
            <dl className={styles.lines}>
              {lines.map(({ keys, title }) => (
                <div key={title} className={styles.line}>
                  <dt>
                    {keys.map((key) => (
                      <kbd key={key} className={styles.key}>
                        {key}
                      </kbd>
                    ))}
                  </dt>
                  <dd>{title}</dd>
                </div>
              ))}
            </dl>
          </section>
        ))}
      </div>
    </Dialog>
  );
}
