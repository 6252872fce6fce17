import { ArrowDownUp, Check } from 'lucide-react';
import { usePage } from '../../kit/state/page.ts';
import { EXPLORER_ORDERS, type ExplorerOrder, setPanels, usePanels } from '../../kit/state/panels.ts';
import { Menu } from '../../kit/ui/Menu.tsx';
import styles from './Explorer.module.css';

const TITLES: Readonly<Record<ExplorerOrder, string>> = {
  found: 'Scan order',
  name: 'Name',
  newest: 'Newest first',
};

/** Menu for the sort order of the explorer. */
export function OrderMenu() {
  const page = usePage();
  const order = usePanels((panels) => panels.explorerOrder);
  return (
    <Menu label="Sort" face={<ArrowDownUp size={16} aria-hidden="true" />}>
      {(close) => (
        <div role="menu" aria-label="Sort">
          {EXPLORER_ORDERS.map((each) => (
            <button
              key={each}
              type="button"
              role="menuitemradio"
              aria-checked={each === order}
              className={styles.order}
              onClick={() => {
                setPanels(page, { explorerOrder: each });
                close();
              }}
            >
              {TITLES[each]}
              {each === order && <Check size={14} aria-hidden="true" />}
            </button>
          ))}
        </div>
      )}
    </Menu>
  );
}
