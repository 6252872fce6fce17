import { useLibrary } from '../state/library.ts';
import { formatCount } from '../series/describeFile.ts';
import styles from './LayerList.module.css';

/** Model output that lies over no images, each with the reason. */
export function UnplacedAttachments() {
  const unplaced = useLibrary((state) => state.unplaced);
  if (unplaced.length === 0) return null;
  return (
    <details className={styles.unplaced}>
      <summary>{formatCount(unplaced.length, 'attachment')} not shown</summary>
      <ul>
        {unplaced.map(({ attachment, title, path, placement }) => (
          <li key={attachment} title={path}>
            <b>{title}</b>: {placement.reason}
          </li>
        ))}
      </ul>
    </details>
  );
}
