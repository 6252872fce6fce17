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
  const canvas = useRef<HTMLCanvasElement>(null);
  const texts = useRef<HTMLDivElement>(null);

  useEffect(() => {
    let isOver = false;
    let stop = () => {};
    const draw = async () => {
      const page = await pdf.getPage(number);
      const [surface, layer] = [canvas.current, texts.current];
      if (isOver || surface === null || layer === null) return;
      const whole = page.getViewport({ scale: 1 });
      onSize(number, { width: whole.width, height: whole.height });
      const wish = scale * devicePixelRatio;
      const sharpness = Math.min(wish, Math.sqrt(MOST_PIXELS / (whole.width * whole.height)));
      const viewport = page.getViewport({ scale: sharpness });
      surface.width = Math.max(1, Math.floor(viewport.width));
      surface.height = Math.max(1, Math.floor(viewport.height));
      const task = page.render({ canvas: surface, viewport });
      const content = await page.getTextContent();
      const shown = new TextLayer({
        textContentSource: content,
        container: layer,
        viewport: page.getViewport({ scale }),
      });
      stop = () => {
        task.cancel();
        shown.cancel();
      };
      layer.replaceChildren();
      if (isOver) return stop();
      await Promise.all([task.promise, shown.render()]);
      const pieces = content.items.flatMap((item): TextPiece[] => ('str' in item ? [item] : []));
      if (isOver) return;
      const unmark = markText(pieces, shown.textDivs, wanted);
      stop = () => {
        shown.cancel();
        unmark();
      };
      box.current?.setAttribute('data-drawn', '');
    };
    draw().catch((error: unknown) => {
      if (!isOver) box.current?.setAttribute('data-failed', error instanceof Error ? error.message : '');
    });
    return () => {
      isOver = true;
      stop();
    };
  }, [pdf, number, scale, wanted, onSize]);

  const style = {
    top,
    width: size.width * scale,
    height: size.height * scale,
    '--page-width': `${size.width * scale}px`,
    '--total-scale-factor': scale,
  };
  return (
    <section ref={box} className={styles.page} style={style} data-page={number} aria-label={`Page ${number}`}>
      <canvas ref={canvas} className={styles.picture} aria-hidden="true" />
      <div ref={texts} className={styles.texts} />
    </section>
  );
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
