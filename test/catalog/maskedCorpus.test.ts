import { readdirSync, readFileSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { FilesResponse } from '../../src/shared/contract/files.ts';
import { setMaskKey } from '../../src/server/bytes/masking/masker.ts';
import { corpus } from '../support/corpus.ts';
import { createLeakSearch, SHORTEST_SOUGHT } from '../support/leakSearch.ts';
import { about, ask, listMasked, variantsOf } from '../support/maskedAnswers.ts';
import { CORPUS, needs } from '../support/needs.ts';
import { serveWith } from '../support/serve.ts';

const MOST_BYTES = 2 ** 22;
/** Of every file; everything else shows a part of what they do. */
const OF_EVERY_FILE = ['/tags?depth=8&items=256', '/document'];
/** Texts of files that are words of our own answers, too, and names of the palettes and syntaxes of the standard. */
const OWN_WORDS: ReadonlySet<string> = new Set([
  'degrees',
  'patient',
  'target',
  'unknown',
  'Hot Iron',
  'Hot Metal Blue',
  'Lossy JPEG',
  'PET 20 Step',
]);
const OF_ALL = ['files', 'series', 'annotatedFiles', 'exportAnnotations', 'attachments', 'exportMarks'] as const;
const OF_EVERY_CLASS = [
  'tagTable',
  'info',
  'references',
  'report',
  'reportMeasurements',
  'waveform',
  'plan',
  'segmentation',
  'presentation',
  'layer',
] as const;

test(
  'no answer about a real file contains a text that is masked, or a path',
  { ...needs(CORPUS), timeout: 600_000 },
  async () => {
    const folder = corpus ?? '';
    setMaskKey(new TextEncoder().encode('a secret of this test'));
    onTestFinished(() => setMaskKey(undefined));
    const paths = readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .map((name) => join(folder, name))
      .filter((path) => statSync(path).isFile() && statSync(path).size < MOST_BYTES);
    const masked = listMasked(readAll(paths));
    const names = paths.map((path) => basename(path)).filter((name) => name.length >= SHORTEST_SOUGHT + 4);
    expect(masked.length).toBeGreaterThan(1_000);
    const search = createLeakSearch([...masked.filter((text) => !OWN_WORDS.has(text)), ...names, folder]);

    const server = await serveWith({ inputs: [folder], memoryBytes: 2 ** 30 });

    const { files }: FilesResponse = await (await server.request('/api/files')).json();
    const firstOfClass = new Map(files.toReversed().map((file) => [file.sop_class_uid, file.index]));
    const { leaks } = await ask(
      server,
      [
        ...OF_ALL.flatMap(variantsOf),
        ...files.flatMap(({ index }) =>
          OF_EVERY_FILE.map((end) => ({ name: end, path: `/api/file/${index}${end}`, init: { method: 'GET' } })),
        ),
        ...[...firstOfClass.values()].flatMap((index) =>
          OF_EVERY_CLASS.flatMap(variantsOf).map((asked) => about(asked, index)),
        ),
      ],
      search,
    );
    expect(leaks).toEqual([]);
  },
);

function* readAll(paths: readonly string[]): Generator<Uint8Array> {
  for (const path of paths) yield readFileSync(path);
}
