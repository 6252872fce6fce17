import { createHash } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import type { FileRecord, FilesResponse } from '../../src/shared/contract/files.ts';
import { type Png, readPng } from './readPng.ts';
import type { SharedServer } from './serve.ts';

const FOLDERS = ['display', 'color', 'transfer-syntax', 'multiframe', 'parametric-map', 'rt', 'seg', 'odd-and-broken'];

/** Folders of the corpus that cover every kind of pixel data. */
export async function listRealFolders(corpus: string): Promise<string[]> {
  const names = new Set(await readdir(corpus));
  return FOLDERS.filter((name) => names.has(name)).map((name) => join(corpus, name));
}

/** Pages by what distinguishes them. */
export type Pages = Readonly<Record<string, Page>>;

export type RealComparison = { readonly different: readonly unknown[]; readonly compared: number };

/** Compares the last frame of one file of each kind, with several windows, on each of the pages. */
export async function compareRealFiles(pages: Pages, server: SharedServer): Promise<RealComparison> {
  const different: unknown[] = [];
  let compared = 0;
  for (const file of chooseFiles(await recordsOf(server))) {
    const frame = file.frame_count - 1;
    for (const window of file.samples_per_pixel === 1 ? ['', 'full', '100w250'] : ['']) {
      const wanted = { file, frame, window };
      const answer = await requestPicture(server, wanted);
      // Some of the files are broken and cannot be rendered.
      if (window === '' && !answer.ok) break;
      if (window === '') compared++;
      const found = await compareOn(pages, await readPicture(answer), wanted);
      different.push(...found.map((each) => ({ path: file.path, frame, window, ...each })));
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
export async function comparePictures(page: Page, server: SharedServer, wanted: Wanted): Promise<Comparison> {
  return compareShown(page, await readPicture(await requestPicture(server, wanted)), wanted);
}

type PageComparison = Comparison & { readonly page: string };

/** The same on several pages; returns those that differ. */
export async function findDifferentPages(
  pages: Pages,
  server: SharedServer,
  wanted: Wanted,
): Promise<readonly PageComparison[]> {
  return compareOn(pages, await readPicture(await requestPicture(server, wanted)), wanted);
}

async function compareOn(pages: Pages, picture: Png, wanted: Wanted): Promise<readonly PageComparison[]> {
  const found = Object.entries(pages).map(async ([name, page]) => ({
    page: name,
    ...(await compareShown(page, picture, wanted)),
  }));
  return (await Promise.all(found)).filter(({ different }) => different !== 0);
}

function requestPicture(server: SharedServer, { file, frame, window }: Wanted): Promise<Response> {
  return server.request(`/api/file/${file.index}/frame/${frame}${toQuery(window)}`);
}

async function readPicture(answer: Response): Promise<Png> {
  expect(answer.status).toBe(200);
  return readPng(new Uint8Array(await answer.arrayBuffer()));
}

async function compareShown(page: Page, picture: Png, { file, frame, window, look }: Wanted): Promise<Comparison> {
  // On the page, an image without its own window uses the window of its stack, whereas the server renders each image
  // alone.
  const shown = window === '' ? 'slice' : window;
  await page.evaluate(
    (hash) => (location.hash = hash),
    `cell=${file.sop_instance_uid},${frame + 1},${shown}${look?.address ?? ''}`,
  );
  const canvas = page.locator('[data-cell="0"] canvas').first();
  for (let attempt = 1; ; attempt++) {
    // The key is pressed only once per attempt, because the page requests no pictures while a view changes.
    await page.keyboard.press('\\');
    const size = await canvas.evaluate((element) =>
      element instanceof HTMLCanvasElement ? { width: element.width, height: element.height } : { width: 0, height: 0 },
    );
    const { area, wanted } = cropTo(size, picture, look?.toColor);
    const digest = createHash('sha256').update(wanted).digest('hex');
    const middle = Math.floor(area.height / 2) * area.width * 4;
    const row = [...wanted.subarray(middle, middle + area.width * 4)].join();
    // The page compares digests, because sending it whole pictures would take longer than drawing them.
    if (await page.evaluate(waitForDigest, { ...area, digest, row, patienceMs: PATIENCE_MS })) return EQUAL;
    if (attempt === ATTEMPTS) return findDifferences(page, area, wanted);
  }
}

const ATTEMPTS = 12;
const PATIENCE_MS = 800;

type Area = { readonly left: number; readonly top: number; readonly width: number; readonly height: number };

/** The part of a picture that lies on a canvas: at 1:1 their centers coincide, rounded to whole pixels. */
function cropTo(
  canvas: { readonly width: number; readonly height: number },
  { rows, columns, channels, pixels }: Png,
  toColor: (level: number) => readonly number[] = (level) => [level, level, level],
) {
  const left = Math.round(canvas.width / 2 - columns / 2);
  const top = Math.round(canvas.height / 2 - rows / 2);
  const area: Area = {
    left: Math.max(0, left),
    top: Math.max(0, top),
    width: Math.min(columns, canvas.width - left) - Math.max(0, -left),
    height: Math.min(rows, canvas.height - top) - Math.max(0, -top),
  };
  // By channel and sample. The channels of a color stay as they are.
  const colors = Array.from({ length: 256 }, (_, level) => toColor(level));
  const [red, green, blue] = [0, 1, 2].map((channel) => Uint8Array.from(colors, (color) => color[channel] ?? 0));
  const [second, third] = channels >= 3 ? [1, 2] : [0, 0];
  const wanted = Buffer.alloc(area.width * area.height * 4, 255);
  for (let y = 0, to = 0; y < area.height; y++) {
    let from = ((y + Math.max(0, -top)) * columns + Math.max(0, -left)) * channels;
    for (let x = 0; x < area.width; x++, from += channels, to += 4) {
      wanted[to] = red![pixels[from]!]!;
      wanted[to + 1] = green![pixels[from + second]!]!;
      wanted[to + 2] = blue![pixels[from + third]!]!;
    }
  }
  return { area, wanted };
}

type Awaited = Area & { readonly digest: string; readonly row: string; readonly patienceMs: number };

/**
 * Runs in the page. Waits a moment until the area has the digest, and tells whether it has. Until its middle row is as
 * expected, nothing else of it is read, because all of it takes as long as drawing it.
 */
async function waitForDigest({ left, top, width, height, digest, row, patienceMs }: Awaited): Promise<boolean> {
  const end = performance.now() + patienceMs;
  for (;;) {
    const isLate = performance.now() > end;
    const canvas = document.querySelector<HTMLCanvasElement>('[data-cell="0"][data-status="ready"] canvas');
    const context = canvas?.getContext('2d');
    const middle = context?.getImageData(left, top + Math.floor(height / 2), width, 1).data;
    if (context && middle?.join() === row) {
      const pixels = context.getImageData(left, top, width, height).data;
      const found = new Uint8Array(await crypto.subtle.digest('SHA-256', pixels));
      if ([...found].map((byte) => byte.toString(16).padStart(2, '0')).join('') === digest) return true;
    }
    if (isLate) return false;
    await new Promise((next) => setTimeout(next, 20));
  }
}

async function findDifferences(page: Page, area: Area, wanted: Uint8Array): Promise<Comparison> {
  const encoded = await page.evaluate(({ left, top, width, height }) => {
    const canvas = document.querySelector<HTMLCanvasElement>('[data-cell="0"][data-status="ready"] canvas');
    const pixels = canvas?.getContext('2d')?.getImageData(left, top, width, height).data;
    return pixels && btoa(pixels.reduce((text, byte) => text + String.fromCharCode(byte), ''));
  }, area);
  if (encoded === undefined) return { different: -1, first: 'no image' };
  const shown = Buffer.from(encoded, 'base64');
  let different = 0;
  let first: unknown = null;
  for (let i = 0; i < wanted.length; i++) {
    if (wanted[i] === shown[i]) continue;
    different++;
    const pixel = Math.floor(i / 4);
    first ??= {
      x: pixel % area.width,
      y: Math.floor(pixel / area.width),
      channel: i % 4,
      wanted: wanted[i],
      shown: shown[i],
    };
  }
  return { different, first };
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
