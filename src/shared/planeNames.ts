/** The planes of the patient that planes of a volume begin as. */
export const PLANE_NAMES = ['axial', 'coronal', 'sagittal'] as const;
export type PlaneName = (typeof PLANE_NAMES)[number];
