import type { HttpAnswer } from './httpClient.ts';
import type { WebHost } from './webHost.ts';

/** Object storage whose refusals have codes. */
export type StorageScheme = 's3' | 'gs' | 'az';

/**
 * What the user can do about an answer that refuses; undefined if there is nothing to say. `code` is what the storage calls the
 * error. Nothing of the answer is repeated but the name of a region.
 */
export function findAdvice(
  scheme: StorageScheme,
  code: string | undefined,
  { status, headers, bytes }: HttpAnswer,
): string | undefined {
  const kind = code === undefined ? undefined : KINDS[code];
  if (kind === 'region') {
    const region = findRegion(headers, bytes);
    return region === undefined ? REGION_ADVICE : `the bucket is in ${region}: use --region ${region} or AWS_REGION`;
  }
  if (kind !== undefined) return ADVICE[kind][scheme];
  return status === 401 || status === 403 ? ADVICE.rights[scheme] : undefined;
}

/** What the user can do about a connection that failed, by the code of the system. */
export function findConnectionAdvice(
  scheme: StorageScheme | undefined,
  code: string,
  { protocol, hostname, port }: WebHost,
): string | undefined {
  const what = CONNECTION[code];
  if (what === undefined) return undefined;
  const check = scheme === undefined ? 'the address' : CONNECTED_BY[scheme];
  return `${what} at ${protocol}//${hostname}${port === '' ? '' : `:${port}`}: check ${check}`;
}

const CONNECTION: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'no server listens',
  ENOTFOUND: 'there is no machine of this name',
  EAI_AGAIN: 'the name of the machine cannot be looked up',
  EHOSTUNREACH: 'the machine cannot be reached',
  ENETUNREACH: 'the machine cannot be reached',
  EPROTO: 'the server does not speak TLS',
  ERR_SSL_WRONG_VERSION_NUMBER: 'the server does not speak TLS',
};

const CONNECTED_BY: Readonly<Record<StorageScheme, string>> = {
  s3: '--endpoint, AWS_ENDPOINT_URL and the endpoint_url of the profile',
  gs: '--endpoint',
  az: '--endpoint and az://ACCOUNT/CONTAINER',
};

type Kind = 'keys' | 'expired' | 'rights' | 'place' | 'clock';

/** Of Amazon S3, of Google's XML API, which has the same, and of Azure Blob Storage. */
const KINDS: Readonly<Record<string, Kind | 'region'>> = {
  InvalidAccessKeyId: 'keys',
  SignatureDoesNotMatch: 'keys',
  InvalidSecurity: 'keys',
  InvalidToken: 'keys',
  AuthenticationFailed: 'keys',
  ExpiredToken: 'expired',
  TokenRefreshRequired: 'expired',
  AccessDenied: 'rights',
  AllAccessDisabled: 'rights',
  AuthenticationRequired: 'rights',
  AuthorizationFailure: 'rights',
  AuthorizationPermissionMismatch: 'rights',
  NoAuthenticationInformation: 'rights',
  PublicAccessNotPermitted: 'rights',
  NoSuchBucket: 'place',
  ContainerNotFound: 'place',
  ResourceNotFound: 'place',
  RequestTimeTooSkewed: 'clock',
  AuthorizationHeaderMalformed: 'region',
  IllegalLocationConstraintException: 'region',
  PermanentRedirect: 'region',
};

const AWS_KEYS = 'AWS_PROFILE, --profile, or AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY';
const GOOGLE_KEYS = 'GOOGLE_APPLICATION_CREDENTIALS, or the HMAC keys of --profile';
const AZURE_KEYS = 'AZURE_STORAGE_SAS_TOKEN, or AZURE_STORAGE_KEY and AZURE_STORAGE_ACCOUNT';
const CLOCK = 'set the clock of this machine';
const REGION_ADVICE = 'the bucket is in another region: use --region or AWS_REGION';

const ADVICE: Readonly<Record<Kind, Readonly<Record<StorageScheme, string>>>> = {
  keys: {
    s3: `the keys are not known there: check ${AWS_KEYS}; --anonymous for a public bucket`,
    gs: `the keys are not known there: check ${GOOGLE_KEYS}; --anonymous for a public bucket`,
    az: `the keys are not known there: check ${AZURE_KEYS}; --anonymous for a public container`,
  },
  expired: {
    s3: 'the keys have expired: eval "$(aws configure export-credentials --format env)"',
    gs: `the keys have expired: renew ${GOOGLE_KEYS}`,
    az: `the keys have expired: renew ${AZURE_KEYS}`,
  },
  rights: {
    s3: `it needs keys that may list and read it (s3:ListBucket, s3:GetObject): ${AWS_KEYS}`,
    gs: `it needs keys that may list and read it: ${GOOGLE_KEYS}`,
    az: `it needs keys that may list and read it: ${AZURE_KEYS}`,
  },
  place: {
    s3: 'there is no such bucket: check its name, and --endpoint for a server of your own',
    gs: 'there is no such bucket: check its name',
    az: 'there is no such container: check az://ACCOUNT/CONTAINER',
  },
  clock: { s3: CLOCK, gs: CLOCK, az: CLOCK },
};

/** As the header says it, or the body. */
function findRegion(headers: HttpAnswer['headers'], bytes: Uint8Array): string | undefined {
  const text = Buffer.from(bytes.subarray(0, 4096)).toString('latin1');
  const told = headers['x-amz-bucket-region'] ?? /<Region>([^<]*)<\/Region>/.exec(text)?.[1];
  return typeof told === 'string' && /^[a-z0-9-]{1,40}$/.test(told) ? told : undefined;
}
