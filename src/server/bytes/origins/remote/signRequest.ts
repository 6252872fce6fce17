import { createHash, createHmac } from 'node:crypto';

export type AwsCredentials = {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string | undefined;
};

export type SignedRequest = {
  readonly host: string;
  /** Encoded, as it is sent. */
  readonly path: string;
  /** Decoded names and values. */
  readonly query: readonly (readonly [string, string])[];
  readonly headers?: Readonly<Record<string, string>>;
  readonly region: string;
  readonly service?: string;
  readonly now: Date;
  /** S3 wants the hash of the body as a header; the body of a GET is empty. */
  readonly sendsHash?: boolean;
};

/** The headers that sign a GET request by AWS Signature Version 4. */
export function signRequest(request: SignedRequest, credentials: AwsCredentials): Record<string, string> {
  const { host, path, query, region, service = 's3', now, sendsHash = true } = request;
  const time = now.toISOString().replace(/[-:]|\.\d{3}/g, '');
  const scope = `${time.slice(0, 8)}/${region}/${service}/aws4_request`;
  const emptyHash = sha256('');
  const headers: Record<string, string> = {
    ...request.headers,
    host,
    'x-amz-date': time,
    ...(sendsHash && { 'x-amz-content-sha256': emptyHash }),
    ...(credentials.sessionToken !== undefined && { 'x-amz-security-token': credentials.sessionToken }),
  };
  const signed = Object.entries(headers)
    .map(([name, value]) => [name.toLowerCase(), value.trim().replace(/ +/g, ' ')] as const)
    .toSorted(([a], [b]) => (a < b ? -1 : 1));
  const names = signed.map(([name]) => name).join(';');
  const canonical = [
    'GET',
    path,
    encodeQuery(query),
    ...signed.map(([name, value]) => `${name}:${value}`),
    '',
    names,
    emptyHash,
  ].join('\n');
  const toSign = `AWS4-HMAC-SHA256\n${time}\n${scope}\n${sha256(canonical)}`;
  const key = [time.slice(0, 8), region, service, 'aws4_request'].reduce<Buffer>(
    (secret, part) => hmac(secret, part),
    Buffer.from(`AWS4${credentials.secretAccessKey}`),
  );
  const signature = hmac(key, toSign).toString('hex');
  const credential = `${credentials.accessKeyId}/${scope}`;
  const authorization = `AWS4-HMAC-SHA256 Credential=${credential}, SignedHeaders=${names}, Signature=${signature}`;
  const { host: _host, ...sent } = headers;
  return { ...sent, authorization };
}

/** In the order and with the encoding that the signature is made of. */
export function encodeQuery(query: readonly (readonly [string, string])[]): string {
  return query
    .map(([name, value]) => `${encodePart(name)}=${encodePart(value)}`)
    .toSorted()
    .join('&');
}

/** Each part between slashes is encoded once; slashes stay, even two in a row. */
export function encodeKey(key: string): string {
  return key.split('/').map(encodePart).join('/');
}

function encodePart(text: string): string {
  return encodeURIComponent(text).replace(/[!'()*]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`);
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

function hmac(key: Buffer, text: string): Buffer {
  return createHmac('sha256', key).update(text).digest();
}
