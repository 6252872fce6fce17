/** Axes of a stack of images along which an array may run the other way. */
export const FLIP_AXES = ['columns', 'rows', 'slices'] as const;
export type FlipAxis = (typeof FLIP_AXES)[number];
