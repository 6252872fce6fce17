import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { distFolder } from '../server/machine/workers/workerFile.ts';

/**
 * Writes a synthetic study of one patient into a folder: the same bytes every time. If aborted, it rejects with the
 * signal's reason and leaves the files written so far; the caller removes the folder. It runs in a separate process,
 * because a process never returns the memory that the synthesis uses.
 */
export async function writeDemoStudy(
  folder: string,
  { signal, onWritten = () => {} }: DemoOptions = {},
): Promise<void> {
  signal?.throwIfAborted();
  const writer = fork(fileURLToPath(new URL('demo.process.js', distFolder())), [folder], {
    execArgv: [],
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  });
  const kill = () => writer.kill('SIGKILL');
  signal?.addEventListener('abort', kill, { once: true });
  try {
    const { code, message } = await ending(writer, onWritten);
    signal?.throwIfAborted();
    if (code !== 0) throw new Error(message ?? `the process that writes it ended with ${code ?? 'a signal'}`);
  } finally {
    signal?.removeEventListener('abort', kill);
  }
}

export type DemoOptions = {
  readonly signal?: AbortSignal;
  /** Called with the path of each file, relative to the folder, once it is complete. */
  readonly onWritten?: (path: string) => void;
};

type Ending = { readonly code: number | null; readonly message: string | undefined };

function ending(child: ChildProcess, onWritten: (path: string) => void): Promise<Ending> {
  return new Promise((resolve, reject) => {
    let message: string | undefined;
    child.on('message', (told) => {
      if (typeof told === 'string') message = told;
      else if (typeof told === 'object' && told !== null && 'written' in told) onWritten(String(told.written));
    });
    child.once('error', reject);
    child.once('close', (code) => resolve({ code, message }));
  });
}
