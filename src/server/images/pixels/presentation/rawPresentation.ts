import { isValidWindow } from '../../../../shared/chooseVoi.ts';
import type { RawPresentation } from '../../../../shared/contract/headers.ts';
import type { FramePresentation } from './readPresentation.ts';

/** Whether a client can render the same picture as the server from the samples, with rescale, padding and a window. */
export function findRawPresentation(
  photometricInterpretation: string,
  { modality, voi, supplementalPalette, shutters, overlays, embeddedOverlayBits }: FramePresentation,
): RawPresentation {
  const isGray = photometricInterpretation === 'MONOCHROME1' || photometricInterpretation === 'MONOCHROME2';
  const hasMore =
    supplementalPalette !== undefined ||
    shutters !== undefined ||
    overlays.length > 0 ||
    embeddedOverlayBits.length > 0;
  if (!isGray || hasMore || modality.kind === 'lut') return 'server';
  return voi.tables.length > 0 && !voi.windows.some(isValidWindow) ? 'server_default' : 'raw';
}
