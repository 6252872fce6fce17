/* oxlint-disable jsx-a11y/prefer-tag-over-role -- a table would lay out its rows itself; these are placed row by row */
import { type CSSProperties, type KeyboardEvent, type MouseEvent, useEffect, useLayoutEffect, useRef } from 'react';
import { useStore } from 'zustand';
import { PanelMessage } from '../../kit/ui/PanelMessage.tsx';
import { describeNoRows, isSelected } from '../cohort/cohortQuery.ts';
import { toggleGroup } from '../cohort/closedGroups.ts';
import { nameGroup } from '../cohort/formatCell.ts';
import { openRow } from '../cohort/openRow.ts';
import { selectAllRows } from '../cohort/query.ts';
import { tableHeadOf } from '../cohort/tableRows.ts';
import { selectByPointer, selectRange, toggleLine } from '../cohort/selectLines.ts';
import { GalleryBar } from './GalleryBar.tsx';
import styles from './Gallery.module.css';
import { galleryPicturesOf } from './galleryPictures.ts';
import { GalleryTile } from './GalleryTile.tsx';
import { moveInGallery } from './moveInGallery.ts';
import { listWishes } from './tileWishes.ts';
import { GAP_PX, type GalleryGrid, useGalleryGrid } from './useGalleryGrid.ts';

/** The rows of the query as pictures. */
export function Gallery() {
  const grid = useGalleryGrid();
  const { rows, scroller } = grid;
  const { total, isLoading, conditionError, otherError } = useStore(tableHeadOf(grid.page));
  const isEmpty = total === 0 && !isLoading && conditionError === undefined && otherError === undefined;
  usePicturesInView(grid);
  return (
    <div className={styles.gallery}>
      <GalleryBar />
      {otherError !== undefined && <PanelMessage tone="danger">{otherError}</PanelMessage>}
      {isEmpty && <PanelMessage>{describeNoRows(grid.query)}</PanelMessage>}
      {/* oxlint-disable-next-line jsx-a11y/click-events-have-key-events */}
      <div
        ref={scroller}
        className={styles.scroller}
        role="grid"
        aria-label="Gallery"
        aria-rowcount={grid.layout.rows}
        aria-colcount={grid.layout.perRow}
        aria-multiselectable="true"
        aria-busy={rows.isLoading}
        // The tiles have the focus.
        tabIndex={-1}
        onKeyDown={(event) => {
          if (!event.defaultPrevented && actByKey(grid, event)) event.preventDefault();
        }}
        onClick={(event) => choose(grid, event)}
        onDoubleClick={(event) => openAt(grid, event)}
      >
        <div className={styles.sizer} role="presentation" style={{ height: grid.heightPx }}>
          {grid.visible.map((row) => (
            <Row key={row} grid={grid} row={row} />
          ))}
        </div>
      </div>
    </div>
  );
}

function Row({ grid, row: number }: { readonly grid: GalleryGrid; readonly row: number }) {
  const { layout, rows, query, scene, line: focused, shiftPx } = grid;
  const row = layout.rowAt(number);
  const top = (layout.tops[number] ?? 0) - shiftPx;
  if (row.kind === 'group') {
    const group = rows.groups?.[row.group];
    return (
      <div className={styles.heading} role="row" aria-rowindex={number + 1} style={{ top }}>
        <div role="gridcell" data-line={row.line} aria-expanded={row.isOpen} tabIndex={focused === row.line ? 0 : -1}>
          {`${rows.query.group}: ${nameGroup(group)}`} <span>{group?.count}</span>
        </div>
      </div>
    );
  }
  return (
    <div className={styles.row} role="row" aria-rowindex={number + 1} style={tileStyle(top, grid.tilePx)}>
      {Array.from({ length: row.count }, (_, n) => {
        const line = row.line + n;
        const found = grid.rowOf(line);
        return (
          <GalleryTile
            key={line}
            line={line}
            row={found}
            names={rows.query.columns}
            scene={scene}
            isSelected={found !== undefined && isSelected(query.selected, found.id)}
            isFocused={focused === line}
          />
        );
      })}
    </div>
  );
}

