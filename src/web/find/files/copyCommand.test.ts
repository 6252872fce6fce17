import { expect, test } from 'vitest';
import { writeCopyCommand } from './copyCommand.ts';

test.each([
  [['/data/a/1.dcm', '/data/a/2.dcm'], undefined, 'negato deidentify /data/a --out COPIES'],
  [
    ['/data/a/1.dcm', '/data/b c/2.dcm'],
    "SeriesInstanceUID in ('1.2.3', '1.2.4')",
    String.raw`negato deidentify /data/a '/data/b c' --out COPIES --where 'SeriesInstanceUID in ('\''1.2.3'\'', '\''1.2.4'\'')'`,
  ],
  [['1', '2', '3', '4', '5'].map((name) => `/data/${name}/x.dcm`), '', 'negato deidentify /data --out COPIES'],
  [['a', 'ab', 'abc', 'b', 'c'].map((name) => `/${name}/x.dcm`), undefined, 'negato deidentify / --out COPIES'],
  [['s3://bucket/x/1.dcm'], undefined, 'negato deidentify s3://bucket/x --out COPIES'],
  [["/d/$(id) `id`/it's.dcm"], undefined, "negato deidentify '/d/$(id) `id`' --out COPIES"],
  [
    [String.raw`C:\My data\1.dcm`],
    "Modality = 'CT'",
    String.raw`negato deidentify "C:\My data" --out COPIES --where "Modality = 'CT'"`,
  ],
])('the command for copies of %j that meet %j', (paths, where, command) => {
  expect(writeCopyCommand(paths, where)).toBe(command);
});
