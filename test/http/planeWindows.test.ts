import { expect, test } from 'vitest';
import { writePet } from '../support/fieldFiles.ts';
import { serve, type TestServer } from '../support/serve.ts';
import { SLICE_COLUMNS, SLICE_ROWS, writeSlice } from '../support/sliceFiles.ts';

const AXIAL = 'position=0,0,10&orientation=1,0,0,0,1,0&spacing=1,1&rows=20&columns=30';
const CORONAL = 'position=0,10,0&orientation=1,0,0,0,0,1&spacing=1,1&rows=20&columns=30';
const SAGITTAL = 'position=10,0,0&orientation=0,1,0,0,0,1&spacing=1,1&rows=20&columns=20';
const PLANES = [AXIAL, CORONAL, SAGITTAL];

const NO_WINDOW = { WindowCenter: undefined, WindowWidth: undefined };

function pick(headers: Headers, kind: 'default' | 'applied'): string {
  const names =
    kind === 'default'
      ? ['X-Frame-Default-Wc', 'X-Frame-Default-Ww']
      : ['X-Frame-Window-Center', 'X-Frame-Window-Width'];
  return names.map((name) => headers.get(name)).join(' ');
}

/** The window of each plane: of its samples, which the page takes, and of its picture. */
async function windowsOf(server: TestServer, planes: readonly string[]): Promise<Set<string>> {
  const found = new Set<string>();
  for (const plane of planes) {
    found.add(pick((await server.request(`/api/file/0/plane/raw?${plane}`)).headers, 'default'));
    found.add(pick((await server.request(`/api/file/0/plane?${plane}`)).headers, 'applied'));
  }
  return found;
}

test('planes of a volume without a stored window have one window, that of its stack', async () => {
  // Every slice has the values from 0 to 599, so the percentiles of one slice are those of all.
  const samples = Int16Array.from({ length: SLICE_ROWS * SLICE_COLUMNS }, (_, i) => 1024 + i);
  const slices = Array.from({ length: 11 }, (_, number) =>
    writeSlice({ number }, { ...NO_WINDOW, PixelData: samples }),
  );
  const server = await serve(...slices);
  const stored = pick((await server.request('/api/file/0/frame/0')).headers, 'applied');

  expect(await windowsOf(server, PLANES)).toEqual(new Set([stored]));
  // A window that is asked for, and the whole range of the plane, are as before.
  const full = await server.request(`/api/file/0/plane?${CORONAL}&mode=full_dynamic`);
  // Row 10 has 300 to 329: a width of 30 around 315, PS3.3 C.11.2.1.2.1.
  expect(pick(full.headers, 'applied')).toBe('315 30');
});

test('planes of a PET without a stored window have that of its slices in SUV', async () => {
  const server = await serve(...writePet());
  // 20,000 Bq/ml are 3.78 SUV: from 0 to 5 SUV, which are 5 x 370e6 / 70,000 Bq/ml.
  const top = (5 * 370e6) / 70_000;
  const planes = PLANES.map((plane) => plane.replace('spacing=1,1', 'spacing=2,2'));
  const [window = '', ...others] = await windowsOf(server, planes);
  expect(others).toEqual([]);
  const [center = NaN, width = NaN] = window.split(' ').map(Number);
  expect([center / (top / 2), width / top]).toEqual([expect.closeTo(1, 3), expect.closeTo(1, 3)]);
});
