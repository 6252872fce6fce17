/** A moment as DICOM writes it: a clock time, and the day where it is known. */
export type Moment = {
  /** Days since 1970-01-01. */
  readonly day: number | undefined;
  /** Since midnight. */
  readonly seconds: number;
};

export const SECONDS_A_DAY = 86_400;

/** DA and TM; undefined without a readable time. PS3.5 6.2. */
export function parseMoment(date: string | undefined, time: string | undefined): Moment | undefined {
  // The colons are those of ACR-NEMA.
  const [, hours, minutes = '0', seconds = '0'] = /^(\d\d):?(\d\d)?:?(\d\d(?:\.\d*)?)?\s*$/.exec(time ?? '') ?? [];
  if (hours === undefined) return undefined;
  return { day: parseDay(date), seconds: Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds) };
}

/** DT. An offset from UTC is passed over: the other times of an image are of the same clock. */
export function parseDateTime(text: string | undefined): Moment | undefined {
  const [, date, time] = /^(\d{8})(\d{2,6}(?:\.\d*)?)(?:[+-]\d{4})?\s*$/.exec(text ?? '') ?? [];
  return parseMoment(date, time);
}

/** From one moment to another. Where a day is not known, the later one is within the day that follows the first. */
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
