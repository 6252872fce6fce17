import type { ReactNode } from 'react';
import { useLibrary } from '../state/library.ts';
import { StatusLine } from '../files/StatusLine.tsx';
import { ChunkBoundary } from './ChunkBoundary.tsx';
import styles from './StatusBar.module.css';

const CONNECTIONS = { connecting: 'Connecting', live: 'Connected', lost: 'Connection lost', needs_token: 'No access' };

export function StatusBar({ children }: { readonly children: ReactNode }) {
  const summary = useLibrary((library) => library.summary);
  const connection = useLibrary((library) => library.connection);
  const isScanning = summary !== undefined && !summary.scan_complete;
  return (
    <footer className={styles.bar}>
      {isScanning && <progress className={styles.progress} aria-label="Scanning files" />}
      <StatusLine summary={summary} />
      <span className={styles.note}>For research and inspection, not for clinical use</span>
      <ChunkBoundary>{children}</ChunkBoundary>
      <span className={styles.connection} data-state={connection}>
        {CONNECTIONS[connection]}
      </span>
    </footer>
  );
}
