import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { inflateRawSync } from 'node:zlib';
import { build } from 'esbuild';
import { expect, onTestFinished, test } from 'vitest';
import { checkManifest, type PackedFile } from '../../scripts/checkExtension.mjs';
import { writeZip } from '../../scripts/writeZip.mjs';
import { framePage, pageAddress } from '../../vscode/src/framePage.ts';
import { startViewer } from '../../vscode/src/startViewer.ts';
import { createTempFolder, writeBelow } from '../support/tempFolder.ts';
import { writeImage } from '../support/writeImage.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const SCRIPT = join(root, 'dist', 'negato.js');
const manifest: Record<string, unknown> = JSON.parse(readFileSync(join(root, 'vscode/manifest.json'), 'utf8'));

test('a tab that opens a file frames a viewer that only it can read, and that ends with the tab', async () => {
  const path = writeBelow(createTempFolder(), 'one.dcm', writeImage());
  const { editor, open } = await activateExtension();
  const tab = createTab();
  await editor.resolveCustomEditor({ uri: { scheme: 'file', fsPath: path } }, tab.panel);

  const [, address = ''] = /<iframe src="([^"]+)"/.exec(tab.panel.webview.html) ?? [];
  const { origin, hash } = new URL(address);
  expect(tab.panel.webview.html).toContain(`default-src 'none'; frame-src ${origin};`);
  const page = await fetch(`${origin}/`);
  expect(page.headers.get('content-security-policy')).toContain('frame-ancestors vscode-webview: vscode-file:');
  expect((await fetch(`${origin}/api/files`)).status).toBe(401);
  const headers = { Authorization: `Bearer ${decodeURIComponent(hash.replace('#token=', ''))}` };
  await expect.poll(async () => (await (await fetch(`${origin}/api/files`, { headers })).json()).files).toHaveLength(1);

  tab.close();
  await expect.poll(() => fetch(`${origin}/`).catch(() => 'ended')).toBe('ended');

  const failed = await open([{ scheme: 'file', fsPath: join(path, 'nothing') }]);
  expect(failed.webview.html).toContain('does not exist');
  expect(failed.webview.html).not.toContain('<iframe');
});

test('a viewer ends when its editor ends', async () => {
  const path = writeBelow(createTempFolder(), 'one.dcm', writeImage());
  const viewer = await startViewer({ node: process.execPath, script: SCRIPT, paths: [path], memory: '512M' });
  viewer.close();
  expect(await viewer.ended).toContain('stopping');
});

test('a program that is none is told', async () => {
  const start = startViewer({ node: '/nowhere/node', script: SCRIPT, paths: [] });
  await expect(start).rejects.toThrow('negato did not start. spawn /nowhere/node ENOENT');
});

test('names cannot leave the page of a tab', () => {
  expect(framePage('http://127.0.0.1:1/"><script>x</script>')).not.toContain('<script>');
  expect(pageAddress('https://host.example/proxy/8042', 'a+b')).toBe('https://host.example/proxy/8042/#token=a%2Bb');
});

const CODE = 'negato.open negato.openInBrowser negato.file';
const FILES: readonly PackedFile[] = [
  'dist/negato.js',
  'dist/worker.cjs',
  'dist/web/index.html',
  'dist/THIRD_PARTY.txt',
  'extension.js',
].map((name) => ({ name, bytes: new TextEncoder().encode(name === 'extension.js' ? CODE : '') }));

test.each<[string, Record<string, unknown>, readonly PackedFile[], string[]]>([
  ['complete', {}, FILES, []],
  ['without a publisher', { publisher: '' }, FILES, ['publisher is missing']],
  [
    'without code',
    { main: './other.js' },
    FILES,
    ['./other.js is not in the package', 'no code registers negato.open'],
  ],
  ['with an addon', {}, [...FILES, { name: 'dist/x.node', bytes: new Uint8Array() }], ['dist/x.node is native code']],
  ['with a program', {}, [...FILES, { name: 'dist/x', bytes: Buffer.from('\x7fELF') }], ['dist/x is native code']],
  [
    'with a menu for nothing',
    { contributes: { menus: { 'explorer/context': [{ command: 'negato.close' }] } } },
    FILES,
    ['explorer/context names the unknown negato.close'],
  ],
])('a package %s', (_, change, files, problems) => {
  expect(checkManifest({ ...manifest, ...change }, files).slice(0, 2)).toEqual(problems);
});

