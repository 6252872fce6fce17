import { describe, expect, test } from 'vitest';
import { writeDicom } from '../../src/server/standard/dicom/writeDicom.ts';
import { restoreRows } from '../../src/shared/predictedSamples.ts';
import { ctElements } from '../support/ctElements.ts';
import { colorRow } from '../support/imageElements.ts';
import { serve, type TestServer } from '../support/serve.ts';

const RAW = '/api/file/0/frame/0/raw';
const PREDICTED = `${RAW}?filter=predicted`;
const [ROWS, COLUMNS] = [40, 100];

/** A ramp of positive and negative samples with noise. */
function slope(): Int16Array {
  return Int16Array.from({ length: ROWS * COLUMNS }, (_, i) => (i % COLUMNS) * 20 - 1000 + (Math.imul(i, 40_503) % 7));
}

function serveSlope(): Promise<TestServer> {
  const signed = { BitsAllocated: 16, BitsStored: 16, HighBit: 15, PixelRepresentation: 1 };
  return serve(writeDicom(ctElements({ Rows: ROWS, Columns: COLUMNS, ...signed, PixelData: slope() })));
}

describe('filter=predicted', () => {
  test('gives the same samples and headers as without it, in fewer bytes', async () => {
    const server = await serveSlope();
    const plain = await server.request(RAW);
    const packed = await server.request(PREDICTED);

    const samples = new Int16Array(ROWS * COLUMNS);
    restoreRows(new Uint8Array(await packed.arrayBuffer()), samples, { columns: COLUMNS, from: 0, to: ROWS });
    expect(samples).toEqual(slope());
    expect(new Int16Array(await plain.arrayBuffer())).toEqual(slope());
    expect(Number(packed.headers.get('content-length'))).toBeLessThan(ROWS * COLUMNS);
    expect(packed.headers.get('x-frame-filter')).toBe('predicted');
    expect(packed.headers.get('content-encoding')).toBe('gzip');
    expect(packed.headers.get('vary')).toBe('Accept-Encoding');
    expect(frameHeaders(packed)).toEqual({ ...frameHeaders(plain), 'x-frame-filter': 'predicted' });
  });

  test('comes from a separate cache the second time', async () => {
    const server = await serveSlope();
    const cacheOf = async (path: string) => (await server.request(path)).headers.get('x-cache');

    expect([await cacheOf(PREDICTED), await cacheOf(RAW), await cacheOf(PREDICTED), await cacheOf(RAW)]).toEqual([
      'MISS',
      'MISS',
      'HIT',
      'HIT',
    ]);
  });

  test('is not used for clients that do not accept gzip or do not request it', async () => {
    const server = await serveSlope();
    const without = await server.request(PREDICTED, { headers: { 'Accept-Encoding': 'identity' } });
    const unasked = await server.request(`${RAW}?filter=none`, { headers: { 'Accept-Encoding': 'gzip' } });

    for (const answer of [without, unasked]) {
      expect(answer.headers.get('content-encoding')).toBe(null);
      expect(answer.headers.get('x-frame-filter')).toBe(null);
      expect(new Int16Array(await answer.arrayBuffer())).toEqual(slope());
    }
  });

  test('of color and of wider samples compresses the samples themselves', async () => {
    const wide = { BitsAllocated: 32, BitsStored: 32, HighBit: 31 };
    const PixelData = Uint32Array.from({ length: 16 }, (_, i) => i * 100_000_000);
    for (const file of [colorRow(), ctElements({ Rows: 4, Columns: 4, ...wide, PixelData })]) {
      const server = await serve(writeDicom(file));
      const [plain, packed] = [await server.request(RAW), await server.request(PREDICTED)];

      expect(packed.headers.get('content-encoding')).toBe('gzip');
      expect(packed.headers.get('x-frame-filter')).toBe(null);
      expect(await packed.arrayBuffer()).toEqual(await plain.arrayBuffer());
    }
  });

  test('accepts only known names', async () => {
    const server = await serveSlope();
    const response = await server.request(`${RAW}?filter=paeth`);

    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ code: 'invalid_query' });
  });
});

function frameHeaders({ headers }: Response): Record<string, string> {
  return Object.fromEntries([...headers].filter(([name]) => name.startsWith('x-frame-')));
}
