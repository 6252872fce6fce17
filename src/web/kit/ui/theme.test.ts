import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const css = readFileSync(new URL('theme.css', import.meta.url), 'utf8');
const colors = new Map(
  Array.from(css.matchAll(/--([\w-]+): light-dark\((#\w{6}), (#\w{6})\)/g), ([, name = '', light = '', dark = '']) => [
    name,
    [light, dark] as const,
  ]),
);

/** WCAG 2.2, relative luminance. */
function luminance(hex: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const part = parseInt(hex.slice(at, at + 2), 16) / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function listFaint(names: readonly string[], surfaces: readonly string[], least: number): string[] {
  return names.flatMap((name) =>
    surfaces.flatMap((surface) =>
      ['light', 'dark'].flatMap((theme, at) => {
        const [low = 0, high = 0] = [name, surface]
          .map((one) => luminance(colors.get(one)![at]!))
          .toSorted((a, b) => a - b);
        const ratio = (high + 0.05) / (low + 0.05);
        return ratio >= least ? [] : [`${name} on ${surface}, ${theme}: ${ratio.toFixed(2)}`];
      }),
    ),
  );
}

const SURFACES = ['background', 'surface', 'surface-raised', 'hover', 'selected'];

test('every text of the theme is legible on every surface, in both themes (1.4.3)', () => {
  expect(listFaint(['text', 'text-quiet', 'accent', 'warning', 'danger'], SURFACES, 4.5)).toEqual([]);
  expect(listFaint(['on-accent'], ['accent'], 4.5)).toEqual([]);
  expect(listFaint(['text', 'warning'], ['warning-surface'], 4.5)).toEqual([]);
  expect(listFaint(['text', 'danger'], ['danger-surface'], 4.5)).toEqual([]);
});

test('frames of controls can be seen on every surface, in both themes (1.4.11)', () => {
  expect(listFaint(['line-strong', 'accent'], SURFACES, 3)).toEqual([]);
});