test('a ZIP has every file, with its length and its sum', () => {
  const files = [
    { name: 'a.txt', bytes: Buffer.from('one'.repeat(100)) },
    { name: 'b/ü.bin', bytes: Buffer.alloc(0) },
  ];
  const zip = writeZip(files);
  const end = zip.length - 22;
  expect([zip.readUInt32LE(end), zip.readUInt16LE(end + 10)]).toEqual([0x06054b50, 2]);
  let at = zip.readUInt32LE(end + 16);
  for (const { name, bytes } of files) {
    const [packed, length, nameLength] = [
      zip.readUInt32LE(at + 20),
      zip.readUInt32LE(at + 24),
      zip.readUInt16LE(at + 28),
    ];
    expect([length, zip.toString('utf8', at + 46, at + 46 + nameLength)]).toEqual([bytes.length, name]);
    const local = zip.readUInt32LE(at + 42);
    const start = local + 30 + nameLength;
    expect(inflateRawSync(zip.subarray(start, start + packed))).toEqual(bytes);
    at += 46 + nameLength;
  }
});

type Uri = { readonly scheme: string; readonly fsPath: string };
type Panel = { webview: { html: string; options: object }; onDidDispose: (listener: () => void) => void };

function createTab(): { readonly panel: Panel; close(): void } {
  const listeners: (() => void)[] = [];
  const panel = { webview: { html: '', options: {} }, onDidDispose: (one: () => void) => void listeners.push(one) };
  const close = () => {
    for (const listener of listeners) listener();
  };
  return { panel, close };
}

/** The extension as it is shipped, in an editor that is none. */
async function activateExtension() {
  const folder = createTempFolder();
  const panels: Panel[] = [];
  const registered = new Map<string, unknown>();
  const subscriptions: { dispose(): void }[] = [];
  Reflect.set(globalThis, 'pretendedEditor', {
    Uri: { parse: (text: string) => ({ toString: () => text }) },
    UIKind: { Desktop: 1, Web: 2 },
    env: { uiKind: 1, asExternalUri: async (uri: object) => uri },
    workspace: { getConfiguration: () => ({ get: (_name: string, otherwise: unknown) => otherwise }) },
    commands: { registerCommand: (id: string, run: unknown) => registered.set(id, run) },
    window: {
      registerCustomEditorProvider: (id: string, provider: unknown) => registered.set(id, provider),
      createWebviewPanel: () => {
        const { panel } = createTab();
        panels.push(panel);
        return panel;
      },
    },
  });
  onTestFinished(() => {
    for (const one of subscriptions) one.dispose?.();
    Reflect.deleteProperty(globalThis, 'pretendedEditor');
  });
  const outfile = join(folder, 'extension.mjs');
  const stub = writeBelow(folder, 'vscode.cjs', 'module.exports = globalThis.pretendedEditor;');
  await build({
    absWorkingDir: root,
    entryPoints: ['vscode/src/extension.ts'],
    bundle: true,
    platform: 'node',
    format: 'esm',
    alias: { vscode: stub },
    outfile,
  });
  const { activate } = await import(pathToFileURL(outfile).href);
  activate({ extensionPath: root, subscriptions });
  const editor: { resolveCustomEditor(document: { uri: Uri }, panel: Panel): Promise<void> } = Object(
    registered.get('negato.file'),
  );
  const run = registered.get('negato.open');
  return {
    editor,
    open: async (uris: readonly Uri[]): Promise<Panel> => {
      if (typeof run === 'function') await run(uris[0], uris);
      return panels.at(-1)!;
    },
  };
}
