/** Formats `20240131` as `2024-01-31`; other texts are unchanged. */
export function formatDate(date: string): string {
  return date.replace(/^(\d{4})(\d{2})(\d{2})$/, '$1-$2-$3');
}

/** Formats `Doe^Jane^M` as `Doe, Jane M`. Uses the first component group that is not empty. PS3.5 6.2.1.2. */
export function formatPersonName(name: string): string {
  const written = name.split('=').find((group) => /[^\s^]/.test(group)) ?? '';
  const [family = '', ...others] = written.split('^').map((part) => part.trim());
  const given = others.filter((part) => part !== '').join(' ');
  return [family, given].filter((part) => part !== '').join(', ');
}

/** Formats `134501.25` as `13:45:01`, and `1345` as `13:45`; other texts are unchanged. */
export function formatTimeOfDay(time: string): string {
  const [, hours, minutes, seconds] = /^(\d{2})(\d{2})(?:(\d{2})(?:\.\d{1,6})?)?$/.exec(time.trim()) ?? [];
  if (hours === undefined) return time;
  return [hours, minutes, seconds].filter((part) => part !== undefined).join(':');
}

/** Formats `20240131134501.5+0100` as `2024-01-31 13:45:01 +01:00`; other texts are unchanged. */
export function formatDateTime(value: string): string {
  const [, date, time = '', zone] = /^(\d{8})(\d{4,6}(?:\.\d{1,6})?)?([+-]\d{4})?$/.exec(value.trim()) ?? [];
  if (date === undefined) return value;
  const offset = zone === undefined ? '' : `${zone.slice(0, 3)}:${zone.slice(3)}`;
  return [formatDate(date), formatTimeOfDay(time), offset].filter((part) => part !== '').join(' ');
}
