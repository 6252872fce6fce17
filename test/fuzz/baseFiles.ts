import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { ViewerError } from '../../src/shared/contract/errors.ts';
import { type GeneratedFile, generatedFiles } from './generatedFiles.ts';
import { findStructure, type Structure } from './structure.ts';

/** A valid file from which mutations start. */
export type BaseFile = { readonly name: string; readonly bytes: Uint8Array; readonly structure: Structure };

export type BaseFileOptions = {
  /** A folder of real files. Without it, only generated files are used. */
  readonly corpus: string | undefined;
  /** Larger real files are skipped: mutating them takes time and finds nothing that small files do not. */
  readonly maxBytes?: number;
  /** Folder of encoded streams that are embedded in generated files. */
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

/** Empty if the file is not DICOM. */
function toBaseFile({ name, bytes }: GeneratedFile): BaseFile[] {
  try {
    return [{ name, bytes, structure: findStructure(bytes) }];
  } catch (error) {
    if (error instanceof ViewerError) return [];
    throw error;
  }
}
