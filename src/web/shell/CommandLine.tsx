import type { LucideIcon } from 'lucide-react';
import { usePage } from '../kit/state/page.ts';
import { getCommand, keysOf } from './commandTable.ts';
import styles from './Toolbar.module.css';
import { useCommand } from './useCommand.ts';

type LineProps = { readonly id: string; readonly icon?: LucideIcon | string; readonly onChosen: () => void };

/** A command in a menu, with its key. */
export function CommandLine({ id, icon: Icon, onChosen }: LineProps) {
  const command = getCommand(id);
  const { title } = command;
  const [key] = keysOf(usePage(), command);
  const { isEnabled, isOn, reason, run } = useCommand(command);
  return (
    <button
      type="button"
      role={isOn === undefined ? 'menuitem' : 'menuitemcheckbox'}
      {...(isOn === undefined ? {} : { 'aria-checked': isOn })}
      className={styles.item}
      disabled={!isEnabled || reason !== undefined}
      title={reason}
      onClick={() => {
        onChosen();
        run();
      }}
    >
      {Icon !== undefined && (
        <span className={styles.itemIcon}>
          {typeof Icon === 'string' ? Icon : <Icon size={16} aria-hidden="true" />}
        </span>
      )}
      <span className={styles.itemTitle}>{title}</span>
      {key !== undefined && <kbd className={styles.itemKey}>{key}</kbd>}
    </button>
  );
}
