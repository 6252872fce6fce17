import { expect, test } from 'vitest';
import { createLinkTargets } from './linkTargets.ts';

test('the links to a file are known until they are removed', () => {
  const links = createLinkTargets<string>();
  links.add('/data/a.dcm', '/scans/1.dcm', 'data');
  links.add('/more/b.dcm', '/scans/1.dcm', 'more');
  expect(links.find('/data/a.dcm')).toBe('/scans/1.dcm');
  links.remove('/data/a.dcm');
  links.remove('/data/a.dcm');
  expect([...links.linksTo('/scans/1.dcm')]).toEqual([['/more/b.dcm', 'more']]);
  expect([...links.linksTo('/scans/2.dcm')]).toEqual([]);
});
