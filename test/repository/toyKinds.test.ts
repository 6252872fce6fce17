import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { copySources, type SourceEdits } from '../support/copySources.ts';
import { createTempFolder } from '../support/tempFolder.ts';
import { bufferSource } from '../../src/server/bytes/origins/byteSource.ts';
import { readDicom } from '../../src/server/standard/dicom/readDataSet.ts';
import { writeDicom } from '../../src/server/standard/dicom/writeDicom.ts';

const TOY_CLASS = '2.25.99';
const NEVER = { signal: undefined };

test('a kind of layer is an entry in the contract, in the registries of server and page, and in the table of tasks', async () => {
  const edits: SourceEdits = {
    'src/shared/contract/layers.ts': [
      ["'points'] as const;", "'toys', "],
      [
        '  /** Model output that is no DICOM file. */\n',
        `  toy: {
    kind: 'toys',
    noun: 'toy',
    matches: ({ sopClassUid }) => sopClassUid === '${TOY_CLASS}',
    needsPixels: false,
    isImage: false,
    hasVolumes: false,
    isReadFirst: false,
  },
`,
      ],
    ],
    'src/server/over/layers/layers.ts': [
      ['import { createStructureSetLayers }', "import { createToyLayers } from './toy/toyLayers.ts';\n"],
      ['    attachment: createAttachmentLayers(context),\n', '    toy: createToyLayers(context),\n'],
    ],
    'src/server/worker.ts': [
      ['import { readReportTask }', "import { drawToyTask } from './over/layers/toy/toyTasks.ts';\n"],
      [
        '  handler(readReportTask,',
        "  taskHandler(drawToyTask, async () => (await import('./over/layers/toy/drawToy.ts')).drawToy),\n",
      ],
    ],
    'src/web/over/layers/layerClients.ts': [
      ['import { structureSetClient }', "import { toyClient } from './toy/toyClient.ts';\n"],
      ['  attachment: attachmentClient,\n', '  toy: toyClient,\n'],
    ],
  };
  const folder = copySources(edits, {
    'src/server/over/layers/toy/toyTasks.ts': `import { defineTask } from '../../../machine/workers/task.ts';

export const drawToyTask = defineTask<{ readonly rows: number }, Uint8Array<ArrayBuffer>>('toy.draw', {
  timeoutMs: 1_000,
  bytes: 1_000,
});
`,
    'src/server/over/layers/toy/drawToy.ts': `export function drawToy({ rows }: { readonly rows: number }): Uint8Array<ArrayBuffer> {
  return Uint8Array.of(rows);
}
`,
    'src/server/over/layers/toy/toyLayers.ts': `import type { LayerContext } from '../layerContext.ts';
import type { LayerProvider, LayerTarget, PlacedLayer } from '../layerProvider.ts';
import { createPlacement } from '../placement.ts';
import { drawToyTask } from './toyTasks.ts';

export function createToyLayers({ tasks }: LayerContext): LayerProvider {
  const draw = async (rows: number): Promise<PlacedLayer> => ({
    async packet({ signal }) {
      const bytes = await tasks.run(drawToyTask, { rows }, { signal });
      return { bytes, cached: false, damage: undefined };
    },
  });
  return {
    describe: async (file) => ({
      parts: [{ sort: 'segment', number: 1, label: 'Wheel', color: [1, 2, 3], colorSource: 'palette' }],
      targets: [{ file, frames: [0] }],
      placement: createPlacement('direct', 'toys lie everywhere'),
      frameOfReferenceUids: [],
      unplaced: [],
      warnings: [],
    }),
    place: (_, { file }: LayerTarget) => draw(file.rows),
    placeOnPlane: (_, { grid }) => draw(grid.rows),
  };
}
`,
    'src/web/over/layers/toy/toyClient.ts': `import { REGION_CLIENT, type RegionDescription } from '../graphics/regionClient.ts';
import type { LayerClient } from '../layerClient.ts';
import type { LayerPacket, LayerPainter } from '../layerPainter.ts';

const toyPainter: LayerPainter<LayerPacket> = {
  noun: 'toy',
  decode: (bytes) => ({ rows: new Uint8Array(bytes)[0] ?? 0, columns: 0 }),
  bytesOf: () => 1,
  listDamaged: () => [],
  partsAt: () => [],
  createDrawer: () => ({ draw: () => {} }),
};

export const toyClient: LayerClient<RegionDescription> = {
  ...REGION_CLIENT,
  painter: toyPainter,
  words: { layer: 'toy', part: 'wheel', alone: 'toy' },
  replacesContext: false,
};
`,
  });
  expect(Object.keys(edits)).toHaveLength(4);

  const path = join(createTempFolder(), 'toy.dcm');
  writeFileSync(path, writeDicom({ SOPClassUID: TOY_CLASS, SOPInstanceUID: '2.25.1', Rows: 7, Columns: 9 }));
  const { createDomains } = await import(join(folder, 'src/server/createDomains.ts'));
  const { createTaskPool } = await import(join(folder, 'src/server/machine/memory/taskPool.ts'));
  const { drawToy } = await import(join(folder, 'src/server/over/layers/toy/drawToy.ts'));
  const createTasks = (...given: unknown[]) => {
    const pool = createTaskPool(...given);
    // The threads run the build, which has no toys.
    const run = async (task: { name: string }, input: unknown, options: unknown) =>
      task.name === 'toy.draw' ? drawToy(input) : pool.run(task, input, options);
    return { ...pool, run };
  };
  const domains = createDomains({
    inputs: [path],
    remote: { requests: 1, onTrouble: () => {} },
    instance: 'toy',
    overrides: { createTasks },
  });
  onTestFinished(async () => {
    await domains.stop();
    await domains.close();
  });
  domains.catalog.start();
  await domains.catalog.scanComplete;
  expect(await domains.layers.describe({ file: 0 }, NEVER)).toMatchObject({
    layer: { file: 0 },
    name: 'toy',
    title: 'Toy',
    description: { parts: [{ label: 'Wheel' }], targets: [{ frames: [0] }] },
  });
  const target = { file: domains.catalog.get(0), frame: 0 };
  const { bytes } = await domains.layers.packet({ file: 0 }, target, NEVER);
  expect([...bytes]).toEqual([7]);

  const { LAYER_PAINTERS } = await import(join(folder, 'src/web/over/layers/layerPainters.ts'));
  expect(LAYER_PAINTERS.toys.decode(bytes.buffer)).toEqual({ rows: 7, columns: 0 });
  const { LayerSummary } = await import(join(folder, 'src/shared/contract/layerAnswers.ts'));
  expect(LayerSummary.properties.kind.enum).toContain('toys');
});

