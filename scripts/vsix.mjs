// npm run vsix: builds the viewer and the extension for VS Code that carries it, checks both, and writes
// `vscode/negato-VERSION.vsix`, one file for all platforms.
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { checkManifest, listFiles } from './checkExtension.mjs';
import { writeZip } from './writeZip.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const manifest = { ...JSON.parse(readFileSync(join(root, 'vscode', 'manifest.json'), 'utf8')), version };

if (!process.argv.includes('--no-build')) {
  const { status } = spawnSync(process.execPath, [join(root, 'scripts', 'build.mjs')], { stdio: 'inherit' });
  if (status !== 0) process.exit(1);
}
const { outputFiles } = await build({
  absWorkingDir: root,
  entryPoints: ['vscode/src/extension.ts'],
  bundle: true,
  platform: 'node',
  // The oldest editor that the manifest names.
  target: 'node20',
  format: 'cjs',
  external: ['vscode'],
  write: false,
  minify: true,
});
const viewer = listFiles(join(root, 'dist')).map(({ name, bytes }) => ({ name: `dist/${name}`, bytes }));
const text = (name, content) => ({ name, bytes: Buffer.from(content) });
const files = [
  text('package.json', JSON.stringify(manifest, null, 2)),
  { name: 'extension.js', bytes: outputFiles[0].contents },
  { name: 'README.md', bytes: readFileSync(join(root, 'vscode', 'README.md')) },
  { name: 'CHANGELOG.md', bytes: readFileSync(join(root, 'CHANGELOG.md')) },
  { name: 'LICENSE.txt', bytes: readFileSync(join(root, 'LICENSE')) },
  // The extension is CommonJS and the viewer is not; without this the editor's program would take it for CommonJS too.
  text('dist/package.json', '{"type":"module"}\n'),
  ...viewer.filter(({ name }) => name !== 'dist/package.json'),
];
const problems = checkManifest(manifest, files);
if (problems.length > 0) {
  console.error(problems.map((problem) => `vscode/manifest.json: ${problem}`).join('\n'));
  process.exit(1);
}
const bytes = writeZip([
  text('extension.vsixmanifest', vsixManifest()),
  text('[Content_Types].xml', contentTypes()),
  ...files.map(({ name, bytes: content }) => ({ name: `extension/${name}`, bytes: content })),
]);
for (const old of readdirSync(join(root, 'vscode'))) if (old.endsWith('.vsix')) rmSync(join(root, 'vscode', old));
const target = `vscode/negato-${version}.vsix`;
writeFileSync(join(root, target), bytes);
console.log(`${target}: ${files.length} files, ${(bytes.length / 1e6).toFixed(1)} MB`);

function vsixManifest() {
  const { name: id, publisher, displayName, description, keywords, categories, engines } = manifest;
  const property = (key, value) => `<Property Id="Microsoft.VisualStudio.Code.${key}" Value="${escapeXml(value)}"/>`;
  return `<?xml version="1.0" encoding="utf-8"?>
<PackageManifest Version="2.0.0" xmlns="http://schemas.microsoft.com/developer/vsx-schema/2011">
<Metadata>
<Identity Language="en-US" Id="${escapeXml(id)}" Version="${escapeXml(version)}" Publisher="${escapeXml(publisher)}"/>
<DisplayName>${escapeXml(displayName)}</DisplayName>
<Description xml:space="preserve">${escapeXml(description)}</Description>
<Tags>${escapeXml(keywords.join(','))}</Tags>
<Categories>${escapeXml(categories.join(','))}</Categories>
<GalleryFlags>Public</GalleryFlags>
<Properties>
${property('Engine', engines.vscode)}
${property('ExtensionKind', manifest.extensionKind.join(','))}
</Properties>
<License>extension/LICENSE.txt</License>
</Metadata>
<Installation><InstallationTarget Id="Microsoft.VisualStudio.Code"/></Installation>
<Dependencies/>
<Assets>
<Asset Type="Microsoft.VisualStudio.Code.Manifest" Path="extension/package.json" Addressable="true"/>
<Asset Type="Microsoft.VisualStudio.Services.Content.Details" Path="extension/README.md" Addressable="true"/>
<Asset Type="Microsoft.VisualStudio.Services.Content.Changelog" Path="extension/CHANGELOG.md" Addressable="true"/>
<Asset Type="Microsoft.VisualStudio.Services.Content.License" Path="extension/LICENSE.txt" Addressable="true"/>
</Assets>
</PackageManifest>
`;
}

function contentTypes() {
  const endings = new Set(['vsixmanifest', ...files.map(({ name }) => name.split('.').at(-1) ?? '')]);
  const types = [...endings].map(
    (ending) => `<Default Extension=".${escapeXml(ending)}" ContentType="application/octet-stream"/>`,
  );
  return `<?xml version="1.0" encoding="utf-8"?>
<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">${types.join('')}</Types>
`;
}

function escapeXml(given) {
  return String(given).replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
}
