import {
  type AppliedPresentation,
  type CellLinks,
  type CellWindow,
  type GridLayout,
  MAX_SIDE,
  NO_LINKS,
} from './cells.ts';
import { FLIP_AXES, type FlipAxis } from '../../../shared/flipAxes.ts';
import type { Vector3 } from '../../../shared/geometry.ts';
import { type ColorMapName, findColorMapName } from './colorMaps.ts';
import type { PanelsState } from './panels.ts';
import { parseMix, type PathMix } from './pathMix.ts';
import type { ValueFilter } from './layers.ts';
import { CT_PRESETS } from '../../../shared/windowPresets.ts';
import { type Point, type ViewState, WHOLE_IMAGE } from './viewState.ts';

/** One image and how it is displayed. The image is identified by name, not by index. */
export type CellAddress = {
  /** The name that `nameFile` gives the file. */
  readonly instance: string;
  /** Counts from 1. */
  readonly frameNumber: number;
  readonly window: CellWindow;
  /** The visible part of the image, and its rotation and mirroring. */
  readonly view: ViewState;
  readonly invert: boolean;
  readonly colorMap: ColorMapName;
  readonly mix: readonly PathMix[] | undefined;
  /** The presentation state that is applied. */
  readonly presentation: AppliedPresentation | undefined;
  /** The key object selection whose images are the only ones that the user scrolls through. */
  readonly keyObjects: string | undefined;
  /** Which planes of the volume of the image are shown. The frame number then counts these planes. */
  readonly plane: string | undefined;
  /** The place in a document. */
  readonly item: string | undefined;
};

/** A layer that is shown over images. */
export type LayerAddress = {
  /** The name that `nameFile` gives the file. */
  readonly name: string;
  /** Undefined: all cells that it can lie over. */
  readonly cells: readonly number[] | undefined;
  /** The one that the user has chosen of several volumes, from 0. */
  readonly volume?: number | undefined;
  /** What the user has restricted it to. */
  readonly filter?: ValueFilter | undefined;
  /** Of a dose: those that it is combined with, by name. */
  readonly plus?: readonly string[] | undefined;
  readonly minus?: readonly string[] | undefined;
};

/** What the user has decided about model output that fits several images, or in several ways. */
export type ChoiceAddress = {
  /** The name that `nameFile` gives the attachment. */
  readonly name: string;
  /** An image of the stack that it lies over. */
  readonly instance: string;
  /** Counts from 1. */
  readonly frameNumber: number;
  /** Of the orders of its axes in which it fits there. */
  readonly order: number;
  readonly flips: readonly FlipAxis[];
};

/** The crosshair in one frame of reference. */
export type CrosshairAddress = { readonly space: string; readonly point: Vector3 };

/** The state of the screen, as encoded in the URL fragment (the part after `#`). */
export type ViewAddress = {
  readonly layout: GridLayout;
  readonly activeCell: number;
  readonly cells: readonly (CellAddress | undefined)[];
  readonly links: CellLinks;
  readonly tab: string | undefined;
  readonly layers: readonly LayerAddress[];
  readonly choices: readonly ChoiceAddress[];
  /** Names of the registrations that decide where several lead to different places. */
  readonly registrations: readonly string[];
  readonly crosshairs: readonly CrosshairAddress[];
  readonly cohort: Partial<Pick<PanelsState, 'cohortAt' | 'cohortText'>>;
  readonly compareText: string | undefined;
};

export const EMPTY_ADDRESS: ViewAddress = {
  layout: { rows: 1, columns: 1 },
  activeCell: 0,
  cells: [],
  links: NO_LINKS,
  tab: undefined,
  layers: [],
  choices: [],
  registrations: [],
  crosshairs: [],
  cohort: { cohortAt: 'closed' },
  compareText: undefined,
};

export function parseAddress(text: string): ViewAddress {
  const query = new URLSearchParams(text);
  const layout = parseLayout(query.get('layout') ?? '');
  const count = layout.rows * layout.columns;
  const active = Number(query.get('active') ?? 1) - 1;
  const items = new Map(textsOf(text, 'item').map(parseItem));
  const [cohortText] = textsOf(text, 'cohort');
  return {
    layout,
    activeCell: Number.isInteger(active) && active >= 0 && active < count ? active : 0,
    cells: textsOf(text, 'cell')
      .slice(0, count)
      .map((one, cell) => parseCell(one, items.get(cell))),
    links: parseLinks(query.get('link') ?? ''),
    tab: query.get('tab') ?? undefined,
    layers: textsOf(text, 'layer').flatMap((one) => parseLayer(one, count)),
    choices: textsOf(text, 'lay').flatMap(parseChoice),
    registrations: textsOf(text, 'reg').flatMap((one) => (one === '' ? [] : [decode(one)])),
    crosshairs: textsOf(text, 'cross').flatMap(parseCrosshair),
    cohort:
      cohortText === undefined
        ? EMPTY_ADDRESS.cohort
        : { cohortAt: query.has('behind') ? 'behind' : 'front', cohortText },
    compareText: textsOf(text, 'compare')[0],
  };
}

export const LINKS = ['scroll', 'window', 'zoom', 'layers'] as const satisfies (keyof CellLinks)[];

function parseLinks(text: string): CellLinks {
  const named = new Set(text.split('_'));
  return {
    scroll: named.has('scroll'),
    window: named.has('window'),
    zoom: named.has('zoom'),
    layers: named.has('layers'),
  };
}

