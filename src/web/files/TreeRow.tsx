import { ChevronRight, FileText, Folder, Image, TriangleAlert } from 'lucide-react';
import type { DragEvent } from 'react';
import { formatCount } from '../series/describeFile.ts';
import { putDraggedStack } from '../series/draggedStack.ts';
import { Thumbnail } from '../series/Thumbnail.tsx';
import type { Thumbnails } from '../series/thumbnails.ts';
import type { TreeNode, TreeRow as Row } from '../series/treeNode.ts';
import { VisuallyHidden } from '../ui/VisuallyHidden.tsx';
import styles from './Tree.module.css';
import { groupDigits } from '../ui/groupDigits.ts';

type Props = {
  readonly id: string;
  readonly row: Row;
  readonly topPx: number;
  readonly isShown: boolean;
  readonly isFocused: boolean;
  readonly thumbnails: Thumbnails;
  readonly onOpen: () => void;
  readonly onToggle: () => void;
};

const HEIGHTS_PX: Readonly<Record<TreeNode['kind'], number>> = {
  patient: 28,
  study: 24,
  series: 52,
  stack: 52,
  object: 28,
  folder: 26,
  file: 26,
};

const WITHOUT_PICTURE_PX = 38;

export function heightOf({ kind, thumbnail }: TreeNode): number {
  if (kind === 'object' && thumbnail !== undefined) return HEIGHTS_PX.series;
  return kind === 'series' && thumbnail === undefined ? WITHOUT_PICTURE_PX : HEIGHTS_PX[kind];
}

export function TreeRow({ id, row, topPx, isShown, isFocused, thumbnails, onOpen, onToggle }: Props) {
  const { node, level, place, siblings, hasChildren, isOpen } = row;
  const { stackId, fileIndex, kind } = node;
  const onDragStart = ({ dataTransfer }: DragEvent) => {
    if (stackId !== undefined) putDraggedStack(dataTransfer, { stackId, fileIndex });
  };
  return (
    // The tree itself takes the keys.
    // oxlint-disable-next-line jsx-a11y/click-events-have-key-events, jsx-a11y/interactive-supports-focus
    <div
      id={id}
      role="treeitem"
      className={`${styles.row} ${styles[kind] ?? ''} ${isFocused ? styles.focused : ''}`}
      style={{ top: topPx, height: heightOf(node), paddingLeft: 2 + (level - 1) * 12 }}
      title={node.hint === '' ? undefined : node.hint}
      aria-level={level}
      aria-posinset={place}
      aria-setsize={siblings}
      aria-selected={isShown}
      aria-expanded={hasChildren ? isOpen : undefined}
      draggable={stackId !== undefined}
      onDragStart={onDragStart}
      onClick={onOpen}
    >
      <span
        className={styles.chevron}
        aria-hidden="true"
        onClick={(event) => {
          if (!hasChildren) return;
          event.stopPropagation();
          onToggle();
        }}
      >
        {hasChildren && <ChevronRight size={14} className={isOpen ? styles.open : undefined} />}
      </span>
      <Picture node={node} thumbnails={thumbnails} />
      <span className={styles.texts}>
        <span className={styles.title}>{node.title}</span>{' '}
        {node.detail !== '' && (
          <span className={styles.detail}>
            {kind === 'series' && node.modality !== '' && `${node.modality} · `}
            {node.detail}
          </span>
        )}
      </span>{' '}
      {node.warningCount > 0 && (
        <>
          <TriangleAlert size={14} className={styles.warning} aria-hidden="true" />
          <VisuallyHidden>{formatCount(node.warningCount, 'warning')}</VisuallyHidden>{' '}
        </>
      )}
      {kind !== 'file' && kind !== 'object' && (
        <span className={styles.count}>
          {groupDigits(node.fileCount)}
          <VisuallyHidden>{node.fileCount === 1 ? ' file' : ' files'}</VisuallyHidden>
        </span>
      )}
    </div>
  );
}

function Picture({ node, thumbnails }: { readonly node: TreeNode; readonly thumbnails: Thumbnails }) {
  switch (node.kind) {
    case 'folder':
      return <Folder size={14} className={styles.icon} aria-hidden="true" />;
    case 'file':
      return <FileIcon node={node} />;
    case 'series':
    case 'stack':
    case 'object':
      if (node.thumbnail === undefined) return <FileIcon node={node} />;
      return <Thumbnail thumbnails={thumbnails} id={node.id} address={node.thumbnail} />;
    case 'patient':
    case 'study':
      return undefined;
  }
}

function FileIcon({ node }: { readonly node: TreeNode }) {
  const Icon = node.kind === 'file' && node.detail === '' ? Image : FileText;
  return <Icon size={14} className={styles.icon} aria-hidden="true" />;
}
