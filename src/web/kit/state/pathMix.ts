import type { Rgb } from '../../../shared/cielab.ts';

/** How one optical path of a slide is blended with others: its gray levels in one color. */
export type PathMix = {
  /** Its name in the slide. */
  readonly path: string;
  readonly color: Rgb;
  readonly isVisible: boolean;
  /** The values shown as black and as full color; undefined for a range that fits its tiles. */
  readonly range: { readonly low: number; readonly high: number } | undefined;
};

/** For each path: its name, its color (prefixed with `!` if hidden) and its range, as in `1~ff0000~0~255_2~!00ff00`. */
export function formatMix(mix: readonly PathMix[]): string {
  return mix
    .map(({ path, color, isVisible, range }) =>
      [
        encodeName(path),
        `${isVisible ? '' : '!'}${toHex(color).slice(1)}`,
        ...(range === undefined ? [] : [range.low, range.high]),
      ].join('~'),
    )
    .join('_');
}

/** Undefined if no part of the text is valid. */
export function parseMix(text: string): readonly PathMix[] | undefined {
  const mix = text.split('_').flatMap((one): PathMix[] => {
    const [name = '', color = '', low = '', high = ''] = one.split('~');
    const [, hidden, hex] = /^(!?)([\da-f]{6})$/.exec(color) ?? [];
    const path = decodeName(name);
    if (path === undefined || hex === undefined) return [];
    const range = { low: Number(low), high: Number(high) };
    const isRange = low !== '' && high !== '' && range.low < range.high;
    return [{ path, color: fromHex(`#${hex}`), isVisible: hidden === '', range: isRange ? range : undefined }];
  });
  return mix.length === 0 ? undefined : mix;
}

export function toHex([red, green, blue]: Rgb): string {
  return `#${[red, green, blue].map((value) => value.toString(16).padStart(2, '0')).join('')}`;
}

export function fromHex(text: string): Rgb {
  const value = Number.parseInt(text.slice(1), 16);
  return [(value >> 16) & 255, (value >> 8) & 255, value & 255];
}

/** Also escapes the characters that separate the parts. */
function encodeName(name: string): string {
  return encodeURIComponent(name).replaceAll('_', '%5F').replaceAll('~', '%7E');
}

function decodeName(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}
