import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { writeDicom } from '../../src/server/standard/dicom/writeDicom.ts';
import type { HealthResponse } from '../../src/shared/contract/health.ts';
import { askAgain } from '../support/askAgain.ts';
import { encodeRle } from '../support/encodeRle.ts';
import { AXIAL, placedImage, segmentationElements } from '../support/placedElements.ts';
import { readMemoryMib } from '../support/readMemoryMib.ts';
import { createTempFolder } from '../support/tempFolder.ts';
import { startNegato } from './negatoProcess.ts';

const MIB = 2 ** 20;
const EDGE = 2048;
const FRAMES = 24;
const SOURCE = '2.25.100';
const BUDGET_MIB = 192;
/** Half of the budget without the 64 MiB of Node. */
const TASKS_BYTES = 64 * 2 ** 20;
const PATIENCE_MS = 180_000;

/**
 * 24 frames over one image. Each is 4 MiB decoded and a few kilobytes in the file. As mask layers in one response they
 * take 96 MiB, and two more copies of that size while they are encoded.
 */
function writeLargeSegmentation(number: number, { value, filledRows }: { value: number; filledRows: number }) {
  const samples = new Uint8Array(EDGE * EDGE).fill(value, 0, filledRows * EDGE);
  const fragment = encodeRle(samples, 1, 1);
  const frame = { samples: [], plane: AXIAL, source: { uid: SOURCE } };
  const frames = Array.from({ length: FRAMES }, (_, i) => ({ ...frame, segmentNumber: i + 1 }));
  const elements = segmentationElements(
    { rows: EDGE, columns: EDGE, type: 'FRACTIONAL', frames, segmentNumbers: frames.map((_, i) => i + 1) },
    { SOPInstanceUID: `2.25.600${number}`, PixelData: { fragments: frames.map(() => fragment) } },
  );
  return writeDicom(elements, { transferSyntaxUid: '1.2.840.10008.1.2.5' });
}

function masksOf(number: number): string {
  return `/api/layer/${number}/frame?file=0&frame=0`;
}

test(
  'eight requests for large segmentations at once stay within --memory',
  async () => {
    const folder = createTempFolder();
    await writeFile(
      join(folder, '0.dcm'),
      writeDicom(placedImage({ uid: SOURCE, rows: EDGE, columns: EDGE, plane: AXIAL })),
    );
    const segmentations = [1, 2, 3, 4, 5, 6, 7, 8];
    for (const number of segmentations) {
      // With samples of 1 no frame shows that these are fractions, so that all frames are probed. The eighth file is
      // small.
      const bytes = writeLargeSegmentation(number, {
        value: number % 2 === 0 ? 200 : 1,
        filledRows: number === 8 ? 64 : EDGE,
      });
      await writeFile(join(folder, `${number}.dcm`), bytes);
    }
    const negato = await startNegato([folder, '--memory', `${BUDGET_MIB}M`]);
    const { base_url: url } = negato.started;
    await negato.waitFor('stdout', /"type":"scan_complete","file_count":9/);
    const health = async (): Promise<HealthResponse> => (await fetch(`${url}/api/health?detail=decode`)).json();
    await health();
    const restMib = readMemoryMib(negato.pid);

    let mostMib = 0;
    const watching = setInterval(() => (mostMib = Math.max(mostMib, readMemoryMib(negato.pid))), 10);
    const ask = async (path: string) => {
      const response = await askAgain(url + path);
      const body = await response.bytes();
      const code: unknown = response.ok ? 'ok' : JSON.parse(Buffer.from(body).toString()).code;
      return `${response.status} ${String(code)}`;
    };
    const answers = await Promise.all(
      [
        masksOf(1),
        masksOf(2),
        '/api/file/3/frame/0/segmentation-overlay',
        '/api/file/4/frame/0/segmentation-overlay',
        '/api/file/5/segment-statistics',
        '/api/file/6/segment-statistics',
        '/api/file/7/semantic-context',
        masksOf(8),
      ].map(ask),
    );
    clearInterval(watching);
    const { decode, memory } = await health();

    // A request is refused if the masks over the image do not all fit in memory at once. A small part of each does.
    const refused = '422 decode_memory_exceeded';
    expect(answers).toEqual([refused, refused, '200 ok', '200 ok', '200 ok', '200 ok', '200 ok', '200 ok']);
    // All of this memory was reserved: more than one decode of 28 MiB, and never more than their part of the budget.
    expect(decode?.most_reserved_bytes).toBeGreaterThan(28 * MIB);
    expect(decode?.most_reserved_bytes).toBeLessThanOrEqual(TASKS_BYTES);
    expect(decode).toMatchObject({ reserved_bytes: 0, waiting: 0, budget_bytes: TASKS_BYTES });
    // Threads are left out, because the last one is kept whatever it uses.
    const counted = memory?.uses.filter(({ use }) => use !== 'threads') ?? [];
    expect(counted.filter((use) => use.held_bytes > use.budget_bytes)).toEqual([]);
    // 130 % of the budget, on top of what Node uses at rest before any thread of the pool has started. On systems that
    // do not report memory as Linux does there is no number to compare.
    const grownMib = Number.isNaN(restMib) ? 0 : mostMib - restMib;
    expect(grownMib).toBeLessThan(BUDGET_MIB * 1.3);
  },
  PATIENCE_MS,
);
