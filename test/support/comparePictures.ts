import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import type { FileRecord, FilesResponse } from '../../src/shared/contract/files.ts';
import { readPng } from './readPng.ts';
import type { SharedServer } from './serve.ts';

const FOLDERS = ['display', 'color', 'transfer-syntax', 'multiframe', 'parametric-map', 'rt', 'seg', 'odd-and-broken'];

/** Folders of the corpus that cover every kind of pixel data. */
export async function listRealFolders(corpus: string): Promise<string[]> {
  const names = new Set(await readdir(corpus));
  return FOLDERS.filter((name) => names.has(name)).map((name) => join(corpus, name));
}

export type RealComparison = { readonly different: readonly unknown[]; readonly compared: number };

/** Compares the last frame of one file of each kind, with several windows. */
export async function compareRealFiles(page: Page, server: SharedServer): Promise<RealComparison> {
  const different: unknown[] = [];
  let compared = 0;
  for (const file of chooseFiles(await recordsOf(server))) {
    const frame = file.frame_count - 1;
    // Some of the files are broken and cannot be rendered.
    if (!(await server.request(`/api/file/${file.index}/frame/${frame}`)).ok) continue;
    compared++;
    for (const window of file.samples_per_pixel === 1 ? ['', 'full', '100w250'] : ['']) {
      const found = await comparePictures(page, server, { file, frame, window });
      if (found.different !== 0) different.push({ path: file.path, frame, window, ...found });
    }
  }
  return { different, compared };
}

/** One file for each kind of pixel data. Files that share their SOP Instance UID with another file are left out. */
function chooseFiles(files: readonly FileRecord[]): readonly FileRecord[] {
  const sorts = new Map<string, FileRecord>();
  const counts = new Map<string, number>();
  for (const { sop_instance_uid: uid } of files) counts.set(uid, (counts.get(uid) ?? 0) + 1);
  for (const file of files) {
    // Pixels that are not square cannot be aligned with screen pixels.
    const isSquare = Math.abs((file.pixel_aspect_ratio ?? 1) - 1) < 1e-9;
    if (file.support_state !== 'renderable' || !isSquare || counts.get(file.sop_instance_uid) !== 1) continue;
    const { photometric_interpretation, bits_allocated, bits_stored, transfer_syntax_uid, object_kind } = file;
    const isDisplay = file.path.includes('/display/') ? file.path : '';
    const sort = [photometric_interpretation, bits_allocated, bits_stored, transfer_syntax_uid, object_kind, isDisplay];
    if (!sorts.has(sort.join(' '))) sorts.set(sort.join(' '), file);
  }
  return [...sorts.values()];
}

export const EQUAL = { different: 0, first: null };

type Wanted = {
  readonly file: FileRecord;
  readonly frame: number;
  readonly window: string;
  /** What follows the window in the address, and the color in which a gray level is then shown. */
  readonly look?: { readonly address: string; readonly toColor: (level: number) => readonly number[] };
};
type Comparison = { readonly different: number; readonly first: unknown };

/** Shows a frame at 1:1 and compares the canvas with the server's picture of the same window. */
export async function comparePictures(
  page: Page,
  server: SharedServer,
  { file, frame, window, look }: Wanted,
): Promise<Comparison> {
  const answer = await server.request(`/api/file/${file.index}/frame/${frame}${toQuery(window)}`);
  expect(answer.status).toBe(200);
  const { rows, columns, channels, pixels } = readPng(new Uint8Array(await answer.arrayBuffer()));
  const expected = Buffer.from(pixels).toString('base64');
  const colors = look === undefined ? null : Array.from({ length: 256 }, (_, level) => look.toColor(level));
  const picture = { expected, rows, columns, channels, colors, patienceMs: PATIENCE_MS };
  // On the page, an image without its own window uses the window of its stack, whereas the server renders each image
  // alone.
  const shown = window === '' ? 'slice' : window;
  await page.evaluate(
    (hash) => (location.hash = hash),
    `cell=${file.sop_instance_uid},${frame + 1},${shown}${look?.address ?? ''}`,
  );
  let found: Comparison = { different: -1, first: null };
  for (let attempt = 0; attempt < ATTEMPTS && found.different !== 0; attempt++) {
    // The key is pressed only once per attempt, because the page requests no pictures while a view changes.
    await page.keyboard.press('\\');
    found = await page.evaluate(compareCanvas, picture);
  }
  return found;
}

const ATTEMPTS = 12;
const PATIENCE_MS = 800;

type ExpectedPicture = {
  /** Samples, encoded as Base64. */
  readonly expected: string;
  readonly rows: number;
  readonly columns: number;
  readonly channels: number;
  /** The colors of the gray levels 0 to 255 if they are not gray. */
  readonly colors: readonly (readonly number[])[] | null;
  readonly patienceMs: number;
};

/**
 * Runs in the page and checks the canvas repeatedly until it is as expected. At 1:1 the centers of the image and of the
 * canvas coincide, rounded to whole pixels.
 */
async function compareCanvas(picture: ExpectedPicture): Promise<Comparison> {
  const { expected, rows, columns, channels, colors, patienceMs } = picture;
  const wantedSamples = Uint8Array.from(atob(expected), (character) => character.charCodeAt(0));
  const end = performance.now() + patienceMs;
  for (;;) {
    const isLate = performance.now() > end;
    // Comparing all pixels takes long, so a canvas that is wrong in a few of them is looked at later again.
    const found = isLate || compare(97).different === 0 ? compare(1) : undefined;
    if (found?.different === 0 || (found !== undefined && isLate)) return found;
    await new Promise((next) => setTimeout(next, 20));
  }

  function compare(step: number): Comparison {
    const canvas = document.querySelector<HTMLCanvasElement>('[data-cell="0"][data-status="ready"] canvas');
    const context = canvas?.getContext('2d');
    if (!canvas || !context) return { different: -1, first: 'no image' };
    const { data } = context.getImageData(0, 0, canvas.width, canvas.height);
    const left = Math.round(canvas.width / 2 - columns / 2);
    const top = Math.round(canvas.height / 2 - rows / 2);
    let different = 0;
    let first: unknown = null;
    for (let y = Math.max(0, -top); y < Math.min(rows, canvas.height - top); y++) {
      for (let x = Math.max(0, -left); x < Math.min(columns, canvas.width - left); x += step) {
        const at = ((y + top) * canvas.width + x + left) * 4;
        const from = (y * columns + x) * channels;
        for (let channel = 0; channel < 3; channel++) {
          const sample = wantedSamples[from + (channels >= 3 ? channel : 0)]!;
          const wanted = colors?.[sample]?.[channel] ?? sample;
          if (data[at + channel] === wanted) continue;
          different++;
          first ??= { x, y, channel, wanted, shown: data[at + channel] };
        }
      }
    }
    return { different, first };
  }
}

function toQuery(window: string): string {
  if (window === 'full') return '?mode=full_dynamic';
  const [center, width] = window.split('w');
  return width === undefined ? '' : `?wc=${center}&ww=${width}`;
}

async function recordsOf(server: SharedServer): Promise<readonly FileRecord[]> {
  const response = await server.request('/api/files');
  const { files }: FilesResponse = await response.json();
  return files;
}

/** The only file, or the file with the given UID. */
export async function recordOf(server: SharedServer, sopInstanceUid?: string): Promise<FileRecord> {
  const files = await recordsOf(server);
  const file = files.find(({ sop_instance_uid: uid }) => sopInstanceUid === undefined || uid === sopInstanceUid);
  if (file === undefined) throw new Error('the server has no such file');
  return file;
}
