import type { DicomFile } from '../catalog/dicomFile.ts';

/** The third value of Image Type: `LOCALIZER`, or for a slide `VOLUME`, `LABEL` and so on. */
export function imageTypeRole(imageType: string | undefined): string | undefined {
  return imageType?.split('\\')[2] || undefined;
}

/** Part of a pyramid, as opposed to an image of the label or an overview of the slide. PS3.3 C.8.12.4.1.1. */
export function isPyramidLevel({ placement }: DicomFile): boolean {
  const role = imageTypeRole(placement?.imageType);
  return role === 'VOLUME' || (role === undefined && placement?.slide?.totalRows !== undefined);
}
