/** Two hours at 60 pictures a second. */
export const MOST_VIDEO_FRAMES = 432_000;

/**
 * How many frames marks can be on. The stream of a video decides which frames are shown, not what the object declares,
 * so a mark may be on any frame that a stream can have.
 */
export function countMarkableFrames(objectKind: string | undefined, frameCount: number): number {
  return objectKind === 'video' && frameCount > 0 ? MOST_VIDEO_FRAMES : frameCount;
}
