import { type ReactNode, Suspense, useCallback, useEffect, useRef, useState } from 'react';
import type { DocumentResponse } from '../../../shared/contract/documents.ts';
import type { FileRecord } from '../../../shared/contract/files.ts';
import { fetchDocument } from '../../kit/api/documents.ts';
import type { PictureProps } from '../../show/pictures/pictureSource.ts';
import { NOTHING_SHOWN, setReport } from '../../show/pictures/viewports.ts';
import {
  describePatient,
  describeStudy,
  explainMissingPicture,
  fileName,
  isImageMissing,
} from '../../show/series/describeFile.ts';
import { activateCell, cellsOf, updateCell, useCells, useStackOfCell } from '../../kit/state/cells.ts';
import { findFile, useLibrary } from '../../kit/state/library.ts';
import { usePage } from '../../kit/state/page.ts';
import { useAnswer } from '../../kit/state/useAnswer.ts';
import { FailureMessage } from '../../kit/ui/PanelMessage.tsx';
import styles from './DocumentCell.module.css';
import { documentViewOf } from './documentViews.ts';
import { FactList } from './FactList.tsx';
import { FigureList } from './FigureList.tsx';
import { LinkList } from './LinkList.tsx';
import { DocumentTables } from './DocumentTables.tsx';

/** A document in a cell: what an object without a picture is and says. */
export function DocumentCell({ cell, pictureRef }: PictureProps) {
  const page = usePage();
  const fileIndex = useStackOfCell(cell)?.fileIndex;
  const serverRuns = useLibrary((library) => library.serverRuns);
  const file = useLibrary(() => findFile(page, fileIndex));

  useEffect(() => {
    setReport(page, cell, { ...NOTHING_SHOWN, status: 'ready' });
    const picture = { probe: () => undefined, retry: () => undefined };
    pictureRef.current = picture;
    return () => {
      setReport(page, cell, undefined);
      if (pictureRef.current === picture) pictureRef.current = null;
    };
  }, [page, cell, pictureRef]);

  return file === undefined ? null : <OpenDocument key={`${serverRuns}/${file.index}`} cell={cell} file={file} />;
}

type OpenProps = { readonly cell: number; readonly file: FileRecord };

function OpenDocument({ cell, file }: OpenProps) {
  const page = usePage();
  const { value, error, retry } = useAnswer(file.index, fetchDocument);
  const scroller = useScrollKeys(cell);
  const item = useCells(({ cells }) => cells[cell]?.item);
  const setItem = useCallback((next: string | undefined) => updateCell(page, cell, { item: next }), [page, cell]);
  const [isSummary, setSummary] = useState(false);
  const view = value && documentViewOf(page, value.kind);
  const fills = view?.fills === true && !isSummary;
  return (
    // The tools of images do not act on a document. Text can be selected, and the wheel scrolls.
    <div
      className={styles.cell}
      data-control=""
      data-document={value?.kind ?? ''}
      onPointerDown={() => activateCell(page, cell)}
    >
      <div
        ref={scroller}
        className={`${styles.scroller} ${fills ? styles.filled : ''}`}
        role="document"
        aria-label={value?.title ?? fileName(file)}
        aria-busy={value === undefined && error === undefined}
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- a region that scrolls must be reachable by keyboard
        tabIndex={0}
      >
        <Header file={file} document={value}>
          {view?.fills === true && (
            <button
              type="button"
              className={styles.button}
              aria-pressed={isSummary}
              onClick={() => setSummary(!isSummary)}
            >
              Details
            </button>
          )}
        </Header>
        <FailureMessage error={error} onRetry={retry} />
        {isImageMissing(file) && <p className={styles.warning}>{explainMissingPicture(file)}</p>}
        {value?.warnings.map(({ code, message }) => (
          <p key={`${code} ${message}`} className={styles.warning}>
            {message}
          </p>
        ))}
        {view !== undefined && value !== undefined && !(view.fills && isSummary) && (
          <Suspense fallback={<p className={styles.quiet}>Loading…</p>}>
            <view.Component cell={cell} file={file} document={value} item={item} setItem={setItem} />
          </Suspense>
        )}
        {value !== undefined && !fills && (
          <Summary cell={cell} document={value} isFolded={view !== undefined && !view.fills && !view.opensSummary} />
        )}
      </div>
    </div>
  );
}

type HeaderProps = {
  readonly file: FileRecord;
  readonly document: DocumentResponse | undefined;
  readonly children: ReactNode;
};

/** Title, patient, date and status. Until the document is loaded, what the list of files knows. */
function Header({ file, document, children }: HeaderProps) {
  const kind = file.sop_class_name?.replace(/ Storage\b/, '') ?? 'Object';
  return (
    <header className={styles.header}>
      <div className={styles.titles}>
        <h1 className={styles.title}>{document?.title ?? kind}</h1>
        <p className={styles.quiet}>
          {[document?.subtitle ?? '', describePatient(file), describeStudy(file)]
            .filter((text) => text !== '')
            .join(' · ')}
        </p>
      </div>
      {document !== undefined && document.status.length > 0 && (
        <ul className={styles.status} aria-label="Status">
          {document.status.map(({ label, value, tone }) => (
            <li key={label} className={styles[tone]}>
              <span className={styles.statusLabel}>{label}</span> {value}
            </li>
          ))}
        </ul>
      )}
      {children}
    </header>
  );
}

type SummaryProps = { readonly cell: number; readonly document: DocumentResponse; readonly isFolded: boolean };

function Summary({ cell, document, isFolded }: SummaryProps) {
  const { figures, tables, links, facts } = document;
  const content = (
    <>
      <FigureList figures={figures} />
      <DocumentTables tables={tables} />
      <LinkList cell={cell} links={links} count={document.link_count} />
      <FactList facts={facts} />
      {[figures, tables, links, facts].every(({ length }) => length === 0) && (
        <p className={styles.quiet}>The object says nothing else that is listed here. All of it is in its tags.</p>
      )}
    </>
  );
  if (!isFolded) return content;
  return (
    <details className={styles.folded}>
      <summary>Details of the object</summary>
      {content}
    </details>
  );
}

const KEYS: Readonly<Record<string, (element: HTMLElement) => number>> = {
  ArrowUp: () => -LINE_PX,
  ArrowDown: () => LINE_PX,
  PageUp: ({ clientHeight }) => -0.9 * clientHeight,
  PageDown: ({ clientHeight }) => 0.9 * clientHeight,
  Home: ({ scrollHeight }) => -scrollHeight,
  End: ({ scrollHeight }) => scrollHeight,
};
const LINE_PX = 40;

/** The keys scroll the document of the active cell also while nothing in it has the focus. */
function useScrollKeys(cell: number) {
  const page = usePage();
  const scroller = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      const element = scroller.current;
      const way = KEYS[event.key];
      if (element === null || way === undefined || event.defaultPrevented || hasModifier(event)) return;
      const { target } = event;
      const isOnCell = target instanceof Element && (target === document.body || target.matches('[data-cell]'));
      if (!isOnCell || cellsOf(page).getState().activeCell !== cell) return;
      event.preventDefault();
      const inner = element.querySelector<HTMLElement>('[data-scrolls]') ?? element;
      inner.scrollBy({ top: way(inner) });
    };
    addEventListener('keydown', onKeyDown);
    return () => removeEventListener('keydown', onKeyDown);
  }, [page, cell]);
  return scroller;
}

function hasModifier({ ctrlKey, metaKey, altKey, shiftKey }: KeyboardEvent): boolean {
  return ctrlKey || metaKey || altKey || shiftKey;
}
