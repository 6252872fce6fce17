/* oxlint-disable jsx-a11y/prefer-tag-over-role -- a table would lay out its rows itself; these are placed row by row */
import { ImageDown, X } from 'lucide-react';
import { type KeyboardEvent, type MouseEvent, useEffect, useLayoutEffect, useMemo, useRef, useState } from 'react';
import { VerdictMenu } from '../../find/review/VerdictMenu.tsx';
import { cellOf, useCells } from '../../kit/state/cells.ts';
import { useShownLayers } from '../../kit/state/layers.ts';
import { useLibrary } from '../../kit/state/library.ts';
import { usePage } from '../../kit/state/page.ts';
import { ToolButton } from '../../kit/ui/ToolButton.tsx';
import { usePlacedRows } from '../../kit/ui/useVirtualRows.ts';
import { usePicture } from '../../show/pictures/pictureKinds.ts';
import type { PictureSource } from '../../show/pictures/pictureSource.ts';
import styles from './Lightbox.module.css';
import {
  closeLightbox,
  FEWEST_COLUMNS,
  goToPicture,
  MOST_ACROSS,
  moveTo,
  selectPictures,
  setColumns,
  togglePicture,
  useLightbox,
} from './lightbox.ts';
import { cellOfPlace, forgetPictures, placeOfPicture, showPictures } from './lightboxCells.ts';
import { LightboxTile } from './LightboxTile.tsx';
import { saveSpread } from './saveSpread.ts';
import { useVerdictsOfPictures } from './useVerdictsOfPictures.ts';

const GAP_PX = 4;

/** All pictures of a cell side by side, over the cells. Those in view are drawn as the cell draws them. */
export function Lightbox() {
  const cell = useLightbox((state) => state.cell);
  const picture = usePicture(cell ?? -1);
  if (cell === undefined || picture === undefined || picture.positions === 0) return null;
  // Another series has other pictures.
  return <Spread key={picture.id} cell={cell} picture={picture} />;
}

