import { useEffect } from 'react';
import styles from './App.module.css';
import { Scrubber } from './cine/Scrubber.tsx';
import { Grid } from './shell/Grid.tsx';
import { handleKeys } from './shell/handleKeys.ts';
import { LazyPart } from './shell/LazyPart.tsx';
import { Explorer, Inspector, Overlay, RoiNotices } from './shell/lazyParts.ts';
import { Notices } from './shell/Notices.tsx';
import { StatusBar } from './shell/StatusBar.tsx';
import { Toolbar } from './shell/Toolbar.tsx';
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
        <Toolbar />
        <Notices />
        <LazyPart>{isFirstImageThere && <RoiNotices />}</LazyPart>
      </header>
      <div className={styles.body}>
        {isExplorerOpen && (
          <nav className={styles.explorer} aria-label="Explorer">
            <LazyPart>{isFirstImageThere && <Explorer />}</LazyPart>
          </nav>
        )}
        <main className={styles.main}>
          <Grid />
          <Scrubber />
        </main>
        {isInspectorOpen && (
          <aside className={styles.inspector} aria-label="Inspector">
            <LazyPart>{isFirstImageThere && <Inspector />}</LazyPart>
          </aside>
        )}
      </div>
      <StatusBar />
      {overlay !== undefined && (
        <LazyPart>
          <Overlay kind={overlay} />
        </LazyPart>
      )}
    </div>
  );
}
