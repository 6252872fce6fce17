import type { LucideIcon } from 'lucide-react';
import { Menu } from '../kit/ui/Menu.tsx';
import { CommandLine } from './CommandLine.tsx';
import styles from './Toolbar.module.css';

export type CommandItem = readonly [id: string, icon: LucideIcon | string];

type Props = {
  readonly label: string;
  readonly icon: LucideIcon;
  readonly name?: string | undefined;
  readonly items: readonly CommandItem[];
};

/** A button with a menu of commands. */
export function CommandMenu({ label, icon: Icon, name, items }: Props) {
  const face = (
    <>
      <Icon size={17} aria-hidden="true" /> {name}
    </>
  );
  return (
    <Menu label={label} face={face}>
      {(close) => (
        <div role="menu" aria-label={label} className={styles.more}>
          <CommandLines items={items} onChosen={close} />
        </div>
      )}
    </Menu>
  );
}

type LinesProps = { readonly items: readonly CommandItem[]; readonly onChosen: () => void };

export function CommandLines({ items, onChosen }: LinesProps) {
  return items.map(([id, icon]) => <CommandLine key={id} id={id} icon={icon} onChosen={onChosen} />);
}
