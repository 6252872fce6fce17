import { expect, test } from 'vitest';
import { isRemoteInput, labelOfInput, parseRemoteInput } from '../../src/server/origins/remote/remoteInput.ts';

test.each([
  ['s3://idc-open-data/0a1b/*', { kind: 's3', bucket: 'idc-open-data', prefix: '0a1b/' }],
  ['s3://bucket', { kind: 's3', bucket: 'bucket', prefix: '' }],
  ['gs://my.bucket/a b/c.dcm', { kind: 'gs', bucket: 'my.bucket', prefix: 'a b/c.dcm' }],
  ['az://account/container/x/y', { kind: 'az', account: 'account', container: 'container', prefix: 'x/y' }],
])('%s is a place in object storage', (input, expected) => {
  expect(isRemoteInput(input)).toBe(true);
  expect(parseRemoteInput(input)).toEqual(expected);
});

test.each(['s3://', 's3:///key', 's3://a@b/key', 's3://b:80/key', 'az://account', 'az://ac/../x', 'https://'])(
  '%s is refused',
  (input) => {
    expect(() => parseRemoteInput(input)).toThrow(/not valid|write/);
  },
);

test.each(['./s3:/a', 's3', 'C:\\study', 'file.dcm', 'ftp://host/x', 's3:/a'])('%s is a path', (input) => {
  expect(isRemoteInput(input)).toBe(false);
});

test('the label of an address has neither its user nor its query', () => {
  const label = labelOfInput(parseRemoteInput('https://user:secret@host:8443/a/b.dcm?X-Amz-Signature=secret#secret'));

  expect(label).toBe('https://host:8443/a/b.dcm');
});