test('a kind of document is an entry in the registry, and a name in the contract', async () => {
  const edits: SourceEdits = {
    'src/shared/contract/documentTerms.ts': [["  'raw',\n", "  'toy',\n"]],
    'src/server/say/documents/documentKinds.ts': [
      ['import { valueMappingKind }', "import { toyKind } from './kinds/toy.ts';\n"],
      ['  waveformKind,\n', '  toyKind,\n'],
    ],
  };
  const folder = copySources(edits, {
    'src/server/say/documents/kinds/toy.ts': `import type { DocumentKind } from '../documentKind.ts';

export const toyKind: DocumentKind = {
  name: 'toy',
  sopClasses: ['${TOY_CLASS}'],
  views: [],
  shows: 'its wheels',
  build: () => ({ title: 'A toy', status: [], facts: [], tables: [], warnings: [] }),
};
`,
  });
  expect(Object.keys(edits)).toHaveLength(2);

  const { chooseKind, writeObjectsPage } = await import(join(folder, 'src/server/say/documents/documentKinds.ts'));
  const { dataSet } = readDicom(bufferSource(writeDicom({ SOPClassUID: TOY_CLASS, SOPInstanceUID: '2.25.1' })));
  const source = { dataSet, sopClassUid: TOY_CLASS, className: undefined, transferSyntaxUid: '1.2.840.10008.1.2.1' };
  expect(chooseKind(source)).toMatchObject({ name: 'toy', shows: 'its wheels' });
  expect(chooseKind(source).build(source).title).toBe('A toy');
  expect(writeObjectsPage()).toContain('## toy\n\nShown: its wheels.');
  const { DocumentResponse } = await import(join(folder, 'src/shared/contract/documents.ts'));
  expect(DocumentResponse.properties.kind.enum).toContain('toy');
});

test('a scheme of addresses is how it is written, and how its store is opened', async () => {
  const edits: SourceEdits = {
    'src/server/bytes/origins/remote/remoteInput.ts': [
      ["  | { readonly kind: 'web'; readonly url: URL }\n", "  | { readonly kind: 'toy'; readonly box: string }\n"],
      ['s3|gs|az|(?:dicomweb', 'toy|'],
      ["    case 'az': {\n      const [account, path]", "    case 'toy':\n      return { kind: 'toy', box: rest };\n"],
      ["    case 'az':\n      return `az://", "    case 'toy':\n      return `toy://${input.box}`;\n"],
    ],
    'src/server/bytes/origins/remote/createStore.ts': [
      ['import { createWebStore }', "import { createToyStore } from './toyStore.ts';\n"],
      ["    case 'web':\n", "    case 'toy':\n      return createToyStore(parsed.box);\n"],
    ],
  };
  const folder = copySources(edits, {
    'src/server/bytes/origins/remote/toyStore.ts': `import type { RemoteStore } from './remoteStore.ts';
import { hostOf } from './webHost.ts';

export function createToyStore(box: string): RemoteStore {
  const host = hostOf(new URL('https://toys.test'));
  return {
    label: 'toy://' + box,
    host,
    async *list() {
      yield [{ key: box + '/car.dcm', path: 'toy://' + box + '/car.dcm' }];
    },
    locate: async (key, headers) => ({ host, path: '/' + key, headers }),
    learnFrom: async () => false,
  };
}
`,
  });
  expect(Object.keys(edits)).toHaveLength(2);

  const { isRemoteInput, labelOfInput, parseRemoteInput } = await import(
    join(folder, 'src/server/bytes/origins/remote/remoteInput.ts')
  );
  expect(isRemoteInput('toy://box')).toBe(true);
  expect(labelOfInput(parseRemoteInput('toy://box'))).toBe('toy://box');
  const { createStore } = await import(join(folder, 'src/server/bytes/origins/remote/createStore.ts'));
  const store = await createStore('toy://box', {});
  const listed: unknown[] = [];
  for await (const entries of store.list()) listed.push(...entries);
  expect(listed).toEqual([{ key: 'box/car.dcm', path: 'toy://box/car.dcm' }]);
  expect(await store.locate('box/car.dcm', {})).toMatchObject({ path: '/box/car.dcm' });
});
