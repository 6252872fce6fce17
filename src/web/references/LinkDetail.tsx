import { CopyButton } from '../ui/CopyButton.tsx';
import { DetailPane } from '../ui/DetailPane.tsx';
import type { ObjectLink } from './links.ts';
import styles from './ReferencesPanel.module.css';

type Props = { readonly link: ObjectLink; readonly onOpen: () => void; readonly onClose: () => void };

/** Details of the object at one end of a reference, with buttons to copy its UID and path. */
export function LinkDetail({ link: { title, detail, uid, file }, onOpen, onClose }: Props) {
  return (
    <DetailPane
      label="Selected reference"
      title={title}
      detail={detail}
      lines={[file?.path ?? 'Not among the open files.', uid]}
      onClose={onClose}
      actions={
        <>
          {file !== undefined && (
            <button type="button" className={styles.action} onClick={onOpen}>
              Open
            </button>
          )}
          <CopyButton label="Copy UID" text={uid} />
          {file !== undefined && <CopyButton label="Copy path" text={file.path} />}
        </>
      }
    />
  );
}
