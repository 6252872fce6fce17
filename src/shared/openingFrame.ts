const RT_DOSE_STORAGE = '1.2.840.10008.5.1.4.1.1.481.2';

/** `frameCount`: number of frames of the file, or of the stack that it is shown in. */
type OpenedFile = { readonly sopClassUid: string; readonly frameCount: number };

/**
 * The frame to show if the user has not chosen one: the first; for a dose, the middle of the grid, because its ends are
 * outside the treated volume and mostly empty.
 */
export function chooseOpeningFrame({ sopClassUid, frameCount }: OpenedFile): number {
  return sopClassUid === RT_DOSE_STORAGE ? Math.floor(frameCount / 2) : 0;
}
