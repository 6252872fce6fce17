import type { FilesResponse } from '../../shared/contract/files.ts';
import styles from './StatusLine.module.css';
import { groupDigits } from '../ui/groupDigits.ts';

type Props = { readonly summary: Omit<FilesResponse, 'files'> | undefined };

export function StatusLine({ summary }: Props) {
  return <output className={styles.status}>{summary === undefined ? 'Connecting…' : describe(summary)}</output>;
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

function describeProgress({ scanned, scan_complete, making_demo }: Omit<FilesResponse, 'files'>) {
  if (scan_complete) return `${count(scanned)} open`;
  if (making_demo !== null) return `Creating demo study: ${making_demo.written} of ${making_demo.total} files`;
  return `Scanning: ${count(scanned)} so far`;
}

function count(files: number): string {
  return files === 1 ? '1 file' : `${groupDigits(files)} files`;
}
