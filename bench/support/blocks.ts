import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { monitorEventLoopDelay } from 'node:perf_hooks';

const RESOLUTION_MS = 1;

/**
 * The longest time that the event loop was blocked, by the clock. The system counts from one timer to the next, so that a
 * loop that does nothing shows the time between two of them, which is taken off.
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

/** Says when it has begun, and when its input ends what the longest block was. */
const IDLE_LOOP = `
const delay = require('node:perf_hooks').monitorEventLoopDelay({ resolution: ${RESOLUTION_MS} });
process.stdin.resume().on('end', () => console.log(delay.max / 1e6 - ${RESOLUTION_MS}));
setTimeout(() => {
  delay.enable();
  console.log('begun');
}, 200);
`;

/** The same of another process that does nothing while `work` is done: so long does the machine let anybody wait. */
export async function besideIdleLoop<Result>(work: () => Result): Promise<Result & { readonly idleBlockMs: number }> {
  const idle = spawn(process.execPath, ['-e', IDLE_LOOP], { stdio: ['pipe', 'pipe', 'inherit'] });
  await once(idle.stdout, 'data');
  const result = work();
  idle.stdin.end();
  const [longest] = await once(idle.stdout, 'data');
  return { ...result, idleBlockMs: Number(longest) };
}
