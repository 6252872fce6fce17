import { X } from 'lucide-react';
import type { TagNode } from '../../shared/contract/tags.ts';
import { CopyButton } from '../ui/CopyButton.tsx';
import { ToolButton } from '../ui/ToolButton.tsx';
import { describeValue, nameTag } from './describeValue.ts';
import styles from './TagPanel.module.css';

type Props = {
  readonly node: TagNode;
  readonly path: string;
  readonly onWhole: () => void;
  readonly onClose: () => void;
};

/** One element whole, with what can be copied of it. */
export function TagDetail({ node, path, onWhole, onClose }: Props) {
  const value = describeValue(node);
  const isCut = node.truncated === true && node.value.type !== 'sequence';
  return (
    <section className={styles.detail} aria-label="Selected tag">
      <div className={styles.detailHead}>
        <span className={styles.detailName}>
          {nameTag(node)} <span className={styles.vr}>{node.vr}</span>
        </span>
        <ToolButton label="Close" onClick={onClose}>
          <X size={14} aria-hidden="true" />
        </ToolButton>
      </div>
      <p className={styles.path}>{path}</p>
      {node.value.type !== 'sequence' && (
        // A region that scrolls must be reachable by keyboard.
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
        <pre className={styles.whole} tabIndex={0}>
          {value}
        </pre>
      )}
      {isCut && (
        <button type="button" className={styles.link} onClick={onWhole}>
          Show the whole value ({(node.total ?? 0).toLocaleString('en')})
        </button>
      )}
      <div className={styles.copies}>
        <CopyButton label="Copy value" text={value} />
        <CopyButton label="Copy path" text={path} />
        <CopyButton label="Copy JSON" text={JSON.stringify(node, undefined, 2)} />
      </div>
    </section>
  );
}
