/** What a page needs for its first plane: one request. */
export { followLoading } from './followLoading.ts';
export { followVolumes } from './followVolumes.ts';
export { openMip } from './mipSource.ts';
export { openPlane } from './planeSource.ts';
