/** What a page needs for its first plane: one request. */
export { followVolumes } from './followVolumes.ts';
export { openPlane } from './planeSource.ts';
