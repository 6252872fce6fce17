import { Check, Link2 } from 'lucide-react';
import { useCells } from '../state/cells.ts';
import { Menu } from '../ui/Menu.tsx';
import { getCommand } from './commandTable.ts';
import styles from './Toolbar.module.css';
import { useCommand } from './useCommand.ts';

export function LinkMenu() {
  const isAny = useCells(({ links }) => links.scroll || links.window || links.zoom);
  return (
    <Menu label="Link cells" isOn={isAny} face={<Link2 size={17} aria-hidden="true" />}>
      {() => (
        <div role="menu" aria-label="Link cells">
          <LinkSwitch id="link.scroll" />
          <LinkSwitch id="link.window" />
          <LinkSwitch id="link.zoom" />
        </div>
      )}
    </Menu>
  );
}

function LinkSwitch({ id }: { readonly id: string }) {
  const command = getCommand(id);
  const { isOn } = useCommand(command);
  return (
    <button type="button" role="menuitemcheckbox" aria-checked={isOn} className={styles.item} onClick={command.run}>
      <span className={styles.itemTitle}>{command.title}</span>
      {isOn === true && <Check size={14} aria-hidden="true" />}
    </button>
  );
}
