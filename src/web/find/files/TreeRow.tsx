import { ChevronRight, Folder, TriangleAlert } from 'lucide-react';
import type { DragEvent } from 'react';
import { formatCount } from '../../show/series/describeFile.ts';
import { ObjectIcon } from './ObjectIcon.tsx';
import { putDraggedStack } from '../../show/series/draggedStack.ts';
import { Thumbnail } from '../../show/series/Thumbnail.tsx';
import type { TreeLine, TreeNode } from '../../show/series/treeNode.ts';
import type { Point } from '../../kit/state/viewState.ts';
import { whenReleased } from '../../kit/ui/whenReleased.ts';
import { VisuallyHidden } from '../../kit/ui/VisuallyHidden.tsx';
import styles from './Tree.module.css';
import { groupDigits } from '../../kit/ui/groupDigits.ts';

type Props = {
  readonly id: string;
  readonly row: TreeLine;
  readonly topPx: number;
  readonly layout: RowLayout;
  /** Shown in the active cell. */
  readonly isShown: boolean;
  /** Shown in another cell on the page. */
  readonly isShownElsewhere: boolean;
  readonly isFocused: boolean;
  readonly onOpen: () => void;
  readonly onToggle: () => void;
  /** On a double click. */
  readonly onOpenStudy: () => void;
  readonly onMenu: (at: Point) => void;
};

const TITLE_LINE_PX = 17;
const DETAIL_LINE_PX = 16;
const PADDING_PX = 8;
const PICTURE_PX = 52;
const LEVEL_PX = 12;
/** Average width of a letter in a title. */
const LETTER_PX = 6.9;

export type RowLayout = {
  readonly heightPx: number;
  /** The detail is beside the title, not below it. */
  readonly isInline: boolean;
};

/**
 * A title that is too long for the width gets a second line. Its width is estimated, because measuring 100,000 titles
 * would take too long.
 */
export function layOutRow({ node, level }: TreeLine, widthPx: number): RowLayout {
  const { title, detail, thumbnail, kind } = node;
  const isTall = kind === 'series' || kind === 'stack' || thumbnail !== undefined;
  const roomPx = widthPx - BESIDE_TITLE_PX - (isTall ? PICTURE_PX - 14 : 0) - level * LEVEL_PX;
  const isInline = !isTall && (title.length + detail.length + 2) * LETTER_PX <= roomPx;
  const titleLines = title.length * LETTER_PX > roomPx ? 2 : 1;
  const textsPx = PADDING_PX + titleLines * TITLE_LINE_PX + (detail === '' || isInline ? 0 : DETAIL_LINE_PX);
  return { heightPx: thumbnail === undefined ? textsPx : Math.max(textsPx, PICTURE_PX), isInline };
}

/** Width of the chevron, icon, count and the gaps between them. */
const BESIDE_TITLE_PX = 75;

export function TreeRow(props: Props) {
  const { id, row, topPx, layout, isShown, isShownElsewhere, isFocused, onOpen, onToggle, onOpenStudy, onMenu } = props;
  const { node, level, place, siblings, hasChildren, isOpen } = row;
  const { stackId, fileIndex, kind } = node;
  const onDragStart = ({ dataTransfer }: DragEvent) => {
    if (stackId !== undefined) putDraggedStack(dataTransfer, { stackId, fileIndex });
  };
  return (
    // The tree element handles the keys.
    // oxlint-disable-next-line jsx-a11y/click-events-have-key-events, jsx-a11y/interactive-supports-focus
    <div
      id={id}
      role="treeitem"
      className={[
        styles.row,
        styles[kind],
        isFocused ? styles.focused : '',
        isShownElsewhere ? styles.elsewhere : '',
      ].join(' ')}
      style={{ top: topPx, height: layout.heightPx, paddingLeft: 2 + (level - 1) * LEVEL_PX }}
      title={[node.title, node.hint].filter((text) => text !== '').join('\n')}
      aria-level={level}
      aria-posinset={place}
      aria-setsize={siblings}
      aria-selected={isShown}
      aria-expanded={hasChildren ? isOpen : undefined}
      draggable={stackId !== undefined}
      onDragStart={onDragStart}
      onClick={onOpen}
      onDoubleClick={onOpenStudy}
      onContextMenu={(event) => {
        event.preventDefault();
        const at = { x: event.clientX, y: event.clientY };
        whenReleased(event, () => onMenu(at));
      }}
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
      <Picture node={node} />
      <span className={`${styles.texts} ${layout.isInline ? styles.inline : ''}`}>
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

function Picture({ node }: { readonly node: TreeNode }) {
  switch (node.kind) {
    case 'folder':
      return <Folder size={14} className={styles.icon} aria-hidden="true" />;
    case 'file':
      return <FileIcon node={node} />;
    case 'series':
    case 'stack':
    case 'object':
      if (node.thumbnail === undefined) return <FileIcon node={node} />;
      return <Thumbnail id={node.id} address={node.thumbnail} />;
    case 'patient':
    case 'study':
      return undefined;
  }
}

function FileIcon({ node: { objectKind } }: { readonly node: TreeNode }) {
  return <ObjectIcon kind={objectKind} className={styles.icon} />;
}
