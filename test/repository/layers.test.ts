import { readdirSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { LAYER_KINDS, LAYER_NAMES } from '../../src/shared/contract/layers.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

const sources = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' })
  .map((path) => `src/${path.replaceAll('\\', '/')}`)
  .filter((path) => /\.tsx?$/.test(path) && !/\.test\.tsx?$/.test(path))
  .map((path) => ({ path, text: readFileSync(join(root, path), 'utf8') }));

/** The folder of one kind of layer, or of one sort of object with layers. */
const KIND_FOLDER = /^src\/(?:server|web)\/over\/layers\/[^/]+\//;

const WORDS = `'(?:${[...new Set([...LAYER_KINDS, ...LAYER_NAMES])].join('|')})'`;
const COMPARISON = new RegExp(`[!=]==?\\s*${WORDS}|${WORDS}\\s*[!=]==?|\\bcase ${WORDS}|includes\\(${WORDS}`, 'g');

/** Comparisons with the same words that do not ask what kind of layer there is, each with the reason. */
const OTHER_COMPARISONS = new Map([
  [`src/shared/contract/layers.ts === 'segmentation'`, 'declares which objects have layers'],
  [`src/shared/maskLayers.ts === 'mask'`, 'packs samples that are a mask, fractions or labels'],
  [`src/server/images/series/buildSeries.ts === 'segmentation'`, 'such a file is a stack of its own'],
  [`src/server/images/series/multiFrameStack.ts === 'segmentation'`, 'empty frames are left out of such a file'],
  [`src/server/images/references/relationship.ts === 'segmentation'`, 'names what a reference to such an object means'],
  [`src/server/doors/http/routes/semantics.ts case 'segmentation'`, 'writes a context of the specification'],
  [`src/server/work/assistants/askQuestion.ts includes('mask'`, 'asks whether an assistant takes a mask to begin with'],
  [`src/server/work/assistants/describeAssistant.ts === 'mask'`, 'asks which prompts an assistant takes'],
  [
    `src/web/draw/marks/assistants/AssistantMenu.tsx includes('mask'`,
    'asks whether an assistant takes a mask to begin with',
  ],
  [
    `src/web/draw/marks/assistants/assistGesture.ts includes('mask'`,
    'asks whether an assistant takes a mask to begin with',
  ],
  [`src/server/over/sheets/paintErrors.ts === 'contour'`, 'fills the areas of contours, to compare them as masks'],
]);

describe('a layer kind is known only to the registries and to its own folder', () => {
  test('the sources have layers', () => {
    expect(sources.filter(({ path }) => KIND_FOLDER.test(path)).length).toBeGreaterThan(20);
  });

  test('no other code compares with the name of a kind', () => {
    const comparing = sources
      .filter(({ path }) => !KIND_FOLDER.test(path))
      .flatMap(({ path, text }) => [...text.matchAll(COMPARISON)].map(([found]) => `${path} ${found}`));
    expect(comparing.toSorted()).toEqual([...OTHER_COMPARISONS.keys()].toSorted());
  });

  test.each([
    [`if (file.object_kind === 'segmentation') open(file);`, true],
    [`if ('segmentation' !== objectKind) return;`, true],
    [`switch (layer.kind) {\n  case 'mask':`, true],
    [`return kind === 'contour' ? lines : fills;`, true],
    [`if (['mask'].includes('mask')) draw();`, true],
    [`if (object_kind === 'whole_slide_microscopy') return;`, false],
    [`const words = { layer: 'segmentation' };`, false],
  ])('%j is such a comparison: %j', (text, isOne) => {
    expect([...text.matchAll(COMPARISON)].length > 0).toBe(isOne);
  });

  test('only registries import the folder of a kind', () => {
    const importing = sources.filter(
      ({ path, text }) => !KIND_FOLDER.test(path) && listImports(path, text).some((target) => KIND_FOLDER.test(target)),
    );
    expect(importing.map(({ path }) => path).toSorted()).toEqual([
      // The endpoints of the specification that are about segmentations.
      'src/server/doors/http/routes/segmentations.ts',
      'src/server/doors/http/routes/semantics.ts',
      'src/server/over/layers/layers.ts',
      // The table of the tasks of a thread.
      'src/server/worker.ts',
      'src/web/over/layers/layerClients.ts',
      'src/web/over/layers/layerDetails.tsx',
      // Presentation states draw the same graphics, but are no layers: they are applied, and never by themselves.
      'src/web/over/presentation/StateGraphics.tsx',
      // A blending state lays a volume over images as a field.
      'src/web/over/presentation/planBlending.ts',
    ]);
  });
});

function listImports(path: string, text: string): string[] {
  const names = [...text.matchAll(/(?:from |import\()'(\.[^']+)'/g)].map(([, name]) => name ?? '');
  return names.map((name) => posix.join(posix.dirname(path), name));
}
