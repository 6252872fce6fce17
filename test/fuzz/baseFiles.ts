import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { ViewerError } from '../../src/shared/contract/errors.ts';
import { type GeneratedFile, generatedFiles } from './generatedFiles.ts';
import { findStructure, type Structure } from './structure.ts';

/** A sound file that mutations begin with. */
export type BaseFile = { readonly name: string; readonly bytes: Uint8Array; readonly structure: Structure };

export type BaseFileOptions = {
  /** A folder of real files; without one there are the generated files only. */
  readonly corpus: string | undefined;
  /** Larger real files are left out: mutating them takes time, and finds what small ones do. */
  readonly maxBytes?: number;
  /** Encoded streams that generated files are made around. */
  readonly streams: string;
};

export function loadBaseFiles({ corpus, streams, maxBytes = 16 * 1024 }: BaseFileOptions): readonly BaseFile[] {
  const real = corpus === undefined ? [] : realFiles(corpus, maxBytes);
  return [...generatedFiles(streams), ...real].flatMap(toBaseFile);
}

function realFiles(corpus: string, maxBytes: number): GeneratedFile[] {
  const names = readdirSync(corpus, { recursive: true, encoding: 'utf8' }).toSorted();
  return names.flatMap((name) => {
    const path = join(corpus, name);
    const stats = statSync(path);
    if (!stats.isFile() || stats.size === 0 || stats.size > maxBytes) return [];
    return { name, bytes: new Uint8Array(readFileSync(path)) };
  });
}

/** None for what is no DICOM. */
function toBaseFile({ name, bytes }: GeneratedFile): BaseFile[] {
  try {
    return [{ name, bytes, structure: findStructure(bytes) }];
  } catch (error) {
    if (error instanceof ViewerError) return [];
    throw error;
  }
}
