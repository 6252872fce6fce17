import { type PDFDocumentProxy, TextLayer } from 'pdfjs-dist';
import { useEffect, useRef } from 'react';
import { findText, type TextPiece } from './findText.ts';
import type { PageSize } from './pageLayout.ts';
import styles from './PdfView.module.css';

type Props = {
  readonly document: PDFDocumentProxy;
  /** From 1. */
  readonly number: number;
  readonly top: number;
  readonly size: PageSize;
  /** CSS pixels per unit of the PDF. */
  readonly scale: number;
  readonly wanted: string;
  readonly onSize: (number: number, size: PageSize) => void;
};

/** A canvas of a page has no more pixels than this; a larger page is drawn less sharp. */
const MOST_PIXELS = 16_000_000;

/** One page: its picture, and its text above it, which can be selected. */
export function PdfPage({ document: pdf, number, top, size, scale, wanted, onSize }: Props) {
  const box = useRef<HTMLElement>(null);

  useEffect(() => {
    const aborter = new AbortController();
    const { signal } = aborter;
    const show = async () => {
      const parts = await drawPage(pdf, number, { scale, wanted, onSize, signal });
      // The parts of the previous scale stay until then.
      box.current?.replaceChildren(...parts);
      box.current?.setAttribute('data-drawn', '');
    };
    show().catch(() => {
      if (!signal.aborted) box.current?.setAttribute('data-failed', '');
    });
    return () => aborter.abort();
  }, [pdf, number, scale, wanted, onSize]);

  const style = {
    top,
    width: size.width * scale,
    height: size.height * scale,
    '--page-width': `${size.width * scale}px`,
    '--total-scale-factor': scale,
  };
  return <section ref={box} className={styles.page} style={style} data-page={number} aria-label={`Page ${number}`} />;
}

type DrawOptions = Pick<Props, 'scale' | 'wanted' | 'onSize'> & { readonly signal: AbortSignal };

/** The picture of a page and its text. A canvas of its own for each drawing, because two cannot share one. */
async function drawPage(
  pdf: PDFDocumentProxy,
  number: number,
  { scale, wanted, onSize, signal }: DrawOptions,
): Promise<HTMLElement[]> {
  const page = await pdf.getPage(number);
  signal.throwIfAborted();
  const whole = page.getViewport({ scale: 1 });
  onSize(number, { width: whole.width, height: whole.height });
  const sharpness = Math.min(scale * devicePixelRatio, Math.sqrt(MOST_PIXELS / (whole.width * whole.height)));
  const viewport = page.getViewport({ scale: sharpness });
  const canvas = document.createElement('canvas');
  canvas.className = styles.picture ?? '';
  canvas.ariaHidden = 'true';
  canvas.width = Math.max(1, Math.floor(viewport.width));
  canvas.height = Math.max(1, Math.floor(viewport.height));
  const task = page.render({ canvas, viewport });
  signal.addEventListener('abort', () => task.cancel(), { once: true });
  const [content] = await Promise.all([page.getTextContent(), task.promise]);
  signal.throwIfAborted();
  const container = document.createElement('div');
  container.className = styles.texts ?? '';
  const texts = new TextLayer({ textContentSource: content, container, viewport: page.getViewport({ scale }) });
  signal.addEventListener('abort', () => texts.cancel(), { once: true });
  await texts.render();
  signal.throwIfAborted();
  const pieces = content.items.flatMap((item): TextPiece[] => ('str' in item ? [item] : []));
  const unmark = markText(pieces, texts.textDivs, wanted);
  signal.addEventListener('abort', unmark, { once: true });
  return [canvas, container];
}

const MATCHES = 'pdf-matches';

/** Marks what is searched for, without a change of the page: the marks are drawn over its text. */
function markText(pieces: readonly TextPiece[], elements: readonly HTMLElement[], wanted: string): () => void {
  if (!('highlights' in CSS) || wanted === '') return () => {};
  const marks = CSS.highlights.get(MATCHES) ?? new Highlight();
  CSS.highlights.set(MATCHES, marks);
  const ranges = findText(pieces, wanted).flatMap((parts) =>
    parts.flatMap(({ piece, from, to }) => {
      const text = elements[piece]?.firstChild;
      if (!(text instanceof Text) || to > text.length) return [];
      const range = new Range();
      range.setStart(text, from);
      range.setEnd(text, to);
      return [range];
    }),
  );
  for (const range of ranges) marks.add(range);
  return () => {
    for (const range of ranges) marks.delete(range);
  };
}
