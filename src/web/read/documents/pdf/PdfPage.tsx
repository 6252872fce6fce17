import { type PageViewport, type PDFDocumentProxy, TextLayer } from 'pdfjs-dist';
import { type MouseEvent, useEffect, useRef } from 'react';
import { findText, type TextPiece } from './findText.ts';
import type { PageSize } from './pageLayout.ts';
import { type LinkTarget, listLinks, type PdfLink } from './pdfLinks.ts';
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
  readonly onLink: (target: LinkTarget) => void;
};

/** A canvas of a page has no more pixels than this; a larger page is drawn less sharp. */
const MOST_PIXELS = 16_000_000;

/** One page: its picture, above it its text, which can be selected, and its links. */
export function PdfPage({ document: pdf, number, top, size, scale, wanted, onSize, onLink }: Props) {
  const box = useRef<HTMLElement>(null);
  const drawnLinks = useRef<readonly PdfLink[]>([]);

  useEffect(() => {
    const aborter = new AbortController();
    const { signal } = aborter;
    const show = async () => {
      const { parts, links } = await drawPage(pdf, number, { scale, wanted, onSize, signal });
      drawnLinks.current = links;
      // The parts of the previous scale stay until then.
      box.current?.replaceChildren(...parts);
      box.current?.setAttribute('data-drawn', '');
    };
    show().catch(() => {
      if (!signal.aborted) box.current?.setAttribute('data-failed', '');
    });
    return () => aborter.abort();
  }, [pdf, number, scale, wanted, onSize]);

  const follow = ({ target }: MouseEvent) => {
    const button = target instanceof Element ? target.closest<HTMLElement>('[data-link]') : null;
    const link = drawnLinks.current[Number(button?.dataset['link'] ?? -1)];
    if (link !== undefined) onLink(link.target);
  };
  const style = {
    top,
    width: size.width * scale,
    height: size.height * scale,
    '--page-width': `${size.width * scale}px`,
    '--total-scale-factor': scale,
  };
  return (
    // The links in it are buttons, which take the keys.
    // oxlint-disable-next-line jsx-a11y/click-events-have-key-events, jsx-a11y/no-noninteractive-element-interactions
    <section
      ref={box}
      className={styles.page}
      style={style}
      data-page={number}
      aria-label={`Page ${number}`}
      onClick={follow}
    />
  );
}

type DrawOptions = Pick<Props, 'scale' | 'wanted' | 'onSize'> & { readonly signal: AbortSignal };
type DrawnPage = { readonly parts: readonly HTMLElement[]; readonly links: readonly PdfLink[] };

/** The picture of a page, its text and its links. A canvas of its own for each drawing, because two cannot share one. */
async function drawPage(
  pdf: PDFDocumentProxy,
  number: number,
  { scale, wanted, onSize, signal }: DrawOptions,
): Promise<DrawnPage> {
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
  const [content, links] = await Promise.all([
    page.getTextContent(),
    listLinks(pdf, page).catch(() => NO_LINKS),
    task.promise,
  ]);
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
  return { parts: [canvas, container, drawLinks(links, page.getViewport({ scale }))], links };
}

/** Of a page whose annotations are damaged. */
const NO_LINKS: readonly PdfLink[] = [];

/** A button over each link. An address is said, because it is not opened. */
function drawLinks(links: readonly PdfLink[], viewport: PageViewport): HTMLElement {
  const container = document.createElement('div');
  container.className = styles.links ?? '';
  for (const [at, { box, target }] of links.entries()) {
    const [x = 0, y = 0, otherX = 0, otherY = 0]: readonly number[] = viewport.convertToViewportRectangle([...box]);
    const button = document.createElement('button');
    button.type = 'button';
    button.dataset['link'] = String(at);
    button.title = 'page' in target ? `Page ${target.page + 1}` : `${target.address} (not opened)`;
    button.ariaLabel = 'page' in target ? `To page ${target.page + 1}` : `Address ${target.address}`;
    button.style.left = `${Math.min(x, otherX)}px`;
    button.style.top = `${Math.min(y, otherY)}px`;
    button.style.width = `${Math.abs(otherX - x)}px`;
    button.style.height = `${Math.abs(otherY - y)}px`;
    container.append(button);
  }
  return container;
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
