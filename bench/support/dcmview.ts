import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/** The command of dcmview: from the variable `DCMVIEW`, or found on PATH. Undefined if it is not installed. */
export function findDcmview(): string | undefined {
  const folders = (process.env.PATH ?? '').split(delimiter);
  const places = [process.env.DCMVIEW, ...folders.map((folder) => join(folder, 'dcmview'))];
  return places.find((place) => place !== undefined && existsSync(place));
}
