import { useMemo, useState } from 'react';
import type { TagNode } from '../../../shared/contract/tags.ts';
import { TreeView } from '../../kit/ui/TreeView.tsx';
import { describeValue, explainError, nameTag, nameVr } from './describeValue.ts';
import { usePanels } from '../../kit/state/panels.ts';
import styles from './TagTree.module.css';
import { PopupMenu, type PopupItem } from '../../kit/ui/PopupMenu.tsx';
import { listTagRows, type TagRow } from './tagRows.ts';
import { groupDigits } from '../../kit/ui/groupDigits.ts';
import { withToggled } from '../../kit/ui/treeKeys.ts';

type Props = {
  readonly nodes: readonly TagNode[];
  readonly words: readonly string[];
  readonly isStale: boolean;
  readonly selected: string | undefined;
  readonly onSelect: (path: string) => void;
  readonly onMore: (path: string) => void;
  /** Additional menu items, such as comparing the file with another. */
  readonly moreActions?: readonly PopupItem[];
};

export function TagTree({ nodes, words, isStale, selected, onSelect, onMore, moreActions = [] }: Props) {
  const [menu, setMenu] = useState<{ readonly row: TagRow; readonly at: { x: number; y: number } }>();
  const [open, setOpen] = useState<ReadonlySet<string>>(new Set());
  const isNarrow = usePanels(({ inspectorWidthPx }) => inspectorWidthPx < ONE_LINE_LEAST_PX);
  const search = words.join(' ');
  const rows = useMemo(() => listTagRows(nodes, open, search === '' ? [] : search.split(' ')), [nodes, open, search]);

  const toggle = (row: TagRow) => {
    if (row.kind === 'element' && !row.isOpen && isUnread(row.node)) onMore(row.key);
    setOpen((known) => withToggled(known, row.key));
  };
  const act = (row: TagRow) => {
    if (row.kind === 'more') onMore(row.sequence);
    else onSelect(row.key);
    if (row.hasChildren) toggle(row);
  };
  return (
    <>
      <TreeView
        label="Tags"
        rows={rows}
        selected={selected}
        isStale={isStale}
        onSelect={({ key }) => onSelect(key)}
        onAct={act}
        onToggle={toggle}
        onMenu={(row, at) => {
          onSelect(row.key);
          setMenu({ row, at });
        }}
        {...(isNarrow && { rowPx: TWO_LINES_PX })}
        empty={<p className={styles.none}>{isStale ? 'Loading tags…' : words.length > 0 && 'No matching tags.'}</p>}
      >
        {(row) => <RowTexts row={row} isNarrow={isNarrow} />}
      </TreeView>
      {menu !== undefined && menu.row.kind !== 'more' && (
        <PopupMenu
          label="Tag"
          at={menu.at}
          items={[...listTagActions(menu.row), ...moreActions]}
          onClose={() => setMenu(undefined)}
        />
      )}
    </>
  );
}

/** Below this width, a name and a value beside each other would both be cut off. */
const ONE_LINE_LEAST_PX = 480;
const TWO_LINES_PX = 38;

function RowTexts({ row, isNarrow }: { readonly row: TagRow; readonly isNarrow: boolean }) {
  switch (row.kind) {
    case 'item':
      return (
        <span className={styles.item}>
          Item {row.position + 1}
          {row.label !== '' && <span className={styles.quiet}> {row.label}</span>}
        </span>
      );
    case 'more':
      return (
        <span className={styles.more}>
          Show more ({groupDigits(row.loaded)} of {groupDigits(row.total)} items)
        </span>
      );
    case 'element': {
      const value = describeValue(row.node);
      const error = explainError(row.node);
      return (
        <span className={isNarrow ? styles.twoLines : styles.oneLine}>
          <span className={styles.tag}>{row.node.tag}</span>
          <span className={styles.name} title={`${nameTag(row.node)}, ${nameVr(row.node)}`}>
            {nameTag(row.node)}
          </span>
          <span className={error === undefined ? styles.value : styles.error} title={error ?? value.slice(0, 300)}>
            {value.slice(0, 200)}
          </span>
        </span>
      );
    }
  }
}

/** Whether the preview has none of the items of a sequence. */
function isUnread(node: TagNode): boolean {
  return node.value.type === 'sequence' && node.value.items.length === 0 && (node.total ?? 0) > 0;
}

/** What can be copied from a row of the tag tree. */
function listTagActions(row: Extract<TagRow, { kind: 'element' | 'item' }>): readonly PopupItem[] {
  if (row.kind === 'item') return [copy('Copy path', row.key)];
  const { node } = row;
  return [
    ...(node.value.type === 'sequence' ? [] : [copy('Copy value', describeValue(node))]),
    copy('Copy name', nameTag(node)),
    copy('Copy tag', node.tag),
    copy('Copy path', row.key),
    copy('Copy JSON', JSON.stringify(node, undefined, 2)),
  ];
}

function copy(title: string, text: string): PopupItem {
  return { title, run: () => navigator.clipboard.writeText(text) };
}
