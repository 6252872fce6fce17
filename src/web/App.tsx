import { lazy, Suspense, useEffect } from 'react';
import styles from './App.module.css';
import { RoiNotices } from './annotations/RoiNotices.tsx';
import { Scrubber } from './cine/Scrubber.tsx';
import { Explorer } from './files/Explorer.tsx';
import { Grid } from './shell/Grid.tsx';
import { handleKeys } from './shell/handleKeys.ts';
import { Notices } from './shell/Notices.tsx';
import { StatusBar } from './shell/StatusBar.tsx';
import { Toolbar } from './shell/Toolbar.tsx';
import { usePanels } from './state/panels.ts';
import { useFirstImage } from './state/useFirstImage.ts';

const Inspector = lazy(() => import('./shell/Inspector.tsx').then(({ Inspector: panel }) => ({ default: panel })));
const Overlay = lazy(() => import('./shell/Overlay.tsx').then(({ Overlay: shown }) => ({ default: shown })));

export function App() {
  const isExplorerOpen = usePanels((panels) => panels.isExplorerOpen);
  const isInspectorOpen = usePanels((panels) => panels.isInspectorOpen);
  const overlay = usePanels((panels) => panels.overlay);
  const theme = usePanels((panels) => panels.theme);
  const isFirstImageThere = useFirstImage();
  useEffect(handleKeys, []);
  useEffect(() => {
    document.documentElement.dataset.theme = theme;
  }, [theme]);
  return (
    <div className={styles.page}>
      <header>
        <h1 className={styles.hidden}>negato</h1>
        <Toolbar />
        <Notices />
        <RoiNotices />
      </header>
      <div className={styles.body}>
        {isExplorerOpen && (
          <nav className={styles.explorer} aria-label="Explorer">
            <Explorer />
          </nav>
        )}
        <main className={styles.main}>
          <Grid />
          <Scrubber />
        </main>
        {isInspectorOpen && (
          <aside className={styles.inspector} aria-label="Inspector">
            <Suspense>{isFirstImageThere && <Inspector />}</Suspense>
          </aside>
        )}
      </div>
      <StatusBar />
      {overlay !== undefined && (
        <Suspense>
          <Overlay kind={overlay} />
        </Suspense>
      )}
    </div>
  );
}
