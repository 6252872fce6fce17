/**
 * Names the coordinates of a series: by its Frame of Reference UID, or by the series, whose images share one frame of
 * reference whether they name it or not (PS3.3 A.1.2.5). Undefined if it has neither. No UID contains a slash.
 */
export function nameSpace(
  frameOfReferenceUid: string | null | undefined,
  seriesInstanceUid: string | undefined,
): string | undefined {
  return frameOfReferenceUid || (seriesInstanceUid && `series/${seriesInstanceUid}`) || undefined;
}

/** Whether these are the coordinates of a series without Frame of Reference UID. */
export function isSpaceOfSeries(space: string): boolean {
  return space.includes('/');
}
