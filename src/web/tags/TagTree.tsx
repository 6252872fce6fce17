import { ChevronRight } from 'lucide-react';
import { type KeyboardEvent, useId, useMemo, useState } from 'react';
import type { TagNode } from '../../shared/contract/tags.ts';
import { moveInTree } from '../ui/treeKeys.ts';
import { useVirtualRows } from '../ui/useVirtualRows.ts';
import { describeValue, nameTag } from './describeValue.ts';
import styles from './TagTree.module.css';
import { listTagRows, type TagRow } from './tagRows.ts';

type Props = {
  readonly nodes: readonly TagNode[];
  readonly words: readonly string[];
  readonly isStale: boolean;
  readonly selected: string | undefined;
  readonly onSelect: (path: string) => void;
  readonly onMore: (path: string) => void;
};

const ROW_PX = 23;

export function TagTree({ nodes, words, isStale, selected, onSelect, onMore }: Props) {
  const treeId = useId();
  const [open, setOpen] = useState<ReadonlySet<string>>(new Set());
  const search = words.join(' ');
  const rows = useMemo(() => listTagRows(nodes, open, search === '' ? [] : search.split(' ')), [nodes, open, search]);
  const measured = useMemo(() => rows.map(({ path }) => ({ key: path, height: ROW_PX })), [rows]);
  const { scroller, totalPx, first, end, tops, reveal } = useVirtualRows(measured);
  const current = rows.findIndex(({ path }) => path === selected);

  const toggle = (row: TagRow) => {
    if (row.kind === 'element' && !row.isOpen && isUnread(row.node)) onMore(row.path);
    setOpen((known) => {
      const next = new Set(known);
      if (!next.delete(row.path)) next.add(row.path);
      return next;
    });
  };
  const act = (row: TagRow) => {
    if (row.kind === 'more') onMore(row.sequence);
    else onSelect(row.path);
    if (row.hasChildren) toggle(row);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const row = rows[current];
    if (row !== undefined && (event.key === 'Enter' || event.key === ' ')) {
      event.preventDefault();
      act(row);
      return;
    }
    const step = moveInTree(rows, current, event.key);
    if (step === undefined) return;
    event.preventDefault();
    if (step.kind === 'toggle' && row !== undefined) toggle(row);
    const next = step.kind === 'go' ? rows[step.row] : undefined;
    if (step.kind !== 'go' || next === undefined) return;
    onSelect(next.path);
    reveal(step.row);
  };
  return (
    <div
      ref={scroller}
      role="tree"
      aria-label="Tags"
      aria-busy={isStale}
      className={`${styles.scroller} ${isStale ? styles.stale : ''}`}
      // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- a tree takes the focus for its lines
      tabIndex={0}
      aria-activedescendant={current >= first && current < end ? `${treeId}-${current}` : undefined}
      onKeyDown={onKeyDown}
    >
      {rows.length === 0 && words.length > 0 && <p className={styles.none}>No tag holds this.</p>}
      <div role="none" className={styles.sizer} style={{ height: totalPx }}>
        {rows.slice(first, end).map((row, i) => (
          // The tree itself takes the keys.
          // oxlint-disable-next-line jsx-a11y/click-events-have-key-events, jsx-a11y/interactive-supports-focus
          <div
            key={row.path}
            id={`${treeId}-${first + i}`}
            role="treeitem"
            className={styles.row}
            style={{ top: tops[first + i] ?? 0, paddingLeft: 4 + (row.level - 1) * 10 }}
            aria-level={row.level}
            aria-selected={row.path === selected}
            aria-expanded={row.hasChildren ? row.isOpen : undefined}
            onClick={() => act(row)}
          >
            <span className={styles.chevron} aria-hidden="true">
              {row.hasChildren && <ChevronRight size={13} className={row.isOpen ? styles.open : undefined} />}
            </span>
            <RowTexts row={row} />
          </div>
        ))}
      </div>
    </div>
  );
}

function RowTexts({ row }: { readonly row: TagRow }) {
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
          Show more: {row.loaded.toLocaleString('en')} of {row.total.toLocaleString('en')} items
        </span>
      );
    case 'element': {
      const value = describeValue(row.node);
      const isError = row.node.value.type === 'error';
      return (
        <>
          <span className={styles.tag}>{row.node.tag}</span>
          <span className={styles.name} title={`${nameTag(row.node)}, ${row.node.vr}`}>
            {nameTag(row.node)}
          </span>
          <span className={isError ? styles.error : styles.value} title={value.slice(0, 300)}>
            {value.slice(0, 200)}
          </span>
        </>
      );
    }
  }
}

/** A sequence of which the preview holds no item. */
function isUnread(node: TagNode): boolean {
  return node.value.type === 'sequence' && node.value.items.length === 0 && (node.total ?? 0) > 0;
}
