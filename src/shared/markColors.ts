/** Colors of marks without a class. Style sheets of the page repeat those of shapes and ROIs. */
export const PLAIN_SHAPE = '#93ec9d';
export const PLAIN_MASK = '#ffb000';
export const PLAIN_ROI = '#ffd166';
