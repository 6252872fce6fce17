import type { FileRecord } from '../../shared/contract/files.ts';
import { explainMissingPicture, fileName, formatKind } from '../show/series/describeFile.ts';
import styles from './Grid.module.css';

/** Shown instead of an image if a file has none that can be shown. Its tags are in the inspector. */
export function NoPicture({ file }: { readonly file: FileRecord }) {
  return (
    <div className={styles.message}>
      <p className={styles.heading}>{file.sop_class_name ?? formatKind(file.object_kind)}</p>
      <p>{explainMissingPicture(file)}</p>
      <p className={styles.path}>{fileName(file)}</p>
    </div>
  );
}
