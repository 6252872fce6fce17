import type { DicomFile } from '../catalog/dicomFile.ts';

/** The third value of Image Type: `LOCALIZER`, or of a slide `VOLUME`, `LABEL` and so on. */
export function imageTypeRole(imageType: string | undefined): string | undefined {
  return imageType?.split('\\')[2] || undefined;
}

/** Part of a pyramid, as opposed to a picture of the label or of the whole slide. PS3.3 C.8.12.4.1.1. */
export function isPyramidLevel({ placement }: DicomFile): boolean {
  const role = imageTypeRole(placement?.imageType);
  return role === 'VOLUME' || (role === undefined && placement?.slide?.totalRows !== undefined);
}
