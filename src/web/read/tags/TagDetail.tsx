import type { TagNode } from '../../../shared/contract/tags.ts';
import { CopyButton } from '../../kit/ui/CopyButton.tsx';
import { DetailPane } from '../../kit/ui/DetailPane.tsx';
import { describeValue, explainError, nameTag, nameVr } from './describeValue.ts';
import styles from './TagPanel.module.css';
import { groupDigits } from '../../kit/ui/groupDigits.ts';

type Props = {
  readonly node: TagNode;
  readonly path: string;
  readonly onWhole: () => void;
  readonly onClose: () => void;
};

/** One complete element, with buttons to copy it. */
export function TagDetail({ node, path, onWhole, onClose }: Props) {
  const value = describeValue(node);
  const error = explainError(node);
  const isCut = node.truncated === true && node.value.type !== 'sequence';
  return (
    <DetailPane
      label="Selected tag"
      title={nameTag(node)}
      detail={nameVr(node)}
      lines={[path]}
      onClose={onClose}
      actions={
        <>
          <CopyButton label="Copy value" text={value} />
          <CopyButton label="Copy path" text={path} />
          <CopyButton label="Copy JSON" text={JSON.stringify(node, undefined, 2)} />
        </>
      }
    >
      {node.value.type !== 'sequence' && (
        // A region that scrolls must be reachable by keyboard.
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
        <pre className={styles.whole} tabIndex={0}>
          {value}
        </pre>
      )}
      {error !== undefined && error !== value && <p className={styles.error}>{error}</p>}
      {isCut && (
        <button type="button" className={styles.link} onClick={onWhole}>
          Show full value ({groupDigits(node.total ?? 0)})
        </button>
      )}
    </DetailPane>
  );
}
