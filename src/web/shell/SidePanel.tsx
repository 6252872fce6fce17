import type { KeyboardEvent, ReactNode } from 'react';
import { cellsOf } from '../kit/state/cells.ts';
import { usePage } from '../kit/state/page.ts';
import { setPanels, useAreDrawers, usePanels } from '../kit/state/panels.ts';
import { Splitter } from '../kit/ui/Splitter.tsx';
import { ChunkBoundary } from './ChunkBoundary.tsx';
import styles from './SidePanel.module.css';

type Props = { readonly children: ReactNode };

const LEAST_PX = 200;
const MOST_PX = 700;

export function ExplorerPanel({ children }: Props) {
  const page = usePage();
  const width = usePanels((panels) => panels.explorerWidthPx);
  const drawer = useDrawer(() => setPanels(page, { isExplorerOpen: false }));
  return (
    // Esc closes the drawer wherever the focus is inside it.
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions
    <nav
      {...drawer}
      className={`${styles.panel} ${styles.explorer} ${drawer.className}`}
      style={{ width }}
      aria-label="Explorer"
    >
      <ChunkBoundary>{children}</ChunkBoundary>
      <Splitter
        label="Explorer width"
        side="right"
        widthPx={width}
        leastPx={LEAST_PX}
        mostPx={MOST_PX}
        onWidth={(explorerWidthPx) => setPanels(page, { explorerWidthPx })}
      />
    </nav>
  );
}

export function InspectorPanel({ children }: Props) {
  const page = usePage();
  const width = usePanels((panels) => panels.inspectorWidthPx);
  const drawer = useDrawer(() => setPanels(page, { isInspectorOpen: false }));
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions
    <aside
      {...drawer}
      className={`${styles.panel} ${styles.inspector} ${drawer.className}`}
      style={{ width }}
      aria-label="Inspector"
    >
      <Splitter
        label="Inspector width"
        side="left"
        widthPx={width}
        leastPx={LEAST_PX}
        mostPx={MOST_PX}
        onWidth={(inspectorWidthPx) => setPanels(page, { inspectorWidthPx })}
      />
      <ChunkBoundary>{children}</ChunkBoundary>
    </aside>
  );
}

/** Esc closes a drawer and returns the focus to the image. */
function useDrawer(close: () => void) {
  const page = usePage();
  const isDrawer = useAreDrawers();
  const onKeyDown = (event: KeyboardEvent) => {
    if (!isDrawer || event.key !== 'Escape' || event.defaultPrevented) return;
    event.preventDefault();
    close();
    document.querySelector<HTMLElement>(`[data-cell="${cellsOf(page).getState().activeCell}"]`)?.focus();
  };
  return { className: isDrawer ? (styles.drawer ?? '') : '', onKeyDown };
}
