/** A point of a dose-volume histogram that is asked for: the dose of a volume, or the volume of a dose. */
export type DvhWish =
  | { readonly of: 'dose'; readonly volume: number; readonly unit: 'percent' | 'cm3' }
  | { readonly of: 'volume'; readonly gy: number };

/** The volume that gets at least the dose; a dose of NaN if the part is smaller than the volume. */
export type DvhPoint = { readonly gy: number; readonly mm3: number };

export const MOST_DVH_WISHES = 32;

/** Of a name: a share or volume after D, a dose after V. */
export const DVH_WISH =
  '^(?:[Dd](?:(?:\\d{1,2}(?:\\.\\d{1,4})?|100)%?|\\d{1,5}(?:\\.\\d{1,4})?(?:cc|cm3))|[Vv]\\d{1,5}(?:\\.\\d{1,4})?(?:[Gg]y)?)$';

/** Reads a name such as `D95`, `D90%`, `D0.5cc` and `V20Gy`; undefined if it is none. */
export function parseDvhWish(name: string): DvhWish | undefined {
  if (!new RegExp(DVH_WISH).test(name)) return undefined;
  const number = Number.parseFloat(name.slice(1));
  if (/^v/i.test(name)) return { of: 'volume', gy: number };
  return { of: 'dose', volume: number, unit: /c/.test(name) ? 'cm3' : 'percent' };
}

/** The usual name of a point: `D95`, `D0.5cc`, `V20Gy`. */
export function nameDvhWish(wish: DvhWish): string {
  if (wish.of === 'volume') return `V${wish.gy}Gy`;
  return `D${wish.volume}${wish.unit === 'cm3' ? 'cc' : ''}`;
}
