import type { PDFDocumentProxy } from 'pdfjs-dist';
import { type ReactNode, useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState } from 'react';
import { fetchContent } from '../../../kit/api/documents.ts';
import { useAnswer } from '../../../kit/state/useAnswer.ts';
import { FailureMessage } from '../../../kit/ui/PanelMessage.tsx';
import { ContentButtons } from '../ContentButtons.tsx';
import cellStyles from '../DocumentCell.module.css';
import type { DocumentViewProps } from '../documentViews.ts';
import { findText, type TextPiece } from './findText.ts';
import { type OpenPdf, openPdf } from './openPdf.ts';
import { layOutPages, pageAt, type PageSize } from './pageLayout.ts';
import type { LinkTarget } from './pdfLinks.ts';
import { PdfPage } from './PdfPage.tsx';
import styles from './PdfView.module.css';

/** Of a longer document, these pages are shown: a file may declare any number. */
const MOST_PAGES = 10_000;
/** The sizes of so many pages are read before the first is drawn; pages of longer documents are measured when drawn. */
const MEASURED_PAGES = 200;
const MOST_BYTES = 64 * 2 ** 20;

/** An object that is a PDF. */
export function PdfView({ file, item, setItem }: DocumentViewProps) {
  return <PdfFile file={file} path={`api/file/${file.index}/content`} item={item} setItem={setItem} canView />;
}

type FileProps = Pick<DocumentViewProps, 'file' | 'item' | 'setItem'> & {
  /** Where the PDF is. */
  readonly path: `api/${string}`;
  /** Whether the browser can show it in a tab of its own. */
  readonly canView?: boolean;
};

/** A PDF, drawn by pdf.js. */
export function PdfFile({ file, path, item, setItem, canView = false }: FileProps) {
  const ask = useCallback(
    async (_: number, signal: AbortSignal): Promise<OpenPdf> => openPdf(await fetchContent(path, MOST_BYTES, signal)),
    [path],
  );
  const { value, error, retry } = useAnswer(file.index, ask);
  useEffect(() => () => value?.close(), [value]);
  if (error !== undefined) {
    return (
      <>
        <FailureMessage error={error} onRetry={retry} />
        <div className={styles.bar}>
          <ContentButtons file={file} path={path} />
        </div>
      </>
    );
  }
  if (value === undefined) return <p className={cellStyles.quiet}>Loading…</p>;
  return (
    <Pages pdf={value.document} item={item} setItem={setItem}>
      <ContentButtons file={file} path={path} canView={canView} />
    </Pages>
  );
}

type PagesProps = Pick<DocumentViewProps, 'item' | 'setItem'> & {
  readonly pdf: PDFDocumentProxy;
  /** Buttons at the end of the bar. */
  readonly children: ReactNode;
};

const ZOOMS = [0.5, 0.75, 1, 1.25, 1.5, 2, 3, 4];
/** At 100 %, one PDF point (1/72 inch) is 96/72 CSS pixels. */
const PIXELS_PER_POINT = 96 / 72;

