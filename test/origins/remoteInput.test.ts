import { expect, test } from 'vitest';
import { isRemoteInput, labelOfInput, parseRemoteInput } from '../../src/server/bytes/origins/remote/remoteInput.ts';

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

test.each([
  ['dicomweb+https://host/dicom-web', 'https://host/dicom-web', []],
  ['dicomweb+https://host/dicom-web/', 'https://host/dicom-web', []],
  ['DICOMweb+https://host', 'https://host/', []],
  ['dicomweb+http://host:8042/a/studies?PatientID=1', 'http://host:8042/a?PatientID=1', []],
  ['dicomweb+https://host/a/b/studies/1.2', 'https://host/a/b', ['1.2']],
  ['dicomweb+https://host/a/studies/1.2/series/3.4/?x=y', 'https://host/a?x=y', ['1.2', '3.4']],
  ['dicomweb+https://host/studies/1.2/series/3.4/instances/5.6', 'https://host/', ['1.2', '3.4', '5.6']],
  // The root of a service may be called so, too.
  ['dicomweb+https://host/studies/old/dicom-web', 'https://host/studies/old/dicom-web', []],
])('%s is a DICOMweb server', (input, address, uids) => {
  expect(isRemoteInput(input)).toBe(true);
  const parsed = parseRemoteInput(input);
  expect(parsed).toMatchObject({ kind: 'dicomweb', uids });
  expect('url' in parsed && parsed.url.href).toBe(address);
});

test.each([
  'dicomweb+https://',
  'dicomweb+https://host/a/studies/1.2%2F3',
  'dicomweb+https://host/a/studies/1.2/series/x%20y',
])('%s is refused as an address of DICOMweb', (input) => {
  expect(() => parseRemoteInput(input)).toThrow(/not valid/);
});

test('the label of a DICOMweb server has neither its user nor its query', () => {
  const input = parseRemoteInput('dicomweb+https://user:secret@host:8443/a/studies/1.2/series/3.4?PatientID=secret');

  expect(labelOfInput(input)).toBe('dicomweb+https://host:8443/a/studies/1.2/series/3.4');
});
