import type { Socket } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { writeDicom } from '../../src/server/standard/dicom/writeDicom.ts';
import { ctRow } from '../support/imageElements.ts';
import { open } from '../support/rawHttp.ts';
import { serveWith, type TestServer } from '../support/serve.ts';
import { until } from '../support/until.ts';

// One frame of 32 MiB, far more than the buffers of a socket hold.
const EDGE = 4096;
const FRAME_BYTES = EDGE * EDGE * 2;

test('a response waits until clients have read the preceding ones', async () => {
  // 40 MiB of 512 MiB are available for responses in flight: enough for one of these frames, not for two.
  const server = await serveWith({ inputs: [writeDicom(largeImage())], memoryBytes: 512 * 2 ** 20 });
  const slow = askAndStall(server);
  await until(() => slow.received > 0);

  const waiting = askAndStall(server);
  const small = await server.request('/api/file/0/frame/0/thumbnail');
  expect(small.status).toBe(200);
  expect(waiting.received).toBe(0);

  slow.socket.destroy();
  await until(() => waiting.received > 0);
  waiting.socket.resume();
  await until(() => waiting.received > FRAME_BYTES);
});

function largeImage() {
  return ctRow({ Rows: EDGE, Columns: EDGE, PixelData: new Int16Array(EDGE * EDGE) });
}

/** Requests the frame and stops reading after the first bytes of the response. */
function askAndStall(server: TestServer) {
  const socket: Socket = open(server);
  onTestFinished(() => void socket.destroy());
  const client = { socket, received: 0 };
  socket.on('data', (chunk) => {
    if (client.received === 0) socket.pause();
    client.received += chunk.length;
  });
  socket.write('GET /api/file/0/frame/0/raw HTTP/1.1\r\nHost: localhost\r\n\r\n');
  return client;
}
