/** What tells how the page fetches a frame. */
export type PictureSize = {
  readonly rows: number;
  readonly columns: number;
  readonly photometricInterpretation: string;
};

/** Above this the samples are not fetched: the server's picture is smaller, and exact for the window asked for. */
export const MOST_RAW_PIXELS = 32_000_000;

export function isGray({ photometricInterpretation }: Pick<PictureSize, 'photometricInterpretation'>): boolean {
  return photometricInterpretation === 'MONOCHROME1' || photometricInterpretation === 'MONOCHROME2';
}

/** Whether the page fetches the samples of a frame, and not a picture of it. */
export function isFetchedRaw(size: PictureSize): boolean {
  return isGray(size) && size.rows * size.columns <= MOST_RAW_PIXELS;
}
