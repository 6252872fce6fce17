import { connect } from 'node:net';
import { once } from 'node:events';
import { expect, test } from 'vitest';
import { createTempFolder } from '../support/tempFolder.ts';
import { writeDicomFiles } from './dicomFiles.ts';
import { listLeftovers, startNegato } from './negatoProcess.ts';

test.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)('%s ends it with 0 and leaves no file behind', async (signal) => {
  const negato = await startNegato([createTempFolder()]);
  negato.signal(signal);
  expect(await negato.exit).toEqual({ code: 0, signal: null });
  expect(await listLeftovers(negato)).toEqual([]);
});

test('a signal that arrives with the first byte of output stops the server', async () => {
  const folder = createTempFolder();
  await writeDicomFiles(folder, ...Array.from({ length: 50 }, (_, index) => `${index}.dcm`));
  for (let run = 0; run < 5; run++) {
    const negato = await startNegato([folder]);
    negato.signal(run % 2 === 0 ? 'SIGINT' : 'SIGTERM');
    expect(await negato.exit).toEqual({ code: 0, signal: null });
  }
});

test('while requests in flight are finished new ones are refused, and a second signal ends it at once', async () => {
  const folder = createTempFolder();
  await writeDicomFiles(folder, 'a.dcm');
  const negato = await startNegato(['--no-token', folder]);
  await negato.waitFor('stdout', /scan_complete/);
  // A request whose body never arrives stays in flight.
  const held = connect(negato.started.port, '127.0.0.1');
  held.write(
    'PUT /api/file/0/annotations HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 100\r\nExpect: 100-continue\r\n\r\n',
  );
  await once(held, 'data');
  held.on('error', () => undefined);

  negato.signal('SIGINT');
  await negato.waitFor('stderr', /stopping: SIGINT/);
  const health = () => fetch(`${negato.started.base_url}/api/health`);
  await expect.poll(async () => (await health()).status).toBe(503);
  expect(await (await health()).json()).toMatchObject({ code: 'shutting_down' });

  // Two signals within a few milliseconds count as one, because npx repeats the signal of the terminal. A person is
  // slower.
  await new Promise((resolve) => setTimeout(resolve, 100));
  negato.signal('SIGINT');
  expect(await negato.exit).toEqual({ code: 0, signal: null });
  expect(negato.output.stderr).toContain('stopped immediately: SIGINT');
  held.destroy();
});

test('--timeout stops it with exit code 0 when there are no more requests', async () => {
  const negato = await startNegato(['--timeout', '0.2', createTempFolder()]);
  expect(await negato.exit).toEqual({ code: 0, signal: null });
  expect(negato.output.stderr).toContain('stopping: no request for 0.2 s');
});

test('--timeout waits for as long as a request is in flight', async () => {
  const negato = await startNegato(['--timeout', '0.2', '--no-token', createTempFolder()]);
  const leave = new AbortController();
  const events = await fetch(`${negato.started.base_url}/api/events`, { signal: leave.signal });
  expect(events.status).toBe(200);
  await negato.waitFor('stdout', /scan_complete/);
  await new Promise((resolve) => setTimeout(resolve, 600));
  expect(negato.output.stderr).not.toContain('stopping');

  leave.abort();
  expect(await negato.exit).toEqual({ code: 0, signal: null });
});
