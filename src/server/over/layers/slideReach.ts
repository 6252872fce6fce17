/** Contours and regions on a slide belong to it whatever their height above the glass, which is that of a focal plane. */
export const SLIDE_REACH_MM = 10;
