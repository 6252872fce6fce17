import { type ReactNode, useMemo } from 'react';
import { fetchNarrative } from '../../api/documents.ts';
import { useAnswer } from '../../state/useAnswer.ts';
import { PanelMessage } from '../../ui/PanelMessage.tsx';
import { ContentButtons } from '../ContentButtons.tsx';
import cellStyles from '../DocumentCell.module.css';
import type { DocumentViewProps } from '../documentViews.ts';
import { FactList } from '../FactList.tsx';
import { buildNarrativeTree, type NarrativeTree } from './narrativeTree.ts';
import styles from './NarrativeView.module.css';

const QUESTION = { ask: fetchNarrative };

/** The text of a CDA document. */
export function NarrativeView({ file }: DocumentViewProps) {
  const { value, error, retry } = useAnswer(file.index, QUESTION);
  const sections = useMemo(() => buildNarrativeTree(value?.nodes ?? []), [value]);
  return (
    <>
      {error !== undefined && (
        <PanelMessage tone="danger" onRetry={retry}>
          {error}
        </PanelMessage>
      )}
      {value === undefined && error === undefined && <p className={cellStyles.quiet}>Loading…</p>}
      {value !== undefined && (
        <article className={styles.narrative} aria-label={value.title ?? 'Narrative'}>
          {value.title !== null && <h2>{value.title}</h2>}
          <FactList facts={value.facts.map((fact) => ({ ...fact, section: 'Document', unit: null, tag_path: null }))} />
          {showAll(sections)}
          {value.truncated && <p className={cellStyles.warning}>The document is longer than what is shown here.</p>}
        </article>
      )}
      <p>
        <ContentButtons file={file} />
      </p>
    </>
  );
}

function showAll(parts: readonly NarrativeTree[]): ReactNode {
  return parts.map((part, at) => <Part key={at} part={part} />);
}

function Part({ part }: { readonly part: NarrativeTree }): ReactNode {
  const { kind, text, style, children } = part;
  const inside = showAll(children);
  const className = style
    ?.split(' ')
    .map((name) => styles[name] ?? '')
    .join(' ');
  switch (kind) {
    case 'section':
      return (
        <section aria-label={text || undefined}>
          {text !== '' && <h2>{text}</h2>}
          {inside}
        </section>
      );
    case 'paragraph':
      return <p className={className}>{inside}</p>;
    case 'list':
      return <ul>{showOnly(children, ['item'])}</ul>;
    case 'ordered_list':
      return <ol>{showOnly(children, ['item'])}</ol>;
    case 'item':
      return <li className={className}>{inside}</li>;
    case 'table':
      return (
        <>
          {showOnly(children, ['caption'])}
          <table>
            <tbody>{showOnly(children, ['row'])}</tbody>
          </table>
        </>
      );
    case 'row':
      return <tr>{showOnly(children, ['cell', 'heading_cell'])}</tr>;
    case 'heading_cell':
      return <th>{inside}</th>;
    case 'cell':
      return <td className={className}>{inside}</td>;
    case 'caption':
      return <p className={cellStyles.quiet}>{inside}</p>;
    case 'content':
      return <span className={className}>{inside}</span>;
    case 'footnote':
      return <small> [{inside}]</small>;
    case 'link':
      return (
        <span>
          {inside}
          {text !== '' && <span className={cellStyles.quiet}> ({text})</span>}
        </span>
      );
    case 'sub':
      return <sub>{inside}</sub>;
    case 'sup':
      return <sup>{inside}</sup>;
    case 'break':
      return <br />;
    case 'text':
      return text;
  }
}

/** A list or table has no other parts; a browser would move them out of it. */
function showOnly(parts: readonly NarrativeTree[], kinds: readonly NarrativeTree['kind'][]): ReactNode {
  return showAll(parts.filter(({ kind }) => kinds.includes(kind)));
}