function Pages({ pdf, item, setItem, children }: PagesProps) {
  const count = Math.min(pdf.numPages, MOST_PAGES);
  const sizes = useSizes(pdf, count);
  const [zoom, setZoom] = useState<number | 'width'>('width');
  const [wanted, setWanted] = useState('');
  const scroller = useRef<HTMLElement>(null);
  const { width, height, top } = useView(scroller);
  const widest = sizes.all.reduce((most, size) => Math.max(most, size.width), 1);
  const scale = zoom === 'width' ? Math.max(0.1, (width - 24) / widest) : zoom * PIXELS_PER_POINT;
  const layout = useMemo(() => layOutPages(sizes.all.map((size) => size.height * scale)), [sizes.all, scale]);
  const current = pageAt(layout.tops, top + height / 3);
  const first = Math.max(0, pageAt(layout.tops, top) - 1);
  const last = Math.min(count - 1, pageAt(layout.tops, top + height) + 1);

  const showPage = useCallback(
    (page: number) => scroller.current?.scrollTo({ top: (layout.tops[page] ?? 0) - 4 }),
    [layout],
  );
  useAddress({ item, setItem, current, count, showPage, isReady: width > 0 });
  useKeptPage(scroller, layout, scale);
  const [address, setAddress] = useState<string>();
  const follow = (target: LinkTarget) => {
    setAddress('page' in target ? undefined : target.address);
    if ('page' in target) showPage(Math.min(count - 1, target.page));
  };
  const search = useSearch(pdf, count, wanted);
  const goTo = (step: 1 | -1) => {
    const next = search.next(current, step);
    if (next !== undefined) showPage(next);
  };

  return (
    <div className={styles.view}>
      <div className={styles.bar} role="toolbar" aria-label="PDF">
        <label>
          Page{' '}
          <input
            type="number"
            min={1}
            max={count}
            value={current + 1}
            onChange={({ target }) => showPage(Math.min(count, Math.max(1, Number(target.value))) - 1)}
          />{' '}
          of {pdf.numPages}
        </label>
        <select
          aria-label="Zoom"
          value={zoom}
          onChange={({ target }) => setZoom(target.value === 'width' ? 'width' : Number(target.value))}
        >
          <option value="width">Fit width</option>
          {ZOOMS.map((each) => (
            <option key={each} value={each}>
              {each * 100} %
            </option>
          ))}
        </select>
        <input
          type="search"
          aria-label="Search in the document"
          placeholder="Search"
          value={wanted}
          onChange={({ target }) => setWanted(target.value)}
          onKeyDown={(event) => {
            if (event.key === 'Enter') goTo(event.shiftKey ? -1 : 1);
          }}
        />
        {wanted.trim() !== '' && <output aria-label="Matches">{search.text}</output>}
        <span className={styles.space} />
        {children}
      </div>
      {address !== undefined && (
        <p className={styles.bar}>
          <output className={styles.address}>
            The document names this address, which is not opened: <code>{address}</code>
          </output>
          <button type="button" className={cellStyles.button} onClick={() => setAddress(undefined)}>
            Close
          </button>
        </p>
      )}
      <section
        ref={scroller}
        className={styles.pages}
        data-scrolls=""
        aria-label="Pages"
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- a region that scrolls must be reachable by keyboard
        tabIndex={0}
      >
        <div className={styles.all} style={{ height: layout.height, width: widest * scale }}>
          {width > 0 &&
            sizes.all
              .slice(first, last + 1)
              .map((size, at) => (
                <PdfPage
                  key={first + at}
                  document={pdf}
                  number={first + at + 1}
                  top={layout.tops[first + at] ?? 0}
                  size={size}
                  scale={scale}
                  wanted={wanted.trim()}
                  onSize={sizes.set}
                  onLink={follow}
                />
              ))}
        </div>
      </section>
    </div>
  );
}

const LETTER: PageSize = { width: 612, height: 792 };

/** The size of every page in points. A page that was not measured yet has the size of the first. */
function useSizes(pdf: PDFDocumentProxy, count: number) {
  const [all, setAll] = useState<readonly PageSize[]>(() => Array.from({ length: count }, () => LETTER));
  useEffect(() => {
    let isOver = false;
    const measure = async () => {
      const numbers = Array.from({ length: Math.min(count, MEASURED_PAGES) }, (_, at) => at + 1);
      const measured = await Promise.all(numbers.map((number) => measurePage(pdf, number)));
      const [first = LETTER] = measured;
      if (!isOver) setAll((before) => before.map((_, at) => measured[at] ?? first));
    };
    measure().catch(() => undefined);
    return () => {
      isOver = true;
    };
  }, [pdf, count]);
  const set = useCallback((number: number, size: PageSize) => {
    setAll((before) => {
      const known = before[number - 1];
      if (known === undefined || (known.width === size.width && known.height === size.height)) return before;
      return before.with(number - 1, size);
    });
  }, []);
  return { all, set };
}

/** A damaged page has the size of the first. */
async function measurePage(pdf: PDFDocumentProxy, number: number): Promise<PageSize | undefined> {
  try {
    const { width, height } = (await pdf.getPage(number)).getViewport({ scale: 1 });
    return { width, height };
  } catch {
    return undefined;
  }
}

