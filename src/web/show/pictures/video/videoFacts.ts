import type { FileRecord } from '../../../../shared/contract/files.ts';
import { definePart } from '../../../kit/state/page.ts';
import type { VideoFacts } from './videoMessages.ts';

/** What the streams of files say of themselves, once they are open. */
export const factsOfVideos = definePart(() => new WeakMap<FileRecord, VideoFacts>());
