import { asError } from '../../../shared/asError.ts';
import { useState } from 'react';
import type { FileRecord } from '../../../shared/contract/files.ts';
import { fetchStored } from '../../kit/api/documents.ts';
import { findToken } from '../../kit/api/token.ts';
import { download } from '../../kit/ui/download.ts';
import styles from './DocumentCell.module.css';

type Props = {
  readonly file: FileRecord;
  /** Absent: the encapsulated file. */
  readonly path?: `api/${string}`;
  /** Whether the browser can show the file in a tab of its own. */
  readonly canView?: boolean;
};

/** Saves the file that an object encapsulates, or opens it in the browser. */
export function ContentButtons({ file, path = `api/file/${file.index}/content`, canView = false }: Props) {
  const [problem, setProblem] = useState('');
  const save = async () => {
    setProblem('');
    const { blob, name } = await fetchStored(path);
    download(blob, name);
  };
  return (
    <>
      {problem !== '' && <span role="alert">{problem}</span>}
      {
        // A link cannot carry the token.
        canView && findToken() === undefined && (
          <a className={styles.button} href={`api/file/${file.index}/content?as=view`} target="_blank" rel="noreferrer">
            Open in browser
          </a>
        )
      }
      <button
        type="button"
        className={styles.button}
        onClick={() => {
          save().catch((error: unknown) => setProblem(asError(error).message));
        }}
      >
        Save file
      </button>
    </>
  );
}
