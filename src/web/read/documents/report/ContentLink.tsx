import type { WireDocumentLink } from '../../../../shared/contract/documents.ts';
import type { ContentItem } from '../../../../shared/contract/reports.ts';
import { describeSeries } from '../../../show/series/describeFile.ts';
import { Thumbnail } from '../../../show/series/Thumbnail.tsx';
import { findFile } from '../../../kit/state/library.ts';
import { type Page, usePage } from '../../../kit/state/page.ts';
import styles from '../DocumentCell.module.css';
import { DocumentLinkText } from '../LinkList.tsx';
import { openPlace, placeOfLink } from '../openPlace.ts';
import own from './Report.module.css';

type Props = { readonly cell: number; readonly content: ContentItem; readonly link: WireDocumentLink };

/** What an item of a report refers to: a region in words, an image with its thumbnail. */
export function ContentLink({ cell, content: { value, text }, link }: Props) {
  const page = usePage();
  const place = placeOfLink(link);
  const file = findFile(page, place?.fileIndex);
  if (place === undefined || file === undefined) return <DocumentLinkText cell={cell} link={link} />;
  const isRegion = value.type === 'SCOORD' || value.type === 'SCOORD3D';
  const frame = place.frame ?? 0;
  const numbers = link.target.segment_numbers.length > 0 ? `, segment ${link.target.segment_numbers.join(', ')}` : '';
  const name = `${nameImage(page, file.index, frame)}${numbers}`;
  return (
    <button type="button" className={`${styles.link} ${own.target}`} onClick={() => openPlace(page, cell, place)}>
      {value.type === 'IMAGE' && file.support_state === 'renderable' && (
        <Thumbnail id={`report/${file.index}/${frame}`} address={{ fileIndex: file.index, frame }} />
      )}
      {isRegion ? `${text} on ${name}` : name}
    </button>
  );
}

/** `CT 3 · Thorax, image 12`, with the frame of a file of several. */
export function nameImage(page: Page, fileIndex: number, frame: number): string {
  const file = findFile(page, fileIndex);
  if (file === undefined) return 'image';
  const image = file.instance_number === '' ? '' : `, image ${file.instance_number}`;
  const ofFrames = file.frame_count > 1 ? `, frame ${frame + 1} of ${file.frame_count}` : '';
  return `${file.modality} ${describeSeries(file)}${image}${ofFrames}`;
}
