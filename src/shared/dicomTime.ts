/** A time of day as DICOM writes it, with the date if it is known. */
export type Moment = {
  /** Days since 1970-01-01. */
  readonly day: number | undefined;
  /** Since midnight. */
  readonly seconds: number;
};

export const SECONDS_A_DAY = 86_400;

/** Parses DA and TM; undefined if the time cannot be read. PS3.5 6.2. */
export function parseMoment(date: string | undefined, time: string | undefined): Moment | undefined {
  // ACR-NEMA writes colons.
  const [, hours, minutes = '0', seconds = '0'] = /^(\d\d):?(\d\d)?:?(\d\d(?:\.\d*)?)?\s*$/.exec(time ?? '') ?? [];
  if (hours === undefined) return undefined;
  return { day: parseDay(date), seconds: Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds) };
}

/** Parses DT as the time of its own clock: without its offset from UTC, which `parseUtcOffset` gives. */
export function parseDateTime(text: string | undefined): Moment | undefined {
  const [, date, time] = /^(\d{8})(\d{2,6}(?:\.\d*)?)(?:[+-]\d{4})?\s*$/.exec(text ?? '') ?? [];
  return parseMoment(date, time);
}

/** The offset from UTC at the end of DT, or of Timezone Offset From UTC (0008,0201), in seconds. PS3.5 6.2. */
export function parseUtcOffset(text: string | undefined): number | undefined {
  const [, sign, hours, minutes] = /([+-])(\d\d)(\d\d)\s*$/.exec(text ?? '') ?? [];
  if (hours === undefined || minutes === undefined) return undefined;
  return (sign === '-' ? -1 : 1) * (Number(hours) * 3600 + Number(minutes) * 60);
}

/** Seconds from one moment to another. If a date is unknown, `to` is taken to be less than 24 hours after `from`. */
export function secondsBetween(from: Moment, to: Moment): number {
  if (from.day === undefined || to.day === undefined) {
    return (to.seconds - from.seconds + SECONDS_A_DAY) % SECONDS_A_DAY;
  }
  return (to.day - from.day) * SECONDS_A_DAY + to.seconds - from.seconds;
}

function parseDay(date: string | undefined): number | undefined {
  const [, year, month, day] = /^(\d{4})[.]?(\d\d)[.]?(\d\d)\s*$/.exec(date ?? '') ?? [];
  if (year === undefined || month === undefined || day === undefined) return undefined;
  return Date.UTC(Number(year), Number(month) - 1, Number(day)) / 1000 / SECONDS_A_DAY;
}
