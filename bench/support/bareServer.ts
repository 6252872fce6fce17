import { spawn } from 'node:child_process';
import { once } from 'node:events';

/** The minimum cost of node:http: a process that answers every request with the given number of bytes. */
const PROGRAM = `
const { createServer } = require('node:http');
const bytes = Buffer.alloc(Number(process.argv[1]), 7);
const server = createServer((request, response) => {
  response.writeHead(200, { 'Content-Type': 'image/png', 'Content-Length': bytes.length });
  response.end(bytes);
});
server.listen(0, '127.0.0.1', () => console.log(server.address().port));
`;

export type BareServer = { readonly url: string; readonly stop: () => void };

export async function startBareServer(bytes: number): Promise<BareServer> {
  const child = spawn(process.execPath, ['-e', PROGRAM, String(bytes)], { stdio: ['ignore', 'pipe', 'ignore'] });
  const [port] = await once(child.stdout, 'data');
  return { url: `http://127.0.0.1:${String(port).trim()}/`, stop: () => child.kill('SIGKILL') };
}
