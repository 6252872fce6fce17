import { Check, Link2 } from 'lucide-react';
import { useCells } from '../kit/state/cells.ts';
import { Menu } from '../kit/ui/Menu.tsx';
import { getCommand } from './commandTable.ts';
import styles from './Toolbar.module.css';
import { useCommand } from './useCommand.ts';

export function LinkMenu({ name }: { readonly name?: string | undefined }) {
  const isAny = useCells(({ links }) => Object.values(links).some(Boolean));
  const face = (
    <>
      <Link2 size={17} aria-hidden="true" /> {name}
    </>
  );
  return (
    <Menu label="Link cells" isOn={isAny} face={face}>
      {() => (
        <div role="menu" aria-label="Link cells">
          <LinkSwitches />
        </div>
      )}
    </Menu>
  );
}

export function LinkSwitches() {
  return ['link.scroll', 'link.window', 'link.zoom', 'link.layers'].map((id) => <LinkSwitch key={id} id={id} />);
}

function LinkSwitch({ id }: { readonly id: string }) {
  const command = getCommand(id);
  const { isOn, run } = useCommand(command);
  return (
    <button type="button" role="menuitemcheckbox" aria-checked={isOn} className={styles.item} onClick={run}>
      <span className={styles.itemTitle}>{command.title}</span>
      {isOn === true && <Check size={14} aria-hidden="true" />}
    </button>
  );
}