function Spread({ cell, picture }: { readonly cell: number; readonly picture: PictureSource }) {
  const page = usePage();
  const columns = useLightbox((state) => state.columns);
  const at = useLightbox((state) => Math.min(state.at, picture.positions - 1));
  const selected = useLightbox((state) => state.selected);
  const title = useLibrary(() => picture.label());
  const { tilePx, heightPx, onWidth } = useTileSize(cell, picture, columns);
  const rowCount = Math.ceil(picture.positions / columns);
  const places = useMemo(
    () => ({
      count: rowCount,
      keyOf: () => undefined,
      tops: Float64Array.from({ length: rowCount + 1 }, (_, row) => row * (heightPx + GAP_PX)),
    }),
    [rowCount, heightPx],
  );
  const { scroller, totalPx, first, end, shiftPx, reveal } = usePlacedRows(places);
  const from = first * columns;
  const to = Math.min(picture.positions, end * columns);
  const positions = useMemo(() => Array.from({ length: Math.max(0, to - from) }, (_, n) => from + n), [from, to]);
  const placeCount = useMost(positions.length);
  useMirroredCells({ cell, picture, positions, places: placeCount });
  useMeasuredWidth(scroller, onWidth);
  const row = Math.floor(at / columns);
  useLayoutEffect(() => {
    if (tilePx > 0) reveal(row);
  }, [reveal, row, tilePx]);
  useVerdictsOfPictures(picture);
  const focused = useFocus(scroller, `${at} ${columns} ${at >= from && at < to && tilePx > 0}`);
  const anchor = useRef(at);
  const goTo = (next: number, isExtended: boolean) => {
    const clamped = Math.max(0, Math.min(picture.positions - 1, next));
    moveTo(page, clamped);
    if (!isExtended) anchor.current = clamped;
    else selectPictures(page, between(anchor.current, clamped));
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const pageRows = Math.max(1, Math.floor((scroller.current?.clientHeight ?? 0) / (heightPx + GAP_PX)));
    const next = findMove(event, { at, columns, pageRows, last: picture.positions - 1 });
    if (next !== undefined) goTo(next, event.shiftKey);
    else if (event.key === 'Enter') goToPicture(page, at);
    else if (event.key === 'Escape') closeLightbox(page);
    else if (event.key === ' ') togglePicture(page, at);
    else if (event.key === '+' || event.key === '-') setColumns(page, columns + (event.key === '+' ? -1 : 1));
    else if (isControl(event, 'a')) selectPictures(page, between(0, picture.positions - 1));
    else if (isControl(event, 's')) void saveSpread(page);
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  const onClick = (event: MouseEvent, position: number) => {
    if (event.shiftKey) goTo(position, true);
    else if (event.ctrlKey || event.metaKey) togglePicture(page, position);
    else {
      goTo(position, false);
      selectPictures(page, [position]);
    }
  };
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions -- its pictures have the focus
    <section className={styles.lightbox} aria-label={`Lightbox: ${title}`} onKeyDown={onKeyDown}>
      <div className={styles.bar}>
        <ToolButton label="Back to the image" keyHint="Esc" onClick={() => closeLightbox(page)}>
          <X size={17} aria-hidden="true" />
        </ToolButton>
        <span className={styles.title}>{title}</span>
        <label>
          Columns
          <input
            type="range"
            min={FEWEST_COLUMNS}
            max={MOST_ACROSS}
            value={columns}
            onChange={({ target }) => setColumns(page, Number(target.value))}
          />
          <output>{columns}</output>
        </label>
        <output className={styles.count}>
          {selected.size > 0 ? `${selected.size} of ${picture.positions} selected` : `${picture.positions} images`}
        </output>
        <VerdictMenu isEnabled />
        <ToolButton label="Save as one picture" keyHint="Ctrl+S" onClick={() => void saveSpread(page)}>
          <ImageDown size={17} aria-hidden="true" />
        </ToolButton>
      </div>
      <div
        ref={scroller}
        className={styles.scroller}
        role="grid"
        aria-label="Images"
        aria-multiselectable="true"
        aria-rowcount={rowCount}
        aria-colcount={columns}
        tabIndex={-1}
      >
        <div className={styles.sizer} role="presentation" style={{ height: totalPx }}>
          {Array.from({ length: Math.max(0, Math.min(end, rowCount) - first) }, (_, n) => first + n).map((one) => (
            <div
              key={one}
              role="row"
              aria-rowindex={one + 1}
              className={styles.row}
              style={{ top: one * (heightPx + GAP_PX) - shiftPx, height: heightPx, gap: GAP_PX }}
            >
              {positions
                .filter((position) => Math.floor(position / columns) === one)
                .map((position) => (
                  // oxlint-disable-next-line jsx-a11y/click-events-have-key-events -- the section has the keys
                  <div
                    key={position}
                    ref={position === at ? focused : undefined}
                    role="gridcell"
                    className={styles.tile}
                    style={{ width: tilePx, height: heightPx }}
                    aria-label={nameOne(picture, position)}
                    aria-selected={selected.has(position)}
                    tabIndex={position === at ? 0 : -1}
                    onClick={(event) => onClick(event, position)}
                    onDoubleClick={() => goToPicture(page, position)}
                  >
                    {tilePx > 0 && (
                      <LightboxTile cell={cellOfPlace(placeOfPicture(position, placeCount))} position={position} />
                    )}
                    <span className={styles.number} aria-hidden="true">
                      {position + 1}
                    </span>
                  </div>
                ))}
            </div>
          ))}
        </div>
      </div>
      {/* Pictures to save are drawn here, one after the other, whether they are on the screen or not. */}
      <div className={styles.press} style={{ width: tilePx, height: heightPx }} aria-hidden="true" inert>
        {tilePx > 0 && <Press />}
      </div>
    </section>
  );
}

function Press() {
  const cell = cellOfPlace(0);
  const position = useCells(({ cells }) => cells[cell]?.position ?? 0);
  return <LightboxTile cell={cell} position={position} />;
}

function nameOne(source: PictureSource, position: number): string {
  const name = source.nameOf?.(position);
  return `Image ${position + 1} of ${source.positions}${name === undefined ? '' : `, ${name}`}`;
}

function isControl({ key, ctrlKey, metaKey }: KeyboardEvent, letter: string): boolean {
  return (ctrlKey || metaKey) && key.toLowerCase() === letter;
}

