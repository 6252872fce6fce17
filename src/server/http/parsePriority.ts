import type { TaskPriority } from '../workers/task.ts';

const LEAST_URGENT_INTERACTIVE = 5;

/**
 * The urgency of RFC 9218, 0 to 7 with 3 as its default. Browsers give up to 5 to what the user waits for, such as
 * pictures, so only 6 and 7 (`Priority: u=6`) say that nobody waits yet.
 */
export function parsePriority(header: string | undefined): TaskPriority {
  const urgency = /(?:^|,)\s*u=([0-7])\s*(?:$|[,;])/.exec(header ?? '')?.[1];
  return urgency !== undefined && Number(urgency) > LEAST_URGENT_INTERACTIVE ? 'prefetch' : 'interactive';
}
