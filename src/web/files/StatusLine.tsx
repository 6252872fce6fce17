import type { FilesResponse } from '../../shared/contract/files.ts';
import styles from './StatusLine.module.css';
import { groupDigits } from '../ui/groupDigits.ts';

type Props = { readonly summary: Omit<FilesResponse, 'files'> | undefined };

export function StatusLine({ summary }: Props) {
  return <output className={styles.status}>{summary === undefined ? 'Connecting…' : describe(summary)}</output>;
}

function describe({ scanned, skipped, filtered, scan_complete, tunnelled, tunnel_host }: Omit<FilesResponse, 'files'>) {
  const parts = [
    scan_complete ? `${count(scanned)} open` : `Looking for files: ${count(scanned)} so far`,
    ...(skipped > 0 ? [`${count(skipped)} not shown`] : []),
    ...(filtered > 0 ? [`${count(filtered)} filtered out`] : []),
    ...(tunnelled ? [`reachable from ${tunnel_host ?? 'the tunnel'}`] : []),
  ];
  return parts.join(' · ');
}

function count(files: number): string {
  return files === 1 ? '1 file' : `${groupDigits(files)} files`;
}
