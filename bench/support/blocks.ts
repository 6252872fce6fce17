import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { monitorEventLoopDelay } from 'node:perf_hooks';

const RESOLUTION_MS = 1;

/**
 * The longest time that the event loop was blocked, in wall-clock time. The monitor measures from one timer to the
 * next, so an idle loop shows the timer interval, which is subtracted.
 */
export function watchBlocks(): { end(): number } {
  const delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  delay.enable();
  return {
    end() {
      delay.disable();
      return delay.max / 1e6 - RESOLUTION_MS;
    },
  };
}

/** Prints a line when it has started, and the longest block when its input ends. */
const IDLE_LOOP = `
const delay = require('node:perf_hooks').monitorEventLoopDelay({ resolution: ${RESOLUTION_MS} });
process.stdin.resume().on('end', () => console.log(delay.max / 1e6 - ${RESOLUTION_MS}));
setTimeout(() => {
  delay.enable();
  console.log('begun');
}, 200);
`;

/** Measures the same for an idle process while `work` runs: this is how long the machine makes any process wait. */
export async function besideIdleLoop<Result>(work: () => Result): Promise<Result & { readonly idleBlockMs: number }> {
  const idle = spawn(process.execPath, ['-e', IDLE_LOOP], { stdio: ['pipe', 'pipe', 'inherit'] });
  await once(idle.stdout, 'data');
  const result = work();
  idle.stdin.end();
  const [longest] = await once(idle.stdout, 'data');
  return { ...result, idleBlockMs: Number(longest) };
}
