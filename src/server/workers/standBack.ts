import { getPriority, setPriority } from 'node:os';

const STEPS = 3;
const LOWEST = 19;

/**
 * Lets the main thread go first where there are fewer processors than threads: it answers in a moment what needs no
 * worker, and without this every task that it hands over takes its processor away. Called in the thread that stands back.
 */
export function standBack(): void {
  // Elsewhere a priority is one of the whole process.
  if (process.platform !== 'linux') return;
  try {
    setPriority(Math.min(getPriority() + STEPS, LOWEST));
  } catch {
    // Where it is forbidden all threads are equal.
  }
}
