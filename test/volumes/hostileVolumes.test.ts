import { writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { expect, test } from 'vitest';
import type { DataSetInput } from '../../src/server/standard/dicom/dataSetInput.ts';
import { writeDicom } from '../../src/server/standard/dicom/writeDicom.ts';
import type { FilesResponse } from '../../src/shared/contract/files.ts';
import type { VolumeResponse } from '../../src/shared/contract/volumes.ts';
import { startNegato } from '../cli/negatoProcess.ts';
import { RETURN_FREED_MEMORY } from '../support/allocator.ts';
import { readMemoryMib } from '../support/readMemoryMib.ts';
import { serveWith } from '../support/serve.ts';
import { askAgain } from '../support/askAgain.ts';
import { createTempFolder } from '../support/tempFolder.ts';
import { straight, writeSeries } from '../support/volumeFiles.ts';

/** A dose grid, whose frames need no functional groups. */
function grid(different: DataSetInput): DataSetInput {
  return {
    SOPClassUID: '1.2.840.10008.5.1.4.1.1.481.2',
    SOPInstanceUID: '2.25.71',
    StudyInstanceUID: '2.25.72',
    SeriesInstanceUID: '2.25.73',
    FrameOfReferenceUID: '2.25.74',
    Modality: 'RTDOSE',
    SamplesPerPixel: 1,
    PhotometricInterpretation: 'MONOCHROME2',
    ImagePositionPatient: ['0', '0', '0'],
    ImageOrientationPatient: ['1', '0', '0', '0', '1', '0'],
    PixelSpacing: ['1', '1'],
    ...different,
  };
}

/** One 32-bit frame of a size that most budgets cannot hold, in four RLE segments that end at once. */
function rleFrame(): Uint8Array {
  const header = new Uint32Array(16);
  header.set([4, 64, 66, 68, 70]);
  return Uint8Array.from([...new Uint8Array(header.buffer), 129, 0, 129, 0, 129, 0, 129, 0]);
}

/** An idle machine with two processors needs only seconds. */
const PATIENCE_MS = 300_000;
const FRAMES = 65_535;
/** Numbers as one long Decimal String, which the writer would take a second to join. */
function offsets(count: number, stepMm: number): DataSetInput[string] {
  const text = Array.from({ length: count }, (_, k) => String(k * stepMm)).join('\\');
  return { vr: 'UN', value: Buffer.from(text.length % 2 === 0 ? text : `${text} `) };
}

/** 4096 x 4096 x 65,535 samples of 4 bytes are 4 TiB. */
function huge(frames: number): Uint8Array {
  const frame = rleFrame();
  return writeDicom(
    grid({
      Rows: 4096,
      Columns: 4096,
      BitsAllocated: 32,
      BitsStored: 32,
      HighBit: 31,
      PixelRepresentation: 0,
      NumberOfFrames: frames,
      GridFrameOffsetVector: offsets(frames, 1),
      PixelData: { fragments: Array.from({ length: frames }, () => frame) },
    }),
    { transferSyntaxUid: '1.2.840.10008.1.2.5' },
  );
}

/** A million frames of one sample, all in one place. */
function crowded(): Uint8Array {
  return writeDicom(
    grid({
      Rows: 1,
      Columns: 1,
      BitsAllocated: 8,
      BitsStored: 8,
      HighBit: 7,
      PixelRepresentation: 0,
      NumberOfFrames: 1_000_000,
      GridFrameOffsetVector: offsets(1_000_000, 0),
      PixelData: new Uint8Array(1_000_000),
    }),
  );
}

const PLANE = 'position=0,0,0&orientation=1,0,0,0,0,1&spacing=1,1';

const REFUSED: readonly (readonly [file: string, write: () => Uint8Array, code: string])[] = [
  ['huge.dcm', () => huge(FRAMES), 'volume_unavailable'],
  ['large.dcm', () => huge(16_384), 'volume_memory_exceeded'],
  ['crowded.dcm', crowded, 'volume_unavailable'],
];

test(
  'volumes of 4096 x 4096 x 65,535 samples and of a million frames in one place are refused, and nothing grows',
  async () => {
    const folder = createTempFolder();
    for (const [name, write] of REFUSED) writeFileSync(join(folder, name), write());
    const negato = await startNegato(['--no-token', '--memory', '256M', folder], { env: RETURN_FREED_MEMORY });
    await negato.waitFor('stdout', /"scan_complete"/, PATIENCE_MS);
    const api = `${negato.started.base_url}/api`;
    const { files }: FilesResponse = await (await fetch(`${api}/files`)).json();
    for (const { index, path } of files) {
      const described = await askAgain(`${api}/file/${index}/volume`);
      const { volume, refusal }: VolumeResponse = await described.json();
      expect([path, described.status, volume === null]).toEqual([path, 200, refusal !== null]);
    }
    const before = readMemoryMib(negato.pid);
    for (const { index, path } of files) {
      const code = REFUSED.find(([name]) => name === basename(path))?.[2];
      for (const [address, query] of [
        ['plane/raw', `${PLANE}&rows=16&columns=16`],
        ['plane', `${PLANE}&rows=2048&columns=2048&slab=1000`],
        ['plane/thumbnail', `${PLANE}&rows=4&columns=4&slab=1000&projection=mean`],
        ['volume/value', 'at=0,0,3'],
      ]) {
        const response = await askAgain(`${api}/file/${index}/${address}?${query}`);
        const body: { code: string } = await response.json();
        // The second is too much work before it is too much memory.
        expect([path, address, response.status, body.code]).toEqual([
          path,
          address,
          body.code === 'invalid_query' ? 400 : 422,
          expect.toBeOneOf([code, 'invalid_query']),
        ]);
      }
    }
    // NaN on systems that do not report memory.
    expect(readMemoryMib(negato.pid) - before > 64).toBe(false);
  },
  PATIENCE_MS,
);

test('a slab of many sheets is clipped to the volume, and refused if it is still too much', async () => {
  // Slices 0.01 mm apart: a slab of 1000 mm has 100,001 sheets, of which a few touch the volume.
  const server = await serveWith({ inputs: writeSeries(30, straight(4, 0.01)) });
  const axial = 'position=0,0,0&orientation=1,0,0,0,1,0&spacing=1,1';
  const thin = await server.request(`/api/file/0/plane/raw?${axial}&rows=4&columns=5&slab=1000`);
  expect([thin.status, thin.headers.get('x-plane-slab')]).toEqual([200, '1000;max;100001']);
  const oblique = 'position=-500,-500,0&orientation=0.6,0,0.8,0,1,0&spacing=0.5,0.5';
  const thick = await server.request(`/api/file/0/plane/raw?${oblique}&rows=2048&columns=2048&slab=1000`);
  expect([thick.status, await thick.json()]).toMatchObject([
    400,
    { code: 'invalid_query', error: expect.stringMatching(/sheets of 2048 x 2048 samples/) },
  ]);
});