/** The size of the part of the pages that is seen, and where it is. */
function useView(scroller: React.RefObject<HTMLElement | null>) {
  const [view, setView] = useState({ width: 0, height: 0, top: 0 });
  useLayoutEffect(() => {
    const element = scroller.current;
    if (element === null) return undefined;
    const look = () => {
      const { clientWidth: width, clientHeight: height, scrollTop: top } = element;
      setView((before) =>
        before.width === width && before.height === height && before.top === top ? before : { width, height, top },
      );
    };
    const observer = new ResizeObserver(look);
    observer.observe(element);
    element.addEventListener('scroll', look, { passive: true });
    return () => {
      observer.disconnect();
      element.removeEventListener('scroll', look);
    };
  }, [scroller]);
  return view;
}

/** Keeps the same part of the document in view when its scale changes. */
function useKeptPage(
  scroller: React.RefObject<HTMLElement | null>,
  { tops }: { readonly tops: readonly number[] },
  scale: number,
): void {
  const before = useRef({ tops, scale });
  useLayoutEffect(() => {
    const element = scroller.current;
    const old = before.current;
    before.current = { tops, scale };
    if (element === null || old.tops === tops) return;
    const page = pageAt(old.tops, element.scrollTop);
    const into = (element.scrollTop - (old.tops[page] ?? 0)) * (scale / old.scale);
    element.scrollTo({ top: (tops[page] ?? 0) + into });
  }, [scroller, tops, scale]);
}

type AddressOptions = Pick<DocumentViewProps, 'item' | 'setItem'> & {
  readonly current: number;
  readonly count: number;
  readonly isReady: boolean;
  readonly showPage: (page: number) => void;
};

/** The page number is the place in the address, in both directions. */
function useAddress({ item, setItem, current, count, isReady, showPage }: AddressOptions): void {
  const written = useRef<string | undefined>(undefined);
  useEffect(() => {
    if (!isReady || item === written.current) return;
    written.current = item;
    const page = Number(item) - 1;
    if (Number.isInteger(page) && page >= 0 && page < count) showPage(page);
  }, [item, count, isReady, showPage]);
  useEffect(() => {
    if (!isReady) return;
    const place = current === 0 ? undefined : String(current + 1);
    // The place of the address comes first: it is shown before anything is written.
    if (place === written.current || (written.current !== undefined && written.current !== item)) return;
    written.current = place;
    setItem(place);
  }, [current, isReady, item, setItem]);
}

type SearchState = { readonly counts: readonly number[]; readonly isOver: boolean };

/** Searches page by page, from the first. */
function useSearch(pdf: PDFDocumentProxy, count: number, wanted: string) {
  const [state, setState] = useState<SearchState>({ counts: [], isOver: false });
  useEffect(() => {
    if (wanted.trim() === '') return undefined;
    const aborter = new AbortController();
    const { signal } = aborter;
    const search = async () => {
      const counts: number[] = [];
      setState({ counts, isOver: false });
      for (let number = 1; number <= count; number += 1) {
        counts.push(await countMatches(pdf, number, wanted));
        if (signal.aborted) return;
        if (number % 16 === 0) setState({ counts: [...counts], isOver: false });
      }
      setState({ counts, isOver: true });
    };
    search().catch(() => undefined);
    return () => aborter.abort();
  }, [pdf, count, wanted]);
  const { counts, isOver } = state;
  const all = counts.reduce((sum, each) => sum + each, 0);
  const next = (current: number, step: 1 | -1): number | undefined => {
    const pages = counts.flatMap((matches, page) => (matches > 0 ? [page] : []));
    const after = step === 1 ? pages.find((page) => page > current) : pages.findLast((page) => page < current);
    return after ?? (step === 1 ? pages[0] : pages.at(-1));
  };
  return { text: `${all} ${all === 1 ? 'match' : 'matches'}${isOver ? '' : '…'}`, next };
}

async function countMatches(pdf: PDFDocumentProxy, number: number, wanted: string): Promise<number> {
  try {
    const { items } = await (await pdf.getPage(number)).getTextContent();
    const pieces = items.flatMap((item): TextPiece[] => ('str' in item ? [item] : []));
    return findText(pieces, wanted).length;
  } catch {
    return 0;
  }
}
