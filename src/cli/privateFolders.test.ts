import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { createTempFolder } from '../../test/support/tempFolder.ts';
import { createLeftovers } from './leftovers.ts';
import { createTemporaryFolder, removeAbandonedFolders } from './privateFolders.ts';

test('only folders of a process that is gone, of this place and of our making are removed', async () => {
  const elsewhere = createTempFolder();
  const temporary = useTemporaryFolder();
  const ours = basename(createTemporaryFolder(createLeftovers()).path);
  const { pid: gone } = spawnSync(process.execPath, ['--version']);
  const abandoned = ours.replace(`-${process.pid}-`, `-${gone}-`);
  mkdirSync(join(temporary, abandoned, 'study'), { recursive: true });
  writeFileSync(join(temporary, abandoned, 'study', '1.dcm'), '');
  const kept = {
    ofAnotherPlace: abandoned.replace(/^negato-[0-9a-f]{12}/, `negato-${'0'.repeat(12)}`),
    ofAnotherName: `negato-${gone}`,
  };
  for (const name of Object.values(kept)) mkdirSync(join(temporary, name));
  const link = `${abandoned.slice(0, -1)}_`;
  symlinkSync(elsewhere, join(temporary, link));

  await removeAbandonedFolders();

  expect(readdirSync(temporary).toSorted()).toEqual([ours, link, ...Object.values(kept)].toSorted());
});

function useTemporaryFolder(): string {
  const before = process.env['TMPDIR'];
  const folder = createTempFolder();
  process.env['TMPDIR'] = folder;
  onTestFinished(() => {
    if (before === undefined) delete process.env['TMPDIR'];
    else process.env['TMPDIR'] = before;
  });
  return folder;
}
