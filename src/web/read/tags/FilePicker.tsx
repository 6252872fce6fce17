import { useState } from 'react';
import type { FileRecord } from '../../../shared/contract/files.ts';
import { describeSeries, fileName } from '../../show/series/describeFile.ts';
import { findFiles } from '../../show/series/filterFiles.ts';
import { useLibrary } from '../../kit/state/library.ts';
import type { Sliced } from '../../kit/ui/runInSlices.ts';
import { useInSlices } from '../../kit/ui/useInSlices.ts';
import styles from './TagPanel.module.css';

type Props = {
  readonly except: number;
  readonly onPick: (file: FileRecord) => void;
  readonly onCancel: () => void;
};

const SHOWN = 50;

/** Finds a file among all files by a few words. */
export function FilePicker({ except, onPick, onCancel }: Props) {
  const files = useLibrary((library) => library.files);
  const [text, setText] = useState('');
  const listed = useInSlices(
    function* (): Sliced<readonly FileRecord[]> {
      // Without words, lists the files around this one, because neighbours are compared most often.
      const near = text === '' ? files.slice(Math.max(0, except - 5), except + SHOWN) : yield* findFiles(files, text);
      return near.filter(({ index }) => index !== except).slice(0, SHOWN);
    },
    [files, text, except],
  );
  const found = listed ?? [];
  return (
    <div className={styles.picker}>
      <input
        type="search"
        className={styles.pickerText}
        aria-label="File to compare with"
        placeholder="File to compare with"
        // oxlint-disable-next-line jsx-a11y/no-autofocus -- it appears because the user asked for it
        autoFocus
        value={text}
        onChange={(event) => setText(event.target.value)}
        onKeyDown={({ key }) => {
          if (key === 'Escape') onCancel();
          if (key === 'Enter' && found[0] !== undefined) onPick(found[0]);
        }}
      />
      <ul className={styles.found}>
        {found.map((file) => (
          <li key={file.index}>
            <button type="button" className={styles.choice} title={file.path} onClick={() => onPick(file)}>
              <span>{fileName(file)}</span>
              <span className={styles.quiet}>
                {file.modality} {describeSeries(file)}
              </span>
            </button>
          </li>
        ))}
      </ul>
    </div>
  );
}
