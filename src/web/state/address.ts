import type { CellWindow, GridLayout } from './cells.ts';
import { MAX_SIDE } from './cells.ts';
import { CT_PRESETS } from './presets.ts';
import type { ViewState } from './viewState.ts';

/** One image, by what it calls itself. */
export type CellAddress = {
  /** SOP Instance UID; a file without one is `#` and its index. */
  readonly instance: string;
  /** Counts from 1. */
  readonly frameNumber: number;
  readonly window: CellWindow;
  /** The part of a slide that is on screen; undefined is all of it. Other images are shown whole. */
  readonly place?: PlaceAddress | undefined;
  /** How a slide lies on screen; undefined is as it is stored. */
  readonly turn?: TurnAddress | undefined;
};

/** In pixels of the image, and device pixels per pixel of it. */
export type PlaceAddress = { readonly x: number; readonly y: number; readonly zoom: number };

export type TurnAddress = Pick<ViewState, 'quarterTurns' | 'flipHorizontal' | 'flipVertical'>;

/** What is on screen, as the part of the page's address after `#` says it. */
export type ViewAddress = {
  readonly layout: GridLayout;
  readonly activeCell: number;
  readonly cells: readonly (CellAddress | undefined)[];
  readonly tab: string | undefined;
  /** SOP Instance UIDs of the segmentations over the images. */
  readonly segmentations: readonly string[];
};

export const EMPTY_ADDRESS: ViewAddress = {
  layout: { rows: 1, columns: 1 },
  activeCell: 0,
  cells: [],
  tab: undefined,
  segmentations: [],
};

export function formatAddress({ layout, activeCell, cells, tab, segmentations }: ViewAddress): string {
  const parts: string[] = [];
  if (layout.rows * layout.columns > 1) parts.push(`layout=${layout.rows}x${layout.columns}`);
  if (activeCell > 0) parts.push(`active=${activeCell + 1}`);
  const last = cells.findLastIndex((cell) => cell !== undefined);
  for (const cell of cells.slice(0, last + 1)) parts.push(`cell=${cell === undefined ? '' : formatCell(cell)}`);
  for (const uid of segmentations) parts.push(`seg=${encodeURIComponent(uid)}`);
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
    segmentations: query.getAll('seg'),
  };
}

function formatCell({ instance, frameNumber, window, place, turn }: CellAddress): string {
  const optional = [formatWindow(window), place && formatPlace(place), turn && formatTurn(turn)];
  const last = optional.findLastIndex((part) => part !== undefined);
  const parts = [instance, String(frameNumber), ...optional.slice(0, last + 1).map((part) => part ?? '')];
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
  const [instance, frameNumber, window, place, turn] = text.split(',').map(decode);
  if (instance === undefined || instance === '') return undefined;
  const number = Number(frameNumber ?? 1);
  return {
    instance,
    frameNumber: Number.isInteger(number) && number > 0 ? number : 1,
    window: parseWindow(window ?? ''),
    place: parsePlace(place ?? ''),
    turn: parseTurn(turn ?? ''),
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

/** Degrees clockwise, and `h` and `v` for what is mirrored after it. */
function formatTurn({ quarterTurns, flipHorizontal, flipVertical }: TurnAddress): string {
  return `${quarterTurns * 90}${flipHorizontal ? 'h' : ''}${flipVertical ? 'v' : ''}`;
}

const QUARTERS = { '0': 0, '90': 1, '180': 2, '270': 3 } as const;

function parseTurn(text: string): TurnAddress | undefined {
  const [, degrees, horizontal, vertical] = /^(0|90|180|270)(h?)(v?)$/.exec(text) ?? [];
  if (degrees === undefined || text === '0') return undefined;
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the expression lets no other through
  const quarterTurns = QUARTERS[degrees as keyof typeof QUARTERS];
  return { quarterTurns, flipHorizontal: horizontal === 'h', flipVertical: vertical === 'v' };
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
    case 'stack':
    case 'slice':
      return window.kind;
    case 'preset':
    case 'custom':
      return `${window.center}w${window.width}`;
  }
}

function parseWindow(text: string): CellWindow {
  if (text === 'full' || text === 'stack' || text === 'slice') return { kind: text };
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
