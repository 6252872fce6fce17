import { type CSSProperties, useEffect, useRef } from 'react';
import styles from './App.module.css';
import { ChunkBoundary } from './shell/ChunkBoundary.tsx';
import { chunkComponentsOf } from './shell/chunkComponents.ts';
import { Grid } from './shell/Grid.tsx';
import type { KeptInput } from './shell/keepInput.ts';
import { Notices } from './shell/Notices.tsx';
import { ExplorerPanel, InspectorPanel } from './shell/SidePanel.tsx';
import { StatusBar } from './shell/StatusBar.tsx';
import { useLaterChunk } from './shell/useLaterChunk.ts';
import { useLibrary } from './kit/state/library.ts';
import { usePage } from './kit/state/page.ts';
import { useCoveredPx, usePanels } from './kit/state/panels.ts';
import { VisuallyHidden } from './kit/ui/VisuallyHidden.tsx';

const NOTICE_GAP_PX = 8;

export function App({ input }: { readonly input: KeptInput }) {
  const page = usePage();
  const isExplorerOpen = usePanels((panels) => panels.isExplorerOpen);
  const isInspectorOpen = usePanels((panels) => panels.isInspectorOpen);
  const dialog = usePanels((panels) => panels.dialog);
  const theme = usePanels((panels) => panels.theme);
  const isDvhOpen = usePanels((panels) => panels.isDvhOpen);
  const isComparing = usePanels(({ compareText }) => compareText !== undefined);
  // The order of the explorer says which files belong together, and tags say whose they are.
  const isBlind = useLibrary(({ summary }) => summary?.review === 'blind');
  const isUntagged = useLibrary(({ summary }) => summary?.review === 'blind' && !summary.masked);
  const isCovered = usePanels((panels) => panels.cohortAt === 'front');
  const { CohortPage, ComparePanel, DvhPanel, PageDialog } = chunkComponentsOf(page);
  const later = useLaterChunk(input);
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
      document.documentElement.style.setProperty(
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
      <header inert={isCovered}>
        <VisuallyHidden>
          <h1>negato</h1>
        </VisuallyHidden>
        <div className={styles.toolbar}>
          <ChunkBoundary>{later && <later.Toolbar />}</ChunkBoundary>
        </div>
      </header>
      <div inert={isCovered}>
        <ChunkBoundary>{later && <later.ReviewPlace />}</ChunkBoundary>
      </div>
      <div className={styles.body} inert={isCovered}>
        {isExplorerOpen && !isBlind && <ExplorerPanel>{later && <later.Explorer />}</ExplorerPanel>}
        <main ref={main} className={styles.main} style={covered}>
          <Grid later={later} />
          <ChunkBoundary>{later && <later.LightboxPlace />}</ChunkBoundary>
          <div ref={notices} className={styles.notices}>
            <Notices />
            <ChunkBoundary>
              {later && <later.RedactionNotices />}
              {later && <later.RoiNotices />}
              {later && <later.MarkNotices />}
            </ChunkBoundary>
          </div>
          {isComparing && later && (
            <ChunkBoundary>
              <ComparePanel />
            </ChunkBoundary>
          )}
          {isDvhOpen && (
            <ChunkBoundary>
              <DvhPanel />
            </ChunkBoundary>
          )}
          <div className={styles.scrubber}>
            <ChunkBoundary>{later && <later.Scrubber />}</ChunkBoundary>
          </div>
        </main>
        {isInspectorOpen && !isUntagged && <InspectorPanel>{later && <later.Inspector />}</InspectorPanel>}
      </div>
      {isCovered && (
        <ChunkBoundary>
          <CohortPage />
        </ChunkBoundary>
      )}
      <StatusBar>{later && <later.CacheFigure />}</StatusBar>
      <ChunkBoundary>{later && <later.Messages />}</ChunkBoundary>
      {dialog !== undefined && (
        <ChunkBoundary>
          <PageDialog kind={dialog} />
        </ChunkBoundary>
      )}
    </div>
  );
}
