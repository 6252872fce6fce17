import { useEffect, useMemo, useRef, useState } from 'react';
import type { ContentItem } from '../../../../shared/contract/reports.ts';
import { useVirtualRows } from '../../../kit/ui/useVirtualRows.ts';
import { withToggled } from '../../../kit/ui/treeKeys.ts';
import type { DocumentViewProps } from '../documentViews.ts';
import { ContentLink } from './ContentLink.tsx';
import { listTreeRows } from './reportRows.ts';
import own from './Report.module.css';

type Props = Pick<DocumentViewProps, 'cell' | 'item' | 'setItem'> & { readonly root: ContentItem };

const ROW_PX = 24;

/** All items of a report with relationship, type and place. Only the visible ones are drawn. */
export function TreeOfReport({ cell, root, item, setItem }: Props) {
  const [closed, setClosed] = useState<ReadonlySet<string>>(new Set());
  const rows = useMemo(() => listTreeRows(root, closed), [root, closed]);
  const measured = useMemo(() => rows.map(({ content }) => ({ key: content.item, height: ROW_PX })), [rows]);
  const { scroller, totalPx, first, end, tops, reveal } = useVirtualRows(measured);
  const revealed = useRef<string>(undefined);
  useEffect(() => {
    if (item === undefined || item === revealed.current) return;
    const row = rows.findIndex(({ content }) => content.item === item);
    if (row < 0) return;
    revealed.current = item;
    reveal(row);
  }, [item, rows, reveal]);
  const toggle = (place: string) => setClosed((known) => withToggled(known, place));
  return (
    <div
      ref={scroller}
      className={own.tree}
      role="tree"
      aria-label="Content of the report"
      // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- a region that scrolls must be reachable by keyboard
      tabIndex={0}
    >
      <div role="none" className={own.sizer} style={{ height: totalPx }}>
        {rows.slice(first, end).map(({ content, level, isOpen }, at) => {
          const hasChildren = content.items.length > 0;
          return (
            // oxlint-disable-next-line jsx-a11y/click-events-have-key-events, jsx-a11y/interactive-supports-focus -- the buttons in it have the focus
            <div
              key={content.item}
              role="treeitem"
              aria-level={level + 1}
              aria-expanded={hasChildren ? isOpen : undefined}
              aria-selected={content.item === item}
              className={own.treeRow}
              style={{ top: tops[first + at] ?? 0, paddingLeft: 4 + level * 14 }}
              onClick={() => {
                revealed.current = content.item;
                setItem(content.item);
              }}
            >
              {hasChildren ? (
                <button
                  type="button"
                  className={own.fold}
                  aria-label={isOpen ? 'Close' : 'Open'}
                  onClick={() => toggle(content.item)}
                >
                  {isOpen ? '▾' : '▸'}
                </button>
              ) : (
                <span className={own.fold} />
              )}
              <span className={own.place}>{content.item}</span>
              <span className={own.kind}>
                {content.relationship === null ? '' : `${content.relationship.toLowerCase()} `}
                {content.value_type}
              </span>
              <span className={own.name}>{content.concept?.meaning ?? ''}</span>
              {content.link === null || content.value.type === 'IMAGE' ? (
                <span className={own.value}>{content.text}</span>
              ) : (
                <ContentLink cell={cell} content={content} link={content.link} />
              )}
            </div>
          );
        })}
      </div>
    </div>
  );
}
