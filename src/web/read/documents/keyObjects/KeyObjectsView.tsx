import { useMemo } from 'react';
import type { ContentItem } from '../../../../shared/contract/reports.ts';
import { openPresentation } from '../../../over/presentation/openPresentation.ts';
import { formatCount } from '../../../show/series/describeFile.ts';
import { Thumbnail } from '../../../show/series/Thumbnail.tsx';
import { findFile } from '../../../kit/state/library.ts';
import { usePage } from '../../../kit/state/page.ts';
import { PanelMessage } from '../../../kit/ui/PanelMessage.tsx';
import styles from '../DocumentCell.module.css';
import type { DocumentViewProps } from '../documentViews.ts';
import { DocumentLinkText } from '../LinkList.tsx';
import { openPlace, placeOfLink } from '../openPlace.ts';
import { nameImage } from '../report/ContentLink.tsx';
import { listTreeRows } from '../report/reportRows.ts';
import { useReportContent } from '../report/useReportContent.ts';
import own from './KeyObjects.module.css';

/** Pictures that are drawn. */
const MOST_PICTURES = 2_000;
const DESCRIPTION = '113012';
const NONE_CLOSED: ReadonlySet<string> = new Set<string>([]);

/** A key object selection: what was selected, in its order. */
export function KeyObjectsView({ cell, file, item, setItem }: DocumentViewProps) {
  const page = usePage();
  const { root, error } = useReportContent(file.index);
  const contents = useMemo(
    () => (root === undefined ? [] : listTreeRows(root, NONE_CLOSED).map(({ content }) => content)),
    [root],
  );
  const selected = contents.filter(({ link }) => link !== null);
  const texts = contents.filter(({ concept, value_type }) => value_type === 'TEXT' && concept?.value === DESCRIPTION);
  const open = selected.filter(({ link }) => link !== null && placeOfLink(link) !== undefined);
  if (error !== undefined) return <PanelMessage tone="danger">{error}</PanelMessage>;
  if (root === undefined) return <p className={styles.quiet}>Loading…</p>;
  return (
    <section className={styles.section} aria-label="Selected objects">
      {texts.map(({ text, item: place }) => (
        <p key={place} className={own.description}>
          {text}
        </p>
      ))}
      <div className={styles.tableHead}>
        <h2 className={styles.heading}>{formatCount(selected.length, 'selected object')}</h2>
        {open.length > 0 && (
          <button type="button" className={styles.button} onClick={() => void openPresentation(page, file.index, cell)}>
            Scroll through these images only
          </button>
        )}
      </div>
      <ul className={own.grid}>
        {selected.slice(0, MOST_PICTURES).map((content) => (
          <li key={content.item} aria-current={content.item === item ? 'location' : undefined}>
            <Selected cell={cell} content={content} onOpen={() => setItem(content.item)} />
          </li>
        ))}
      </ul>
      {selected.length > MOST_PICTURES && (
        <p className={styles.quiet}>{formatCount(selected.length - MOST_PICTURES, 'object')} more are selected.</p>
      )}
    </section>
  );
}

type Props = { readonly cell: number; readonly content: ContentItem; readonly onOpen: () => void };

function Selected({ cell, content: { link }, onOpen }: Props) {
  const page = usePage();
  if (link === null) return null;
  const place = placeOfLink(link);
  const file = findFile(page, place?.fileIndex);
  if (place === undefined || file === undefined) return <DocumentLinkText cell={cell} link={link} />;
  const frame = place.frame ?? 0;
  return (
    <button
      type="button"
      className={own.picture}
      onClick={() => {
        onOpen();
        openPlace(page, cell, place);
      }}
    >
      <Thumbnail
        id={`key/${file.index}/${frame}`}
        address={file.support_state === 'renderable' ? { fileIndex: file.index, frame } : undefined}
      />
      <span>{nameImage(page, file.index, frame)}</span>
    </button>
  );
}
