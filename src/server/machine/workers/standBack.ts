import { getPriority, setPriority } from 'node:os';

const STEPS = 3;
const LOWEST = 19;

/**
 * Lowers the priority of the calling thread, so that the main thread runs first when there are fewer processors than
 * threads. The main thread quickly answers requests that need no worker; without this, every task that it hands over
 * competes for its processor.
 */
export function standBack(): void {
  // On other systems the priority applies to the whole process.
  if (process.platform !== 'linux') return;
  try {
    setPriority(Math.min(getPriority() + STEPS, LOWEST));
  } catch {
    // If changing the priority is not permitted, all threads have the same priority.
  }
}
