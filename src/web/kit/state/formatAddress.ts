import { FLIP_AXES } from '../../../shared/flipAxes.ts';
import {
  type CellAddress,
  type ChoiceAddress,
  type CrosshairAddress,
  type LayerAddress,
  LINKS,
  type ViewAddress,
} from './address.ts';
import type { AppliedPresentation, CellWindow } from './cells.ts';
import { formatMix } from './pathMix.ts';
import type { ViewState } from './viewState.ts';

export function formatAddress(address: ViewAddress): string {
  const { layout, activeCell, cells, links, tab, layers, choices, registrations, crosshairs, cohort } = address;
  const { compareText } = address;
  const parts: string[] = [];
  if (layout.rows * layout.columns > 1) parts.push(`layout=${layout.rows}x${layout.columns}`);
  if (activeCell > 0) parts.push(`active=${activeCell + 1}`);
  const last = cells.findLastIndex((cell) => cell !== undefined);
  for (const cell of cells.slice(0, last + 1)) parts.push(`cell=${cell === undefined ? '' : formatCell(cell)}`);
  for (const [at, cell] of cells.entries()) {
    if (cell?.item !== undefined) parts.push(`item=${formatItem(cell.item, at)}`);
  }
  const linked = LINKS.filter((link) => links[link]);
  if (linked.length > 0) parts.push(`link=${linked.join('_')}`);
  for (const layer of layers) parts.push(`layer=${formatLayer(layer)}`);
  for (const choice of choices) parts.push(`lay=${formatChoice(choice)}`);
  for (const name of registrations) parts.push(`reg=${encodeURIComponent(name)}`);
  for (const crosshair of crosshairs) parts.push(`cross=${formatCrosshair(crosshair)}`);
  if (compareText !== undefined) parts.push(`compare=${compareText}`);
  if (tab !== undefined) parts.push(`tab=${encodeURIComponent(tab)}`);
  // Last, because it is the longest.
  if (cohort.cohortAt === 'behind') parts.push('behind');
  if (cohort.cohortAt !== 'closed') parts.push(`cohort=${cohort.cohortText ?? ''}`);
  return parts.join('&');
}

function formatCell(address: CellAddress): string {
  const { instance, frameNumber, window, view, invert, colorMap, mix, plane, presentation, keyObjects } = address;
  const colors = colorMap === 'gray' ? undefined : colorMap;
  const look = [formatWindow(window), formatPlace(view), formatTurn(view, invert)];
  const state = presentation && formatPresentation(presentation);
  const optional = [...look, colors, mix && formatMix(mix), plane, state, keyObjects];
  const last = optional.findLastIndex((part) => part !== undefined);
  const parts = [instance, String(frameNumber), ...optional.slice(0, last + 1).map((part) => part ?? '')];
  return parts.map(encodeURIComponent).join(',');
}

/**
 * `NAME`, or `NAME,1_3` if it is shown only over the first and third cells, and `NAME,,4` for its fourth volume. Then the
 * lowest and the highest of the measured values that are shown, and what was measured: `NAME,,,10_40,Area`. Doses that a
 * dose is combined with are behind it: `NAME;+OTHER;-THIRD`.
 */
function formatLayer({ name, cells, volume, filter, plus = [], minus = [] }: LayerAddress): string {
  const where = cells?.map((cell) => cell + 1).join('_');
  const parts = [encodeURIComponent(name)];
  if (where !== undefined || volume !== undefined || filter !== undefined) parts.push(where ?? '');
  if (volume !== undefined || filter !== undefined) parts.push(volume === undefined ? '' : String(volume + 1));
  if (filter !== undefined) parts.push(`${filter.low}_${filter.high}`, encodeURIComponent(filter.title));
  const terms = [
    ...plus.map((other) => `+${encodeURIComponent(other)}`),
    ...minus.map((other) => `-${encodeURIComponent(other)}`),
  ];
  return [parts.join(','), ...terms].join(';');
}

/** `NAME,INSTANCE,1`, then the order of the axes and the first letters of those that run the other way. */
function formatChoice({ name, instance, frameNumber, order, flips }: ChoiceAddress): string {
  const parts = [name, instance, String(frameNumber)];
  const letters = FLIP_AXES.flatMap((axis) => (flips.includes(axis) ? [axis.charAt(0)] : [])).join('');
  if (order > 0 || letters !== '') parts.push(String(order));
  if (letters !== '') parts.push(letters);
  return parts.map(encodeURIComponent).join(',');
}

/** `UID,x_y_z`, in millimetres. A thousandth is less than half a pixel of any picture of a patient. */
function formatCrosshair({ space, point }: CrosshairAddress): string {
  return `${encodeURIComponent(space)},${point.map((value) => Number(value.toFixed(3))).join('_')}`;
}

/** `PLACE`, or `PLACE,2` for the second cell. */
function formatItem(item: string, cell: number): string {
  return cell === 0 ? encodeURIComponent(item) : `${encodeURIComponent(item)},${cell + 1}`;
}

/** `all:NAME` or `marks:NAME`, with `-hidden` if the images are shown without it. */
function formatPresentation({ name, mode, isShown }: AppliedPresentation): string {
  return `${mode}${isShown ? '' : '-hidden'}:${name}`;
}

/** `x_y_zoom`, or the zoom alone: the center in image pixels, and the zoom in device pixels per image pixel. */
function formatPlace({ zoom, center }: ViewState): string | undefined {
  if (zoom === 'fit' && center === undefined) return undefined;
  const written = zoom === 'fit' ? zoom : Number(zoom.toPrecision(4));
  if (center === undefined) return String(written);
  // Below 1:1 an image pixel is smaller than a screen pixel, so whole pixels are precise enough.
  const parts = zoom !== 'fit' && zoom < 1 ? 1 : 100;
  return `${Math.round(center.x * parts) / parts}_${Math.round(center.y * parts) / parts}_${written}`;
}

/** Degrees clockwise, then `h` and `v` for mirroring, which is applied after the rotation, and `i` for inverted. */
function formatTurn({ quarterTurns, flipHorizontal, flipVertical }: ViewState, invert: boolean): string | undefined {
  const marks = `${flipHorizontal ? 'h' : ''}${flipVertical ? 'v' : ''}${invert ? 'i' : ''}`;
  return quarterTurns === 0 && marks === '' ? undefined : `${quarterTurns * 90}${marks}`;
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
