/** The attributes that decide how the page fetches a frame. */
export type PictureSize = {
  readonly rows: number;
  readonly columns: number;
  readonly photometricInterpretation: string;
};

/**
 * Above this size the page does not fetch samples: the server's picture is smaller, and exact for the requested window.
 */
export const MOST_RAW_PIXELS = 32_000_000;

export function isGray({ photometricInterpretation }: Pick<PictureSize, 'photometricInterpretation'>): boolean {
  return photometricInterpretation === 'MONOCHROME1' || photometricInterpretation === 'MONOCHROME2';
}

/** Whether the page fetches the samples of a frame instead of a picture. */
export function isFetchedRaw(size: PictureSize): boolean {
  return isGray(size) && size.rows * size.columns <= MOST_RAW_PIXELS;
}
