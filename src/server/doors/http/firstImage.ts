import { chooseOpeningFrame } from '../../../shared/openingFrame.ts';
import { isFetchedRaw } from '../../../shared/rawFrames.ts';
import type { DicomFile } from '../../images/catalog/dicomFile.ts';
import type { ServerDomains } from './serverContext.ts';

/** Number of files among which the first image is searched. */
const LOOKED_AT = 64;

/**
 * Renders the frame that the page shows first while the browser is still loading the page. If the user followed a link
 * to another image, only the work of one thread is wasted.
 */
export function createFirstImage({ catalog, frames }: Pick<ServerDomains, 'catalog' | 'frames'>): () => void {
  return () => {
    const file = catalog.files.slice(0, LOOKED_AT).find(isShownFirst);
    if (file === undefined) return;
    const opening = chooseOpeningFrame(file);
    const nobody = { signal: undefined };
    const frame = isFetchedRaw(file) ? frames.raw(file, opening, nobody) : frames.display(file, opening, {}, nobody);
    // The client that requests the frame gets the error.
    frame.catch(() => undefined);
  };
}

/** A slide is shown as tiles, and which ones depends on the size of the page. */
function isShownFirst({ supportState, objectKind }: DicomFile): boolean {
  return supportState === 'renderable' && objectKind !== 'whole_slide_microscopy';
}
