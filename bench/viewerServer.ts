import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';
import { createInterface } from 'node:readline';

export type BenchServer = { readonly url: string; readonly stop: () => Promise<void> };

/** The built server over a folder, when it has found all files. */
export async function startServer(path: string): Promise<BenchServer> {
  const args = [resolve('dist/negato.js'), '--no-browser', '--port', '0', '--startup-json', path];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'ignore'] });
  let url: string | undefined;
  for await (const line of createInterface({ input: child.stdout })) {
    url ??= /"base_url":"([^"]+)"/.exec(line)?.[1];
    if (line.includes('scan_complete')) break;
  }
  if (url === undefined) throw new Error('the server did not say where it listens');
  return {
    url,
    stop: async () => {
      child.kill('SIGTERM');
      await once(child, 'close');
    },
  };
}
