import { useState } from 'react';
import type { WireDocumentLink } from '../../../shared/contract/documents.ts';
import { describeSeries, fileName, formatCount } from '../../show/series/describeFile.ts';
import { findFile, useLibrary } from '../../kit/state/library.ts';
import { type Page, usePage } from '../../kit/state/page.ts';
import { CopyButton } from '../../kit/ui/CopyButton.tsx';
import styles from './DocumentCell.module.css';
import { openPlace, placeOfLink } from './openPlace.ts';

type Props = { readonly cell: number; readonly links: readonly WireDocumentLink[]; readonly count: number };

/** More links are listed on request. */
const FEW = 50;

/** What an object refers to. A link opens the very frame; of an object that is not open, the UIDs can be copied. */
export function LinkList({ cell, links, count }: Props) {
  const [areAll, setAll] = useState(false);
  // The titles of the links follow the files.
  useLibrary(({ files }) => files);
  if (links.length === 0) return null;
  const shown = areAll ? links : links.slice(0, FEW);
  return (
    <section className={styles.section} aria-label="References">
      <h2 className={styles.heading}>References</h2>
      <ul className={styles.links}>
        {shown.map((link, at) => (
          <li key={`${link.target.sop_instance_uid ?? link.target.series_instance_uid ?? ''} ${at}`}>
            <DocumentLinkText cell={cell} link={link} />
          </li>
        ))}
      </ul>
      {shown.length < links.length && (
        <button type="button" className={styles.button} onClick={() => setAll(true)}>
          Show all {links.length}
        </button>
      )}
      {links.length < count && (
        <p className={styles.quiet}>{formatCount(count - links.length, 'reference')} more: see the references panel.</p>
      )}
    </section>
  );
}

type LinkProps = { readonly cell: number; readonly link: WireDocumentLink };

export function DocumentLinkText({ cell, link }: LinkProps) {
  const page = usePage();
  const place = placeOfLink(link);
  const { target } = link;
  const numbers = describeTarget(link);
  if (place !== undefined) {
    return (
      <button type="button" className={styles.link} onClick={() => openPlace(page, cell, place)}>
        {nameTarget(page, link)}
        {numbers !== '' && <span className={styles.quiet}> {numbers}</span>}
      </button>
    );
  }
  return (
    <span className={styles.missing}>
      {link.label}
      {numbers !== '' && ` ${numbers}`}: not open.{' '}
      {target.series_instance_uid !== null && (
        <>
          Series <code>{target.series_instance_uid}</code>{' '}
          <CopyButton label="Copy series UID" text={target.series_instance_uid} />{' '}
        </>
      )}
      {target.sop_instance_uid !== null && (
        <>
          Instance <code>{target.sop_instance_uid}</code> <CopyButton label="Copy UID" text={target.sop_instance_uid} />
        </>
      )}
    </span>
  );
}

function nameTarget(page: Page, { label, matches: [match] }: WireDocumentLink): string {
  const file = findFile(page, match?.file_index);
  if (file === undefined) return label;
  const instance = file.instance_number === '' ? fileName(file) : `#${file.instance_number}`;
  return [label, describeSeries(file), instance].filter((text) => text !== '').join(' · ');
}

/** Numbers that are listed one by one. */
const MOST_LISTED = 8;

function describeTarget({ target: { frame_numbers, segment_numbers } }: WireDocumentLink): string {
  const parts = [listNumbers(frame_numbers, 'frame'), listNumbers(segment_numbers, 'segment')];
  return parts.filter((text) => text !== '').join(' · ');
}

function listNumbers(numbers: readonly number[], one: string): string {
  if (numbers.length === 0) return '';
  return numbers.length > MOST_LISTED ? formatCount(numbers.length, one) : `${one} ${numbers.join(', ')}`;
}
