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
  const picture = toRgba(readPng(new Uint8Array(await answer.arrayBuffer())), look?.toColor);
  // On the page, an image without its own window uses the window of its stack, whereas the server renders each image
  // alone.
  const shown = window === '' ? 'slice' : window;
  await page.evaluate(
    (hash) => (location.hash = hash),
    `cell=${file.sop_instance_uid},${frame + 1},${shown}${look?.address ?? ''}`,
  );
  let found: Comparison = { different: -1, first: 'no image' };
  for (let attempt = 0; attempt < ATTEMPTS && found.different !== 0; attempt++) {
    // The key is pressed only once per attempt, because the page requests no pictures while a view changes.
    await page.keyboard.press('\\');
    found = await compareCanvas(page, picture);
  }
  return found;
}

const ATTEMPTS = 12;
const PATIENCE_MS = 800;

type Picture = { readonly rows: number; readonly columns: number; readonly rgba: Uint8Array };

function toRgba({ rows, columns, channels, pixels }: Png, toColor?: (level: number) => readonly number[]): Picture {
  const colors = Array.from({ length: 256 }, (_, level) => toColor?.(level) ?? [level, level, level]);
  const rgba = new Uint8Array(rows * columns * 4).fill(255);
  for (let i = 0; i < rows * columns; i++) {
    for (let channel = 0; channel < 3; channel++) {
      const sample = pixels[i * channels + (channels >= 3 ? channel : 0)]!;
      rgba[i * 4 + channel] = colors[sample]![channel]!;
    }
  }
  return { rows, columns, rgba };
}

/** The part of a picture that lies on a canvas: at 1:1 their centers coincide, rounded to whole pixels. */
function cropTo(canvas: { readonly width: number; readonly height: number }, { rows, columns, rgba }: Picture) {
  const left = Math.round(canvas.width / 2 - columns / 2);
  const top = Math.round(canvas.height / 2 - rows / 2);
  const area = {
    left: Math.max(0, left),
    top: Math.max(0, top),
    width: Math.min(columns, canvas.width - left) - Math.max(0, -left),
    height: Math.min(rows, canvas.height - top) - Math.max(0, -top),
  };
  const wanted = Buffer.alloc(area.width * area.height * 4);
  for (let y = 0; y < area.height; y++) {
    const from = ((y + Math.max(0, -top)) * columns + Math.max(0, -left)) * 4;
    wanted.set(rgba.subarray(from, from + area.width * 4), y * area.width * 4);
  }
  return { area, wanted };
}

/**
 * Waits a moment until the canvas is as expected. The page compares digests, because sending it whole pictures would
 * take longer than drawing them; only those of a canvas that differs are fetched.
 */
async function compareCanvas(page: Page, picture: Picture): Promise<Comparison> {
  const canvas = page.locator('[data-cell="0"] canvas').first();
  const size = await canvas.evaluate((element) =>
    element instanceof HTMLCanvasElement ? { width: element.width, height: element.height } : { width: 0, height: 0 },
  );
  const { area, wanted } = cropTo(size, picture);
  const digest = createHash('sha256').update(wanted).digest('hex');
  const shown = await page.evaluate(waitForDigest, { ...area, digest, patienceMs: PATIENCE_MS });
  if (shown === true) return EQUAL;
  if (shown === undefined) return { different: -1, first: 'no image' };
  return findDifferences(wanted, Buffer.from(shown, 'base64'), area.width);
}

type Awaited = {
  readonly left: number;
  readonly top: number;
  /** Of the area. */
  readonly width: number;
  readonly height: number;
  readonly digest: string;
  readonly patienceMs: number;
};

/** Runs in the page. Returns true when the area has the digest; otherwise its pixels, if there is an image. */
async function waitForDigest({ left, top, width, height, digest, patienceMs }: Awaited) {
  const end = performance.now() + patienceMs;
  for (;;) {
    const isLate = performance.now() > end;
    const canvas = document.querySelector<HTMLCanvasElement>('[data-cell="0"][data-status="ready"] canvas');
    const pixels = canvas?.getContext('2d')?.getImageData(left, top, width, height).data;
    if (pixels !== undefined) {
      const found = new Uint8Array(await crypto.subtle.digest('SHA-256', pixels));
      if ([...found].map((byte) => byte.toString(16).padStart(2, '0')).join('') === digest) return true;
      if (isLate) return btoa(pixels.reduce((text, byte) => text + String.fromCharCode(byte), ''));
    } else if (isLate) return undefined;
    await new Promise((next) => setTimeout(next, 20));
  }
}

function findDifferences(wanted: Uint8Array, shown: Uint8Array, width: number): Comparison {
  let different = 0;
  let first: unknown = null;
  for (let i = 0; i < wanted.length; i++) {
    if (wanted[i] === shown[i]) continue;
    different++;
    const pixel = Math.floor(i / 4);
    first ??= {
      x: pixel % width,
      y: Math.floor(pixel / width),
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
