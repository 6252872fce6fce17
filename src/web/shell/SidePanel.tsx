import type { ReactNode } from 'react';
import { setPanels, usePanels } from '../state/panels.ts';
import { Splitter } from '../ui/Splitter.tsx';
import { LazyPart } from './LazyPart.tsx';
import styles from './SidePanel.module.css';

type Props = { readonly children: ReactNode };

const LEAST_PX = 200;
const MOST_PX = 700;

export function ExplorerPanel({ children }: Props) {
  const width = usePanels((panels) => panels.explorerWidthPx);
  return (
    <nav className={`${styles.panel} ${styles.explorer}`} style={{ width }} aria-label="Explorer">
      <LazyPart>{children}</LazyPart>
      <Splitter
        label="Width of the explorer"
        side="right"
        widthPx={width}
        leastPx={LEAST_PX}
        mostPx={MOST_PX}
        onWidth={(explorerWidthPx) => setPanels({ explorerWidthPx })}
      />
    </nav>
  );
}

export function InspectorPanel({ children }: Props) {
  const width = usePanels((panels) => panels.inspectorWidthPx);
  return (
    <aside className={`${styles.panel} ${styles.inspector}`} style={{ width }} aria-label="Inspector">
      <Splitter
        label="Width of the inspector"
        side="left"
        widthPx={width}
        leastPx={LEAST_PX}
        mostPx={MOST_PX}
        onWidth={(inspectorWidthPx) => setPanels({ inspectorWidthPx })}
      />
      <LazyPart>{children}</LazyPart>
    </aside>
  );
}
