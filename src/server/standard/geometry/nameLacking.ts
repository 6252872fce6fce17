import { type FrameGeometry, measuresAt, orientationAt, pointAt } from './frameGeometry.ts';

/** What a frame needs to have a plane in space, and does not have. */
export type LackingPlace = {
  readonly position: boolean;
  readonly orientation: boolean;
  readonly spacing: boolean;
  /** It has a position, which is that of none of the slices that it shows. */
  readonly isMosaic?: boolean;
};

const ELEMENTS = {
  position: 'Image Position (Patient) (0020,0032)',
  orientation: 'Image Orientation (Patient) (0020,0037)',
  spacing: 'Pixel Spacing (0028,0030)',
} as const;

/** What is missing in the object that the sentence begins with, by the names of the standard. */
export function nameLacking({ position, orientation, spacing, isMosaic = false }: LackingPlace): string {
  if (isMosaic) return 'several slices side by side (MOSAIC or VFRAME in Image Type), each in another place';
  const names = [
    ...(position ? [ELEMENTS.position] : []),
    ...(orientation ? [ELEMENTS.orientation] : []),
    ...(spacing ? [ELEMENTS.spacing] : []),
  ];
  return `no valid ${names.join(', no valid ')}`;
}

/** What the geometry of a frame lacks. Distances at a detector or on a film are no spacing in the patient. */
export function findLacking(geometry: FrameGeometry, frame: number): LackingPlace {
  const { spacingMm, source } = measuresAt(geometry, frame) ?? {};
  return {
    position: pointAt(geometry, frame) === undefined,
    orientation: orientationAt(geometry, frame) === undefined,
    spacing: spacingMm === undefined || source !== 'pixel_spacing',
    isMosaic: geometry.doubts.some(({ code }) => code === 'mosaic'),
  };
}
