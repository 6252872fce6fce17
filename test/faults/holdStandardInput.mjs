// Starts the command with a pipe as its standard input, and reports its process id once it listens.
import { spawn } from 'node:child_process';
import { once } from 'node:events';

const [command, folder] = process.argv.slice(2);
const args = [command, '--startup-json', '--no-browser', '--no-token', '--stop-with-stdin', folder];
const negato = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'ignore'] });
await once(negato.stdout, 'data');
process.send({ pid: negato.pid });