type Variables = CSSProperties & Readonly<Record<`--${string}`, string>>;

function tileStyle(top: number, tilePx: number): Variables {
  return { top, gap: GAP_PX, '--tile': `${tilePx}px` };
}

/** After a scroll, pictures are requested when it pauses: those that pass are not looked at. */
const REST_MS = 80;
const OWNER = 'gallery';

/** Wants the pictures that are on the screen, from top to bottom, and then those of the rows around. */
function usePicturesInView({ page, visible, seen, layout, rowOf, scene }: GalleryGrid): void {
  const loader = galleryPicturesOf(page);
  const wishesOf = (row: number) => {
    const found = layout.rowAt(row);
    if (found.kind === 'group') return [];
    return Array.from({ length: found.count }, (_, n) => rowOf(found.line + n)).flatMap((one) =>
      one === undefined ? [] : listWishes(page, one, scene),
    );
  };
  const isSeen = (row: number) => row >= seen.first && row < seen.end;
  const wanted = {
    now: visible.filter(isSeen).flatMap(wishesOf),
    soon: visible.filter((row) => !isSeen(row)).flatMap(wishesOf),
  };
  const latest = useRef(wanted);
  useLayoutEffect(() => {
    latest.current = wanted;
  });
  const key = JSON.stringify(wanted);
  useEffect(() => {
    const timer = setTimeout(() => loader.want(OWNER, latest.current), REST_MS);
    return () => clearTimeout(timer);
    // oxlint-disable-next-line react/exhaustive-effect-dependencies -- other pictures are wanted
  }, [loader, key]);
  useEffect(() => () => loader.want(OWNER, { now: [], soon: [] }), [loader]);
}

function lineOf({ target }: MouseEvent): number | undefined {
  const cell = target instanceof Element ? target.closest<HTMLElement>('[data-line]') : null;
  return cell === null ? undefined : Number(cell.dataset['line']);
}

function choose(grid: GalleryGrid, event: MouseEvent): void {
  const line = lineOf(event);
  if (line === undefined) return;
  grid.goTo(line);
  const found = grid.lines.lineAt(line);
  const row = grid.rowOf(line);
  if (found.kind === 'group') toggle(grid, found.group);
  else if (row !== undefined) void selectByPointer(grid, row, line, event);
}

function toggle({ page, rows }: GalleryGrid, group: number): void {
  const found = rows.groups?.[group];
  if (found !== undefined) toggleGroup(page, rows.query.group, found);
}

function openAt(grid: GalleryGrid, event: MouseEvent): void {
  const row = grid.rowOf(lineOf(event) ?? -1);
  if (row === undefined || event.ctrlKey || event.metaKey || event.shiftKey) return;
  void openRow(grid.page, grid.rows.query.level, row);
}

function actByKey(grid: GalleryGrid, event: KeyboardEvent): boolean {
  const { page, lines, line, layout } = grid;
  const { key, shiftKey } = event;
  const isControl = event.ctrlKey || event.metaKey;
  if (lines.count === 0 || event.altKey) return false;
  const found = lines.lineAt(line);
  const row = grid.rowOf(line);
  if (key === 'Enter' || key === ' ') {
    if (found.kind === 'group') toggle(grid, found.group);
    else if (row !== undefined && key === 'Enter') void openRow(page, grid.rows.query.level, row);
    else if (row !== undefined) toggleLine(grid, row, line);
    return true;
  }
  if (key.toLowerCase() === 'a' && isControl) {
    selectAllRows(page);
    return true;
  }
  const next = moveInGallery(line, event, layout, { lines: lines.count, pageRows: grid.pageRows() });
  if (next === undefined) return false;
  grid.goTo(next);
  if (shiftKey && next !== line) void selectRange(grid, grid.anchor.current, next);
  else Object.assign(grid.anchor, { current: next });
  return true;
}
