import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));

type Edit = readonly [before: string, added: string];

/** For each file one or more places, each of which occurs once in it, and what is added before them. */
export type SourceEdits = Readonly<Record<string, Edit | readonly Edit[]>>;

/** The sources in a folder of their own, with the files of a toy, and with edits of the files that it touches. */
export function copySources(edits: SourceEdits, files: Readonly<Record<string, string>> = {}): string {
  const folder = mkdtempSync(join(tmpdir(), 'negato-toy-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  cpSync(join(root, 'src'), join(folder, 'src'), { recursive: true });
  for (const name of ['tsconfig.json', 'package.json']) cpSync(join(root, name), join(folder, name));
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  for (const [path, places] of Object.entries(edits)) {
    let text = readFileSync(join(folder, path), 'utf8');
    for (const [before, added] of isOne(places) ? [places] : places) {
      expect(text.split(before), `${path}: ${before}`).toHaveLength(2);
      text = text.replace(before, () => added + before);
    }
    writeFileSync(join(folder, path), text);
  }
  return folder;
}

function isOne(places: Edit | readonly Edit[]): places is Edit {
  return typeof places[0] === 'string';
}