function between(a: number, b: number): number[] {
  const [from, to] = [Math.min(a, b), Math.max(a, b)];
  return Array.from({ length: to - from + 1 }, (_, n) => from + n);
}

type Bounds = { readonly at: number; readonly columns: number; readonly pageRows: number; readonly last: number };

function findMove(
  { key, ctrlKey, metaKey, altKey }: KeyboardEvent,
  { at, columns, pageRows, last }: Bounds,
): number | undefined {
  if (altKey) return undefined;
  const isFar = ctrlKey || metaKey;
  const rowStart = at - (at % columns);
  switch (key) {
    case 'ArrowLeft':
      return at - 1;
    case 'ArrowRight':
      return at + 1;
    case 'ArrowUp':
      return at - columns < 0 ? at : at - columns;
    case 'ArrowDown':
      return at + columns > last
        ? Math.max(at, Math.floor(at / columns) === Math.floor(last / columns) ? at : last)
        : at + columns;
    case 'PageUp':
      return Math.max(at % columns, at - pageRows * columns);
    case 'PageDown':
      return at + pageRows * columns;
    case 'Home':
      return isFar ? 0 : rowStart;
    case 'End':
      return isFar ? last : rowStart + columns - 1;
    default:
      return undefined;
  }
}

/** Cells that were needed at the same time so far: fewer would move pictures from one to another. */
function useMost(count: number): number {
  const [most, setMost] = useState(count);
  if (count > most) setMost(count);
  return Math.max(most, count, 1);
}

/** Keeps the focus on the tile of the keys, or on all of them while it is out of view, but not off what is beside them. */
function useFocus(scroller: { readonly current: HTMLDivElement | null }, key: string) {
  const focused = useRef<HTMLDivElement>(null);
  const hasStarted = useRef(false);
  useEffect(() => {
    const { activeElement, body } = document;
    const isHere = activeElement === body || scroller.current?.contains(activeElement) === true;
    if (isHere || !hasStarted.current) (focused.current ?? scroller.current)?.focus({ preventScroll: true });
    hasStarted.current = true;
    // oxlint-disable-next-line react/exhaustive-effect-dependencies -- the key has what moves the focus
  }, [scroller, key]);
  return focused;
}

type Mirrored = {
  readonly cell: number;
  readonly picture: PictureSource;
  readonly positions: readonly number[];
  readonly places: number;
};

/** Keeps the cells of the lightbox as that whose pictures they show: its window, colors, layers and marks. */
function useMirroredCells({ cell, picture, positions, places }: Mirrored): void {
  const page = usePage();
  const state = useCells(({ cells }) => cells[cell]);
  const shown = useShownLayers(cell, (layers) => layers);
  useLayoutEffect(
    () => showPictures(page, cell, positions, places),
    // oxlint-disable-next-line react/exhaustive-effect-dependencies -- the picture, too: a stack that grows moves its images
    [page, cell, picture, positions, places, state, shown],
  );
  useEffect(() => () => forgetPictures(page), [page]);
}

/** Tiles have the shape of the first image. */
function useTileSize(cell: number, picture: PictureSource, columns: number) {
  const page = usePage();
  const [widthPx, onWidth] = useState(0);
  const turns = useCells(({ cells }) => cells[cell]?.view.quarterTurns ?? 0);
  const size = picture.sizeOf(cellOf(page, cell).position) ?? { width: 1, height: 1, aspect: 1 };
  const tilePx = Math.max(0, Math.floor((widthPx - (columns - 1) * GAP_PX) / columns));
  const shape = (size.height * size.aspect) / size.width;
  const ratio = Math.min(2, Math.max(0.5, turns % 2 === 0 ? shape : 1 / shape));
  return { tilePx, heightPx: Math.max(1, Math.round(tilePx * ratio)), onWidth };
}

function useMeasuredWidth(scroller: { readonly current: HTMLDivElement | null }, onWidth: (px: number) => void): void {
  useLayoutEffect(() => {
    const element = scroller.current;
    if (element === null) return undefined;
    const measure = () => onWidth(element.clientWidth);
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    return () => observer.disconnect();
  }, [scroller, onWidth]);
}
