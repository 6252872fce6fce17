import type { WindowChoice } from '../../../../shared/chooseVoi.ts';
import type { Rgb } from '../../../../shared/cielab.ts';
import type { PathMix } from '../../../kit/state/pathMix.ts';
import type { OpticalPath } from './levelTiles.ts';

/** A path of the mix with its display name. */
export type MixedPath = PathMix & { readonly label: string };

const BLUE: Rgb = [60, 90, 255];
const GREEN: Rgb = [0, 255, 0];
const RED: Rgb = [255, 40, 40];
const MAGENTA: Rgb = [255, 0, 255];
const CYAN: Rgb = [0, 255, 255];
const YELLOW: Rgb = [255, 255, 0];
const PALETTE = [BLUE, GREEN, RED, MAGENTA, CYAN, YELLOW, [255, 255, 255]] as const;

/** Dyes by their common names. */
const DYES: readonly (readonly [name: RegExp, color: Rgb])[] = [
  [/dapi|hoechst|blue/i, BLUE],
  [/fitc|gfp|alexa ?488|cy2\b|green/i, GREEN],
  [/tritc|cy3|rfp|rhodamine|texas|alexa ?5[4-9]\d|mitotracker|red/i, RED],
  [/cy5|alexa ?6\d\d|far.?red/i, MAGENTA],
];

/**
 * Assigns a color to each path, by its dye, by its wavelength, or the next free one. Colors differ while there are
 * enough.
 */
export function startMix(paths: readonly OpticalPath[]): readonly MixedPath[] {
  const taken = new Set<Rgb>();
  return paths.map((path) => {
    const wanted = colorOfDye(path) ?? colorOfLight(path.wavelengthNm);
    const free = PALETTE.find((one) => !taken.has(one)) ?? PALETTE[0];
    const color = wanted === undefined || taken.has(wanted) ? free : wanted;
    taken.add(color);
    return { path: path.key, label: path.label, color, isVisible: true, range: undefined };
  });
}

function colorOfDye({ label }: OpticalPath): Rgb | undefined {
  return DYES.find(([name]) => name.test(label))?.[1];
}

/** The file gives the wavelength of the illumination; the emission of a dye is some 40 nm longer. */
function colorOfLight(wavelengthNm: number | undefined): Rgb | undefined {
  if (wavelengthNm === undefined) return undefined;
  const sent = wavelengthNm + 40;
  if (sent < 490) return BLUE;
  if (sent < 570) return GREEN;
  return sent < 660 ? RED : MAGENTA;
}

/** The window that ranges over these values. */
export function toWindow({ low, high }: { readonly low: number; readonly high: number }): WindowChoice {
  return { kind: 'explicit', center: (low + high + 1) / 2, width: Math.max(1, high - low + 1) };
}

export function toRange(window: WindowChoice | undefined): { readonly low: number; readonly high: number } | undefined {
  if (window?.kind !== 'explicit') return undefined;
  return { low: window.center - window.width / 2, high: window.center + window.width / 2 - 1 };
}

/** Adds the path names to a mix from an address or a cell. Paths that it does not contain are hidden. */
export function nameMix(mix: readonly PathMix[], paths: readonly OpticalPath[]): readonly MixedPath[] {
  return startMix(paths).map((start) => {
    const own = mix.find(({ path }) => path === start.path);
    return own === undefined ? { ...start, isVisible: false } : { ...own, label: start.label };
  });
}