type RawName = 'cell' | 'item' | 'layer' | 'lay' | 'reg' | 'cross' | 'cohort' | 'compare';

/**
 * Returns the values undecoded, because the commas between the parts must not be confused with encoded commas inside a
 * part.
 */
function textsOf(text: string, name: RawName): string[] {
  return text.split('&').flatMap((part) => (part.startsWith(`${name}=`) ? [part.slice(name.length + 1)] : []));
}

function parseLayer(text: string, count: number): LayerAddress[] {
  const [written, ...terms] = text.split(';');
  const [name = '', where = '', number = '', range = '', title = ''] = (written ?? '').split(',').map(decode);
  if (name === '') return [];
  const named = (sign: string) =>
    terms.flatMap((term) => (term.startsWith(sign) && term.length > 1 ? [decode(term.slice(1))] : []));
  const [plus, minus] = [named('+'), named('-')];
  const volume = /^[1-9]\d{0,5}$/.test(number) ? { volume: Number(number) - 1 } : {};
  const filter = parseFilter(range, title);
  const doses = { ...(plus.length > 0 && { plus }), ...(minus.length > 0 && { minus }) };
  const chosen = { ...volume, ...(filter !== undefined && { filter }), ...doses };
  if (where === '') return [{ name, cells: undefined, ...chosen }];
  const cells = where.split('_').map((cell) => Number(cell) - 1);
  return [{ name, cells: cells.filter((cell) => Number.isInteger(cell) && cell >= 0 && cell < count), ...chosen }];
}

function parseFilter(range: string, title: string): ValueFilter | undefined {
  const [low = NaN, high = NaN] = range.split('_').map((part) => (part === '' ? NaN : Number(part)));
  return title !== '' && Number.isFinite(low) && Number.isFinite(high) ? { title, low, high } : undefined;
}

function parseChoice(text: string): ChoiceAddress[] {
  const [name = '', instance = '', frame = '1', order = '0', letters = ''] = text.split(',').map(decode);
  const [frameNumber, orderNumber] = [Number(frame), Number(order)];
  const areNumbers = Number.isInteger(frameNumber) && frameNumber > 0 && Number.isInteger(orderNumber);
  if (name === '' || instance === '' || !areNumbers || orderNumber < 0) return [];
  const flips = FLIP_AXES.filter((axis) => letters.includes(axis.charAt(0)));
  return [{ name, instance, frameNumber, order: orderNumber, flips }];
}

function parseCrosshair(text: string): CrosshairAddress[] {
  const [space = '', coordinates = ''] = text.split(',').map(decode);
  const [x = NaN, y = NaN, z = NaN] = coordinates.split('_').map((part) => (part === '' ? NaN : Number(part)));
  return space !== '' && [x, y, z].every(Number.isFinite) ? [{ space, point: [x, y, z] }] : [];
}

function parseItem(text: string): readonly [cell: number, item: string] {
  const [item = '', cell = '1'] = text.split(',').map(decode);
  return [Number(cell) - 1, item];
}

function parseCell(text: string, item: string | undefined): CellAddress | undefined {
  const [instance, frameNumber, window, place, turn, colors, mix, plane, state, keyObjects] = text
    .split(',')
    .map(decode);
  if (instance === undefined || instance === '') return undefined;
  const number = Number(frameNumber ?? 1);
  return {
    instance,
    frameNumber: Number.isInteger(number) && number > 0 ? number : 1,
    window: parseWindow(window ?? ''),
    view: { ...WHOLE_IMAGE, ...parsePlace(place ?? ''), ...parseTurn(turn ?? '') },
    invert: (turn ?? '').endsWith('i') && TURN.test(turn ?? ''),
    colorMap: findColorMapName(colors ?? '') ?? 'gray',
    mix: parseMix(mix ?? ''),
    plane: plane === undefined || plane === '' ? undefined : plane,
    presentation: parsePresentation(state ?? ''),
    keyObjects: keyObjects === undefined || keyObjects === '' ? undefined : keyObjects,
    item: item === '' ? undefined : item,
  };
}

function parsePresentation(text: string): AppliedPresentation | undefined {
  const [, mode, hidden, name] = /^(all|marks)(-hidden)?:(.+)$/s.exec(text) ?? [];
  if (mode === undefined || name === undefined) return undefined;
  return { name, mode: mode === 'all' ? 'all' : 'marks', isShown: hidden === undefined, otherwise: undefined };
}

function parsePlace(text: string): Partial<Pick<ViewState, 'zoom' | 'center'>> {
  const parts = text.split('_');
  const zoom = parts.at(-1) === 'fit' ? 'fit' : Number(parts.at(-1));
  if (text === '' || (zoom !== 'fit' && !(zoom > 0 && zoom < Infinity))) return {};
  if (parts.length === 1) return { zoom };
  const center = parsePoint(parts);
  return center === undefined ? {} : { zoom, center };
}

function parsePoint([x = '', y = '', ...others]: readonly string[]): Point | undefined {
  if (x === '' || y === '' || others.length !== 1) return undefined;
  const point = { x: Number(x), y: Number(y) };
  return Number.isFinite(point.x) && Number.isFinite(point.y) ? point : undefined;
}

const QUARTERS = { '0': 0, '90': 1, '180': 2, '270': 3 } as const;
const TURN = /^(0|90|180|270)(h?)(v?)i?$/;

function parseTurn(text: string): Partial<ViewState> {
  const [, degrees, horizontal, vertical] = TURN.exec(text) ?? [];
  if (degrees === undefined) return {};
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the regular expression matches no other value
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
