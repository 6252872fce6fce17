import { useEffect } from 'react';
import styles from './App.module.css';
import { Grid } from './shell/Grid.tsx';
import { handleKeys } from './shell/handleKeys.ts';
import { LazyPart } from './shell/LazyPart.tsx';
import { CacheFigure, Explorer, Inspector, Overlay, RoiNotices, Scrubber, Toolbar } from './shell/lazyParts.ts';
import { Notices } from './shell/Notices.tsx';
import { ExplorerPanel, InspectorPanel } from './shell/SidePanel.tsx';
import { StatusBar } from './shell/StatusBar.tsx';
import { usePanels } from './state/panels.ts';
import { useFirstImage } from './state/useFirstImage.ts';
import { VisuallyHidden } from './ui/VisuallyHidden.tsx';

export function App() {
  const isExplorerOpen = usePanels((panels) => panels.isExplorerOpen);
  const isInspectorOpen = usePanels((panels) => panels.isInspectorOpen);
  const overlay = usePanels((panels) => panels.overlay);
  const theme = usePanels((panels) => panels.theme);
  const isFirstImageThere = useFirstImage();
  useEffect(handleKeys, []);
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
          <LazyPart>{isFirstImageThere && <Toolbar />}</LazyPart>
        </div>
        <div className={styles.notices}>
          <Notices />
          <LazyPart>{isFirstImageThere && <RoiNotices />}</LazyPart>
        </div>
      </header>
      <div className={styles.body}>
        {isExplorerOpen && <ExplorerPanel>{isFirstImageThere && <Explorer />}</ExplorerPanel>}
        <main className={styles.main}>
          <Grid />
          <div className={styles.scrubber}>
            <LazyPart>{isFirstImageThere && <Scrubber />}</LazyPart>
          </div>
        </main>
        {isInspectorOpen && <InspectorPanel>{isFirstImageThere && <Inspector />}</InspectorPanel>}
      </div>
      <StatusBar>{isFirstImageThere && <CacheFigure />}</StatusBar>
      {overlay !== undefined && (
        <LazyPart>
          <Overlay kind={overlay} />
        </LazyPart>
      )}
    </div>
  );
}
