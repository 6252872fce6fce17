import { expect, test } from 'vitest';
import { encodeKey, signRequest } from '../../src/server/bytes/origins/remote/signRequest.ts';

/** The credentials and the time of the published examples. */
const EXAMPLE = {
  credentials: { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY' },
  now: new Date('2015-08-30T12:36:00Z'),
};

function signatureOf(request: Partial<Parameters<typeof signRequest>[0]>): string {
  const base = { host: 'example.amazonaws.com', path: '/', query: [], region: 'us-east-1', service: 'service' };
  const options = { ...base, now: EXAMPLE.now, sendsHash: false, ...request };
  return /Signature=(\w+)/.exec(signRequest(options, EXAMPLE.credentials)['authorization'] ?? '')?.[1] ?? '';
}

// From the Signature Version 4 test suite that AWS publishes (aws-sig-v4-test-suite).
test.each([
  ['get-vanilla', {}, '5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31'],
  [
    'get-vanilla-query-order-key-case',
    {
      query: [
        ['Param2', 'value2'],
        ['Param1', 'value1'],
      ] as const,
    },
    'b97d918cfa904a5beff61c982a1b6f458b799221646efd99d3219ec94cdf2500',
  ],
  [
    'get-unreserved',
    { path: '/-._~0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz' },
    '07ef7494c76fa4850883e2b006601f940f8a34d404d0cfa977f52a65bbf5f24f',
  ],
  ['get-utf8', { path: '/%E1%88%B4' }, '8318018e0b0f223aa2bbf98705b62bb787dc9c0e678f255a891fd03141be5d85'],
])('signs the published example %s', (_, request, signature) => {
  expect(signatureOf(request)).toBe(signature);
});

test('signs the published example of a GET of a range of an S3 object', () => {
  const headers = signRequest(
    {
      host: 'examplebucket.s3.amazonaws.com',
      path: '/test.txt',
      query: [],
      headers: { range: 'bytes=0-9' },
      region: 'us-east-1',
      now: new Date('2013-05-24T00:00:00Z'),
    },
    { accessKeyId: 'AKIAIOSFODNN7EXAMPLE', secretAccessKey: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY' },
  );
  // "Example: GET Object" of the documentation of S3, "Signature Calculations for the Authorization Header".
  expect(headers['authorization']).toBe(
    'AWS4-HMAC-SHA256 Credential=AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/aws4_request, ' +
      'SignedHeaders=host;range;x-amz-content-sha256;x-amz-date, ' +
      'Signature=f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41',
  );
});

test('a key is encoded once, and its slashes stay', () => {
  expect(encodeKey("a//b/../c d+e'(1)*ü.dcm")).toBe('a//b/../c%20d%2Be%27%281%29%2A%C3%BC.dcm');
});
