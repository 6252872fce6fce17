// Opening a layer over its images, for code that is loaded before: most layers are never opened.
export { openOverTarget } from '../../over/layers/openOverTarget.ts';
