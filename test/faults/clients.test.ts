import { once } from 'node:events';
import type { Socket } from 'node:net';
import { expect, test } from 'vitest';
import { writeDicom } from '../../src/server/standard/dicom/writeDicom.ts';
import { faultRuns } from '../support/faultRuns.ts';
import { ctRow } from '../support/imageElements.ts';
import { open } from '../support/rawHttp.ts';
import { grayOf } from '../support/readPng.ts';
import { serve } from '../support/serve.ts';
import { writeImage } from '../support/writeImage.ts';

/** File 1 has 16 MB, so its raw samples are never sent in one write. */
const HEAD = 'Host: localhost\r\n';
const STAGES: readonly [name: string, leave: (socket: Socket) => Promise<void> | void][] = [
  ['before a request', () => undefined],
  ['in the request line', (socket) => void socket.write('GET /api/fi')],
  ['in the headers', (socket) => void socket.write(`GET /api/files HTTP/1.1\r\n${HEAD}Acc`)],
  ['with the request', (socket) => void socket.write(`GET /api/file/1/frame/0 HTTP/1.1\r\n${HEAD}\r\n`)],
  ['while a frame is decoded', (socket) => sendAnd(socket, '/api/file/1/frame/0?wc=1&ww=2', 'setImmediate')],
  ['with the first bytes of a long answer', (socket) => sendAnd(socket, '/api/file/1/frame/0/raw', 'data')],
  ['from the events', (socket) => sendAnd(socket, '/api/events', 'data')],
  [
    'in the body of its own request',
    (socket) => {
      const headers = `${HEAD}Content-Type: application/json\r\nContent-Length: 1000\r\n`;
      socket.write(`PUT /api/file/0/annotations HTTP/1.1\r\n${headers}\r\n{"num_roi":`);
    },
  ],
  [
    'behind ten requests at once',
    (socket) => void socket.write(`GET /api/file/1/frame/0/raw HTTP/1.1\r\n${HEAD}\r\n`.repeat(10)),
  ],
];

test.each(STAGES)('clients that vanish %s leave nothing behind', async (_, act) => {
  const server = await serve(writeDicom(ctRow()), writeImage({ rows: 4_000, columns: 4_000 }));
  for (let run = 0; run < faultRuns(5); run++) {
    for (const leave of ['destroy', 'resetAndDestroy'] as const) {
      const socket = open(server);
      socket.on('error', () => undefined);
      await once(socket, 'connect');
      await act(socket);
      socket[leave]();
    }
  }

  const response = await server.request('/api/file/0/frame/0');
  expect(grayOf(new Uint8Array(await response.arrayBuffer()))).toEqual([0, 121, 255]);
  // Closing waits for requests in flight, and would reach its own time limit if one hung.
  await server.close();
  expect(server.errors).toEqual([]);
});

async function sendAnd(socket: Socket, path: string, moment: 'data' | 'setImmediate'): Promise<void> {
  socket.write(`GET ${path} HTTP/1.1\r\n${HEAD}\r\n`);
  if (moment === 'data') await once(socket, 'data');
  else await new Promise((next) => setImmediate(next));
}
