import { chooseOpeningFrame } from '../../shared/openingFrame.ts';
import { isFetchedRaw } from '../../shared/rawFrames.ts';
import type { DicomFile } from '../catalog/dicomFile.ts';
import type { ServerDomains } from './serverContext.ts';

/** Among so many files the first image is looked for. */
const LOOKED_AT = 64;

/**
 * Whoever opens the page looks at the first image: its frame is made while the browser still reads the page. Who has a
 * link to another image has lost nothing but the work of a thread.
 */
export function createFirstImage({ catalog, frames }: Pick<ServerDomains, 'catalog' | 'frames'>): () => void {
  return () => {
    const file = catalog.files.slice(0, LOOKED_AT).find(isShownFirst);
    if (file === undefined) return;
    const opening = chooseOpeningFrame(file);
    const frame = isFetchedRaw(file) ? frames.raw(file, opening) : frames.display(file, opening, {});
    // Why it fails is told to whoever asks for it.
    frame.catch(() => undefined);
  };
}

/** A slide is shown by its tiles, and by which of them depends on the size of the page. */
function isShownFirst({ supportState, objectKind }: DicomFile): boolean {
  return supportState === 'renderable' && objectKind !== 'whole_slide_microscopy';
}
