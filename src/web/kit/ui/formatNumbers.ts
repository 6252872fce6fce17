/** Only meaningful digits: integers unchanged, fractions rounded to about four digits in all. */
export function formatValue(value: number): string {
  if (Number.isInteger(value)) return String(value);
  if (!Number.isFinite(value)) return Number.isNaN(value) ? 'no number' : value > 0 ? '∞' : '-∞';
  const size = Math.abs(value);
  if (size >= 1e6 || size < 1e-3) return value.toExponential(3);
  return String(Number(value.toFixed(size >= 100 ? 1 : size >= 1 ? 2 : 4)));
}

/** Formats a TM such as 134501.2 with colons and without fractions of a second. */
export function formatTime(time: string | undefined): string {
  const [, hours, minutes, seconds] = /^(\d\d)(\d\d)(\d\d)?/.exec(time ?? '') ?? [];
  return [hours, minutes, seconds].filter((part) => part !== undefined).join(':');
}
