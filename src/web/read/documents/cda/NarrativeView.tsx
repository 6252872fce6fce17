import { type ReactNode, useMemo } from 'react';
import type { FileRecord } from '../../../../shared/contract/files.ts';
import type { NarrativeKind } from '../../../../shared/contract/narrative.ts';
import { fetchNarrative } from '../../../kit/api/documents.ts';
import { useAnswer } from '../../../kit/state/useAnswer.ts';
import { FailureMessage } from '../../../kit/ui/PanelMessage.tsx';
import { ContentButtons } from '../ContentButtons.tsx';
import cellStyles from '../DocumentCell.module.css';
import type { DocumentViewProps } from '../documentViews.ts';
import { FactList } from '../FactList.tsx';
import { HeldPdf } from './HeldPdf.tsx';
import { HeldPicture } from './HeldPicture.tsx';
import { buildNarrativeTree, type NarrativeTree } from './narrativeTree.ts';
import styles from './NarrativeView.module.css';

/** The text of a CDA document. */
export function NarrativeView({ file }: DocumentViewProps) {
  const { value, error, retry } = useAnswer(file.index, fetchNarrative);
  const sections = useMemo(() => buildNarrativeTree(value?.nodes ?? []), [value]);
  return (
    <>
      <FailureMessage error={error} onRetry={retry} />
      {value === undefined && error === undefined && <p className={cellStyles.quiet}>Loading…</p>}
      {value !== undefined && (
        <article className={styles.narrative} aria-label={value.title ?? 'Narrative'}>
          {value.title !== null && <h2>{value.title}</h2>}
          <FactList facts={value.facts.map((fact) => ({ ...fact, section: 'Document', unit: null, tag_path: null }))} />
          {showAll(sections, file)}
          {value.truncated && <p className={cellStyles.warning}>The document is longer than what is shown here.</p>}
        </article>
      )}
      <p>
        <ContentButtons file={file} />
      </p>
    </>
  );
}

function showAll(parts: readonly NarrativeTree[], file: FileRecord): ReactNode {
  return parts.map((part, at) => <Part key={at} part={part} file={file} />);
}

type PartProps = { readonly part: NarrativeTree; readonly file: FileRecord };

function Part({ part, file }: PartProps): ReactNode {
  const { kind, text, style, span, medium, children } = part;
  const inside = showAll(children, file);
  const only = (...kinds: readonly NarrativeKind[]) =>
    showAll(
      children.filter((child) => kinds.includes(child.kind)),
      file,
    );
  /** A list or table holds nothing else; a browser would move it. What else the document has there comes after it. */
  const others = (...kinds: readonly NarrativeKind[]) =>
    showAll(
      children.filter((child) => !kinds.includes(child.kind)),
      file,
    );
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
      return (
        <>
          {only('caption')}
          <ul>{only('item')}</ul>
          {others('caption', 'item')}
        </>
      );
    case 'ordered_list':
      return (
        <>
          {only('caption')}
          <ol>{only('item')}</ol>
          {others('caption', 'item')}
        </>
      );
    case 'item':
      return <li className={className}>{inside}</li>;
    case 'table':
      return (
        <>
          {only('caption')}
          <table>
            <tbody>{only('row')}</tbody>
          </table>
          {others('caption', 'row')}
        </>
      );
    case 'row':
      return <tr>{only('cell', 'heading_cell')}</tr>;
    case 'heading_cell':
      return (
        <th colSpan={span?.columns} rowSpan={span?.rows}>
          {inside}
        </th>
      );
    case 'cell':
      return (
        <td className={className} colSpan={span?.columns} rowSpan={span?.rows}>
          {inside}
        </td>
      );
    case 'caption':
      return <span className={`${cellStyles.quiet} ${styles.line}`}>{inside}</span>;
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
    case 'picture':
      return medium === null ? null : <HeldPicture fileIndex={file.index} medium={medium} name={text} />;
    case 'pdf':
      return medium === null ? null : <HeldPdf file={file} number={medium.number} />;
    case 'missing':
      return <span className={`${cellStyles.warning} ${styles.line}`}>{text}</span>;
    case 'text':
      return text;
  }
}
