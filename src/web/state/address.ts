import type { CellWindow, GridLayout } from './cells.ts';
import { MAX_SIDE } from './cells.ts';
import { CT_PRESETS } from './presets.ts';

/** One image, by what it calls itself. */
export type CellAddress = {
  /** SOP Instance UID; a file without one is `#` and its index. */
  readonly instance: string;
  /** Counts from 1. */
  readonly frameNumber: number;
  readonly window: CellWindow;
  /** The part of a slide that is on screen; undefined is all of it. Other images are shown whole. */
  readonly place?: PlaceAddress | undefined;
};

/** In pixels of the image, and device pixels per pixel of it. */
export type PlaceAddress = { readonly x: number; readonly y: number; readonly zoom: number };

/** What is on screen, as the part of the page's address after `#` says it. */
export type ViewAddress = {
  readonly layout: GridLayout;
  readonly activeCell: number;
  readonly cells: readonly (CellAddress | undefined)[];
  readonly tab: string | undefined;
};

export const EMPTY_ADDRESS: ViewAddress = {
  layout: { rows: 1, columns: 1 },
  activeCell: 0,
  cells: [],
  tab: undefined,
};

export function formatAddress({ layout, activeCell, cells, tab }: ViewAddress): string {
  const parts: string[] = [];
  if (layout.rows * layout.columns > 1) parts.push(`layout=${layout.rows}x${layout.columns}`);
  if (activeCell > 0) parts.push(`active=${activeCell + 1}`);
  const last = cells.findLastIndex((cell) => cell !== undefined);
  for (const cell of cells.slice(0, last + 1)) parts.push(`cell=${cell === undefined ? '' : formatCell(cell)}`);
  if (tab !== undefined) parts.push(`tab=${encodeURIComponent(tab)}`);
  return parts.join('&');
}

export function parseAddress(text: string): ViewAddress {
  const query = new URLSearchParams(text);
  const layout = parseLayout(query.get('layout') ?? '');
  const count = layout.rows * layout.columns;
  const active = Number(query.get('active') ?? 1) - 1;
  return {
    layout,
    activeCell: Number.isInteger(active) && active >= 0 && active < count ? active : 0,
    cells: cellTexts(text).slice(0, count).map(parseCell),
    tab: query.get('tab') ?? undefined,
  };
}

function formatCell({ instance, frameNumber, window, place }: CellAddress): string {
  const shown = formatWindow(window);
  const parts = [instance, String(frameNumber)];
  if (shown !== undefined || place !== undefined) parts.push(shown ?? '');
  if (place !== undefined) parts.push(formatPlace(place));
  return parts.map(encodeURIComponent).join(',');
}

/** As they stand in the address: the commas between the parts must not mix with those inside. */
function cellTexts(text: string): string[] {
  return text
    .split('&')
    .filter((part) => part.startsWith('cell='))
    .map((part) => part.slice('cell='.length));
}

function parseCell(text: string): CellAddress | undefined {
  const [instance, frameNumber, window, place] = text.split(',').map(decode);
  if (instance === undefined || instance === '') return undefined;
  const number = Number(frameNumber ?? 1);
  return {
    instance,
    frameNumber: Number.isInteger(number) && number > 0 ? number : 1,
    window: parseWindow(window ?? ''),
    place: parsePlace(place ?? ''),
  };
}

function formatPlace({ x, y, zoom }: PlaceAddress): string {
  return `${Math.round(x)}_${Math.round(y)}_${Number(zoom.toPrecision(4))}`;
}

function parsePlace(text: string): PlaceAddress | undefined {
  const [x, y, zoom] = text.split('_').map(Number);
  if (text === '' || x === undefined || y === undefined || zoom === undefined) return undefined;
  return Number.isFinite(x) && Number.isFinite(y) && zoom > 0 && zoom < Infinity ? { x, y, zoom } : undefined;
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function formatWindow(window: CellWindow): string | undefined {
  switch (window.kind) {
    case 'file':
      return window.index === 0 ? undefined : `file${window.index + 1}`;
    case 'full':
      return 'full';
    case 'preset':
    case 'custom':
      return `${window.center}w${window.width}`;
  }
}

function parseWindow(text: string): CellWindow {
  if (text === 'full') return { kind: 'full' };
  const file = /^file(\d{1,3})$/.exec(text);
  if (file !== null) return { kind: 'file', index: Math.max(0, Number(file[1]) - 1) };
  const [center, width] = text.split('w').map(Number);
  if (text === '' || center === undefined || width === undefined || !Number.isFinite(center) || !(width > 0)) {
    return { kind: 'file', index: 0 };
  }
  const preset = CT_PRESETS.find((one) => one.center === center && one.width === width);
  return preset === undefined
    ? { kind: 'custom', center, width }
    : { kind: 'preset', name: preset.name, center, width };
}

function parseLayout(text: string): GridLayout {
  const [rows, columns] = text.split('x').map(Number);
  return isSide(rows) && isSide(columns) ? { rows, columns } : EMPTY_ADDRESS.layout;
}

function isSide(side: number | undefined): side is number {
  return side !== undefined && Number.isInteger(side) && side >= 1 && side <= MAX_SIDE;
}
