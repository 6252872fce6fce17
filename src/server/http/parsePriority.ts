import type { TaskPriority } from '../workers/task.ts';

const LEAST_URGENT_INTERACTIVE = 5;

/**
 * The urgency of RFC 9218, from 0 to 7 with default 3. Browsers use values up to 5 for what the user is waiting for,
 * such as images, so only 6 and 7 (`Priority: u=6`) mean that the user is not waiting yet.
 */
export function parsePriority(header: string | undefined): TaskPriority {
  const urgency = /(?:^|,)\s*u=([0-7])\s*(?:$|[,;])/.exec(header ?? '')?.[1];
  return urgency !== undefined && Number(urgency) > LEAST_URGENT_INTERACTIVE ? 'prefetch' : 'interactive';
}
