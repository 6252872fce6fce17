import type { ReactNode } from 'react';
import type { FilesResponse } from '../../shared/contract/files.ts';
import { useLibrary } from '../kit/state/library.ts';
import { groupDigits } from '../kit/ui/groupDigits.ts';
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
      <output className={styles.status}>{summary === undefined ? 'Connecting…' : describe(summary)}</output>
      {summary?.masked === true && (
        <span className={styles.masked} title="Identifiers are masked. Text that is part of the pixels is not.">
          Masked
        </span>
      )}
      <span className={styles.note}>For research and inspection, not for clinical use</span>
      <ChunkBoundary>{children}</ChunkBoundary>
      <span className={styles.connection} data-state={connection}>
        {CONNECTIONS[connection]}
      </span>
    </footer>
  );
}

function describe(summary: Omit<FilesResponse, 'files'>) {
  const { skipped, filtered, tunnelled, tunnel_host } = summary;
  const parts = [
    describeProgress(summary),
    ...(skipped > 0 ? [`${count(skipped)} not shown`] : []),
    ...(filtered > 0 ? [`${count(filtered)} filtered out`] : []),
    ...(tunnelled ? [`reachable from ${tunnel_host ?? 'the tunnel'}`] : []),
  ];
  return parts.join(' · ');
}

function describeProgress({ scanned, gone, scan_complete, making_demo }: Omit<FilesResponse, 'files'>) {
  if (scan_complete) return `${count(scanned - gone.length)} open`;
  if (making_demo !== null) return `Creating demo study: ${making_demo.written} of ${making_demo.total} files`;
  return `Scanning: ${count(scanned)} so far`;
}

function count(files: number): string {
  return files === 1 ? '1 file' : `${groupDigits(files)} files`;
}
