/** The volume of a part of any layer, in the unit that marks have. */
export function formatVolume(mm3: number): string {
  const [value, unit] = mm3 < 1000 ? [mm3, 'mm³'] : [mm3 / 1000, 'ml'];
  return `${value.toLocaleString('en', { maximumSignificantDigits: 4 })} ${unit}`;
}
