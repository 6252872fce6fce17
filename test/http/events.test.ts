import { expect, test } from 'vitest';
import { writeDicom } from '../../src/server/standard/dicom/writeDicom.ts';
import { type ReadEvent, readEvents } from '../support/readEvents.ts';
import { serve, serveWith, type TestServer } from '../support/serve.ts';
import { createTempFolder, writeBelow } from '../support/tempFolder.ts';
import { until } from '../support/until.ts';
import { straight, writeSeries } from '../support/volumeFiles.ts';

function writeReport(number: number): Uint8Array {
  return writeDicom({
    SOPClassUID: '1.2.840.10008.5.1.4.1.1.88.11',
    SOPInstanceUID: `1.2.826.0.1.3680043.10.4.${number}`,
    Modality: 'SR',
  });
}

/** Reads events until one with this name arrives, then disconnects. */
async function readEventsUntil(server: TestServer, last: string, onFirst?: () => void): Promise<ReadEvent[]> {
  const leaving = new AbortController();
  const response = await server.request('/api/events', { signal: leaving.signal });
  const events: ReadEvent[] = [];
  for await (const event of readEvents(response)) {
    events.push(event);
    if (event.name === 'revision') {
      onFirst?.();
      onFirst = undefined;
    }
    if (event.name === last) break;
  }
  leaving.abort();
  return events;
}

test('a client that connects after the scan gets the final state', async () => {
  const server = await serve(writeReport(1), writeReport(2));

  expect(await readEventsUntil(server, 'scan_complete')).toEqual([
    { name: 'progress', data: { scanned: 2, skipped: 0, filtered: 0 } },
    { name: 'revision', data: { revision: 2 } },
    { name: 'status', data: { tunnelled: false, import_state: 'none' } },
    { name: 'scan_complete', data: { file_count: 2 } },
  ]);
});

test('a client that connects before the scan sees the counters grow, and the end of the scan', async () => {
  const folder = createTempFolder();
  for (let i = 0; i < 300; i++) writeBelow(folder, `${i}.dcm`, writeReport(i));
  writeBelow(folder, 'notes.txt', 'no DICOM');
  const server = await serveWith({ inputs: [folder], scans: false });

  // The scan begins once the client has been told that there is nothing yet.
  const events = await readEventsUntil(server, 'scan_complete', () => server.catalog.start());

  expect(events.at(-1)).toEqual({ name: 'scan_complete', data: { file_count: 300 } });
  const revisions = events.filter(({ name }) => name === 'revision').map(({ data }) => data);
  expect(revisions[0]).toEqual({ revision: 0 });
  expect(revisions.at(-1)).toEqual({ revision: 300 });
  expect(events.findLast(({ name }) => name === 'progress')?.data).toEqual({ scanned: 300, skipped: 1, filtered: 0 });
});

test('the loading of a volume is told, up to its last slice', async () => {
  const server = await serve(...writeSeries(1, straight(20)));
  const leaving = new AbortController();
  const response = await server.request('/api/events', { signal: leaving.signal });
  const plane = 'position=0,1,0&orientation=1,0,0,0,0,1&spacing=2,1&rows=20&columns=5';
  const loaded = server.request(`/api/file/0/plane/raw?${plane}`);
  const told: unknown[] = [];
  let text = '';
  for await (const chunk of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
    text += chunk;
    told.splice(0, told.length, ...[...text.matchAll(/event: volume\ndata: (.*)\n\n/g)].map(([, data]) => data));
    if (String(told.at(-1)).includes('"places_loaded":20')) break;
  }
  leaving.abort();
  expect((await loaded).status).toBe(200);
  expect(JSON.parse(String(told.at(-1)))).toEqual({
    file_index: 0,
    time: 0,
    places: 20,
    places_loaded: 20,
    storage: 'memory',
  });
});

test('opening the tunnel is an event too', async () => {
  let host: string | undefined;
  const server = await serveWith({ domains: { tunnelHost: () => host } });
  const leaving = new AbortController();
  const response = await server.request('/api/events', { signal: leaving.signal });
  let text = '';
  for await (const chunk of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
    text += chunk;
    if (text.includes('scan_complete')) host = 'home';
    if (text.includes('{"tunnelled":true,"import_state":"none"}')) break;
  }
  leaving.abort();
  expect(text).toContain('{"tunnelled":false,"import_state":"none"}');
});

test('a client that disconnects gets no more events', async () => {
  let subscribed = 0;
  const server = await serveWith({ scans: false });
  const { catalog } = server;
  const subscribe = catalog.subscribe.bind(catalog);
  catalog.subscribe = (listener) => {
    subscribed++;
    const unsubscribe = subscribe(listener);
    return () => {
      subscribed--;
      unsubscribe();
    };
  };
  const leaving = new AbortController();
  const response = await server.request('/api/events', { signal: leaving.signal });
  await response.body?.getReader().read();
  await until(() => subscribed > 0);

  leaving.abort();

  await until(() => subscribed === 0);
  expect(subscribed).toBe(0);
});
