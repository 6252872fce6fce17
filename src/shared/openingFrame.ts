const RT_DOSE_STORAGE = '1.2.840.10008.5.1.4.1.1.481.2';

/** `frameCount`: of the file, or of the stack that it is shown in. */
type OpenedFile = { readonly sopClassUid: string; readonly frameCount: number };

/**
 * Where a file is opened that nobody has asked for a frame of: at its beginning; a dose in the middle of its grid, whose
 * ends lie beside the treated volume and are mostly empty.
 */
export function chooseOpeningFrame({ sopClassUid, frameCount }: OpenedFile): number {
  return sopClassUid === RT_DOSE_STORAGE ? Math.floor(frameCount / 2) : 0;
}
