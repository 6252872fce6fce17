import { type CSSProperties, memo, useEffect, useMemo, useRef, useState } from 'react';
import type { ContentItem } from '../../../../shared/contract/reports.ts';
import type { DocumentViewProps } from '../documentViews.ts';
import { ContentLink } from './ContentLink.tsx';
import { listReadingRows, type ReportRow } from './reportRows.ts';
import own from './Report.module.css';

type Props = Pick<DocumentViewProps, 'cell' | 'item' | 'setItem'> & { readonly root: ContentItem };

/** Lines that are drawn at first and whenever the end comes near: a report may have twenty thousand. */
const STEP = 400;

/** A report to read: headings by depth, a line for each name and value, images as small pictures. */
export function ReadingView({ cell, root, item, setItem }: Props) {
  const rows = useMemo(() => listReadingRows(root), [root]);
  const [drawn, setDrawn] = useState(STEP);
  const end = useRef<HTMLDivElement>(null);
  const wanted = item === undefined ? -1 : rows.findIndex(({ content }) => content.item === item);
  const count = Math.min(rows.length, Math.max(drawn, wanted + STEP / 2));

  useEffect(() => {
    const element = end.current;
    if (element === null) return undefined;
    const observer = new IntersectionObserver(
      ([entry]) => {
        if (entry?.isIntersecting === true) setDrawn((known) => Math.max(known, count) + STEP);
      },
      { rootMargin: '1500px' },
    );
    observer.observe(element);
    return () => observer.disconnect();
  }, [count]);

  const revealed = useRef<string>(undefined);
  useEffect(() => {
    if (item === undefined || item === revealed.current || wanted < 0) return;
    revealed.current = item;
    document.getElementById(`report-${cell}-${item}`)?.scrollIntoView({ block: 'center' });
  }, [cell, item, wanted]);

  return (
    <div className={own.reading}>
      {rows.slice(0, count).map((row) => (
        <Line
          key={row.content.item}
          cell={cell}
          row={row}
          isNamed={row.content.item === item}
          onName={() => {
            revealed.current = row.content.item;
            setItem(row.content.item);
          }}
        />
      ))}
      {count < rows.length && <div ref={end} className={own.end} />}
    </div>
  );
}

type LineProps = {
  readonly cell: number;
  readonly row: ReportRow;
  readonly isNamed: boolean;
  readonly onName: () => void;
};

const Line = memo(
  ({ cell, row: { content, level, modifiers, run }, isNamed, onName }: LineProps) => {
    const { concept, text, value_type, link, observation, item, by_reference } = content;
    const name = concept === null ? '' : concept.meaning || concept.value;
    const style: CSSProperties & Record<`--${string}`, number> = { '--level': Math.max(0, level - 1) };
    const title = concept === null ? undefined : `${concept.value} ${concept.scheme} · ${item}`;
    const context = observation && [observation.observer, observation.subject, observation.time].filter(Boolean);
    const notes = modifiers.map(describeModifier);
    const shared = {
      id: `report-${cell}-${item}`,
      style,
      title,
      'data-item': item,
      'aria-current': isNamed ? ('location' as const) : undefined,
      onDoubleClick: onName,
    };
    const after = (
      <>
        {notes.length > 0 && <span className={own.modifier}> [{notes.join('; ')}]</span>}
        {context !== null && context.length > 0 && <span className={own.modifier}> ({context.join(', ')})</span>}
      </>
    );
    if (value_type === 'CONTAINER' && by_reference === null) {
      // The title of the root is that of the document.
      if (level === 0) return notes.length + (context?.length ?? 0) === 0 ? null : <p {...shared}>{after}</p>;
      const Heading = level === 1 ? 'h2' : level === 2 ? 'h3' : 'h4';
      return (
        <Heading {...shared} className={own.heading}>
          {name === '' ? 'Section' : name}
          {after}
        </Heading>
      );
    }
    if (run.length > 0) {
      return (
        <p {...shared} className={own.line} data-item={undefined}>
          {run.map((one) => (
            <RunningItem key={one.item} content={one} />
          ))}
        </p>
      );
    }
    return (
      <p {...shared} className={own.line}>
        {name !== '' && <span className={own.name}>{name}: </span>}
        {link === null ? (
          <span className={own.value}>{text}</span>
        ) : (
          <ContentLink cell={cell} content={content} link={link} />
        )}
        {after}
      </p>
    );
  },
  (a, b) => a.row === b.row && a.isNamed === b.isNamed && a.cell === b.cell,
);
Line.displayName = 'Line';

function describeModifier({ concept, text }: ContentItem): string {
  return `${concept?.meaning ?? ''}: ${text}`;
}

/** An item of a running text: its value, with its modifiers in brackets. */
function RunningItem({ content }: { readonly content: ContentItem }) {
  const notes = content.items.filter(({ relationship }) => relationship === 'HAS CONCEPT MOD').map(describeModifier);
  return (
    <span data-item={content.item} title={content.concept?.meaning}>
      {content.text}
      {notes.length > 0 && <span className={own.modifier}> [{notes.join('; ')}]</span>}{' '}
    </span>
  );
}
