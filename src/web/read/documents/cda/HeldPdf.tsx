import { lazy, Suspense, useState } from 'react';
import type { FileRecord } from '../../../../shared/contract/files.ts';
import { narrativeMediumPath } from '../../../kit/api/documents.ts';
import { loadChunk } from '../../../kit/state/loadChunk.ts';
import { definePart, usePage } from '../../../kit/state/page.ts';
import cellStyles from '../DocumentCell.module.css';
import styles from './NarrativeView.module.css';

type Props = { readonly file: FileRecord; readonly number: number };

const pdfViewOf = definePart((page) => ({
  Component: lazy(async () => ({
    default: await loadChunk(page, async () => (await import('../pdf/PdfView.tsx')).PdfFile),
  })),
}));

/** A PDF inside of a document, such as the scan of a paper. Its pages are not in the address. */
export function HeldPdf({ file, number }: Props) {
  const view = pdfViewOf(usePage());
  const [item, setItem] = useState<string>();
  return (
    <div className={styles.pdf}>
      <Suspense fallback={<p className={cellStyles.quiet}>Loading…</p>}>
        <view.Component file={file} path={narrativeMediumPath(file.index, number)} item={item} setItem={setItem} />
      </Suspense>
    </div>
  );
}
