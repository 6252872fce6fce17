import { buildImagePlane, type ImagePlane } from '../../../shared/geometry.ts';
import type { DicomFile } from '../../images/catalog/dicomFile.ts';

/** The position of a frame, known without reading its file again. */
export type KnownPlace = { readonly plane: ImagePlane; readonly frameOfReferenceUid: string | undefined };

/** Position of the only frame of a file; undefined if the file has to be read for it. */
export function findKnownPlace(file: DicomFile): KnownPlace | undefined {
  const { frameCount, placement, pixelSpacingMm, pixelSpacingSource, frameOfReferenceUid } = file;
  if (frameCount !== 1 || placement?.slide !== undefined || pixelSpacingSource !== 'pixel_spacing') return undefined;
  const plane = buildImagePlane(placement?.position, placement?.orientation, pixelSpacingMm);
  return plane && { plane, frameOfReferenceUid };
}
