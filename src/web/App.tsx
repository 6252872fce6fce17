import styles from './App.module.css';
import { FileList } from './files/FileList.tsx';
import { NotShown } from './files/NotShown.tsx';
import { StatusLine } from './files/StatusLine.tsx';
import { useFileList } from './state/useFileList.ts';

export function App() {
  const { files, summary, connection } = useFileList();
  return (
    <div className={styles.page}>
      <header className={styles.header}>
        <h1 className={styles.name}>negato</h1>
        <StatusLine summary={summary} />
      </header>
      {connection === 'lost' && (
        <p className={styles.notice} role="alert">
          The connection to negato is lost. Is it still running, and the SSH forward open? Trying again…
        </p>
      )}
      {connection === 'needs_token' && (
        <p className={styles.notice} role="alert">
          This server wants its access token. Open the whole link that negato printed, with the part after #.
        </p>
      )}
      {summary?.annotations.import_state === 'failed' && (
        <p className={styles.notice} role="alert">
          No annotations were imported. {summary.annotations.error}
        </p>
      )}
      <main className={styles.main}>
        {files.length > 0 && <FileList files={files} />}
        {files.length === 0 && summary?.scan_complete && <p className={styles.empty}>No DICOM file was found.</p>}
        {summary !== undefined && <NotShown summary={summary} />}
      </main>
      <footer className={styles.footer}>For research and inspection, not for clinical use.</footer>
    </div>
  );
}
