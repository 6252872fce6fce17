import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { expect, test } from 'vitest';
import type { DicomFile } from '../../src/server/images/catalog/dicomFile.ts';
import { corpus } from '../support/corpus.ts';
import { serveWith, type TestServer } from '../support/serve.ts';
import { createTempFolder, writeBelow } from '../support/tempFolder.ts';
import { placeOf } from '../../src/server/bytes/origins/origins.ts';
import { CORPUS, needs } from '../support/needs.ts';

test(
  'ROIs on all real images survive export and import to the byte, and no file is touched',
  { ...needs(CORPUS), timeout: 180_000 },
  async () => {
    const inputs = corpus === undefined ? [] : [corpus];
    const first = await serveWith({ inputs });
    const images = first.catalog.files.filter(({ rows, columns, frameCount }) => rows * columns * frameCount > 0);
    expect(images.length).toBeGreaterThan(500);
    const before = await fingerprints(first.catalog.files);
    for (const image of images) expect((await putRois(first, image)).status).toBe(200);
    const exported = await exportOf(first);
    expect(exported.split('\n')).toHaveLength(images.length + 2);
    const csv = writeBelow(createTempFolder(), 'rois.csv', exported);
    const csvBefore = await sha256(csv);
    await first.close();

    const second = await serveWith({ inputs, annotationCsv: csv });

    expect(await second.annotations.imported).toMatchObject({ state: 'done', unmatchedRows: 0 });
    expect(await exportOf(second)).toBe(exported);
    expect(await fingerprints(second.catalog.files)).toEqual(before);
    expect(await sha256(csv)).toBe(csvBefore);
  },
);

/** Stores one ROI over the whole image on the last frame, and one over its last pixel on all frames. */
function putRois(server: TestServer, { index, rows, columns, frameCount }: DicomFile): Promise<Response> {
  const roi_coords = [
    [0, 0, rows, columns],
    [rows - 1, columns - 1, rows, columns],
  ];
  return server.request(`/api/file/${index}/annotations`, {
    method: 'PUT',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ num_roi: 2, roi_coords, roi_frames: [[frameCount - 1], []] }),
  });
}

async function exportOf(server: TestServer): Promise<string> {
  return (await server.request('/api/annotations/export.csv')).text();
}

async function fingerprints(files: readonly DicomFile[]): Promise<string[]> {
  const prints: string[] = [];
  for (const { source } of files) {
    const realPath = placeOf(source);
    const { size, mtimeMs, ctimeMs } = await stat(realPath);
    prints.push(`${realPath} ${size} ${mtimeMs} ${ctimeMs} ${await sha256(realPath)}`);
  }
  return prints;
}

async function sha256(path: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(path), hash);
  return hash.digest('hex');
}
