import { type CSSProperties, useEffect, useRef } from 'react';
import styles from './App.module.css';
import { Grid } from './shell/Grid.tsx';
import type { KeptHands } from './shell/keepHands.ts';
import { LazyPart } from './shell/LazyPart.tsx';
import { lazyPartsOf } from './shell/lazyParts.ts';
import { Notices } from './shell/Notices.tsx';
import { ExplorerPanel, InspectorPanel } from './shell/SidePanel.tsx';
import { StatusBar } from './shell/StatusBar.tsx';
import { useLateParts } from './shell/useLateParts.ts';
import { usePage } from './state/page.ts';
import { useCoveredPx, usePanels } from './state/panels.ts';
import { VisuallyHidden } from './ui/VisuallyHidden.tsx';

const NOTICE_GAP_PX = 8;

export function App({ hands }: { readonly hands: KeptHands }) {
  const page = usePage();
  const isExplorerOpen = usePanels((panels) => panels.isExplorerOpen);
  const isInspectorOpen = usePanels((panels) => panels.isInspectorOpen);
  const overlay = usePanels((panels) => panels.overlay);
  const theme = usePanels((panels) => panels.theme);
  const { Overlay } = lazyPartsOf(page);
  const late = useLateParts(hands);
  const main = useRef<HTMLElement>(null);
  const notices = useRef<HTMLDivElement>(null);
  const covered: CSSProperties & Record<`--${string}`, string> = {
    '--drawer-left': `${useCoveredPx('explorer')}px`,
    '--drawer-right': `${useCoveredPx('inspector')}px`,
  };
  // Texts over the image make room for notices; the image does not.
  useEffect(() => {
    const box = notices.current;
    if (box === null) return undefined;
    const observer = new ResizeObserver(() =>
      main.current?.style.setProperty(
        '--notices',
        `${box.offsetHeight === 0 ? 0 : box.offsetHeight + NOTICE_GAP_PX}px`,
      ),
    );
    observer.observe(box);
    return () => observer.disconnect();
  }, []);
  useEffect(() => {
    document.documentElement.dataset['theme'] = theme;
  }, [theme]);
  return (
    <div className={styles.page}>
      <header>
        <VisuallyHidden>
          <h1>negato</h1>
        </VisuallyHidden>
        <div className={styles.toolbar}>
          <LazyPart>{late && <late.Toolbar />}</LazyPart>
        </div>
      </header>
      <div className={styles.body}>
        {isExplorerOpen && <ExplorerPanel>{late && <late.Explorer />}</ExplorerPanel>}
        <main ref={main} className={styles.main} style={covered}>
          <Grid late={late} />
          <div ref={notices} className={styles.notices}>
            <Notices />
            <LazyPart>{late && <late.RoiNotices />}</LazyPart>
          </div>
          <div className={styles.scrubber}>
            <LazyPart>{late && <late.Scrubber />}</LazyPart>
          </div>
        </main>
        {isInspectorOpen && <InspectorPanel>{late && <late.Inspector />}</InspectorPanel>}
      </div>
      <StatusBar>{late && <late.CacheFigure />}</StatusBar>
      <LazyPart>{late && <late.Messages />}</LazyPart>
      {overlay !== undefined && (
        <LazyPart>
          <Overlay kind={overlay} />
        </LazyPart>
      )}
    </div>
  );
}
