import { execFile } from 'node:child_process';
import { createSign } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { parseJson } from '../../../machine/workers/parseJson.ts';
import { RemoteFailure } from './remoteClient.ts';
import type { StoreCredentials } from './s3Store.ts';

export type ProcessVariables = Readonly<Record<string, string | undefined>>;

/** `renewed`: the last ones were refused, so that cached ones are of no use. */
export type FindCredentials = (options: { readonly renewed: boolean }) => Promise<StoreCredentials | undefined>;

export type AwsSettings = {
  readonly credentials: FindCredentials;
  readonly region: string | undefined;
  readonly endpoint: string | undefined;
};

const COMMAND_MS = 30_000;
const MOST_OUTPUT = 256 * 1024;

/**
 * The settings of AWS tools: the environment, then the profile in the shared files, with `credential_process`. Addresses
 * that give credentials to a whole machine are never asked. Reads the files at once, and the credentials when needed.
 */
export async function readAwsSettings(
  environment: ProcessVariables,
  profile: string | undefined,
): Promise<AwsSettings> {
  const home = environment['HOME'] ?? homedir();
  const name = profile ?? environment['AWS_PROFILE'] ?? environment['AWS_DEFAULT_PROFILE'] ?? 'default';
  const files = {
    config: environment['AWS_CONFIG_FILE'] ?? join(home, '.aws', 'config'),
    credentials: environment['AWS_SHARED_CREDENTIALS_FILE'] ?? join(home, '.aws', 'credentials'),
  };
  const readProfile = async () => ({
    ...(await readSection(files.config, name === 'default' ? ['default', 'profile default'] : [`profile ${name}`])),
    ...(await readSection(files.credentials, [name])),
  });
  const first = await readProfile();
  const requireProfile = (section: Section) => {
    if (Object.keys(section).length > 0) return;
    const from = profile === undefined ? 'AWS_PROFILE' : '--profile';
    throw new RemoteFailure(
      'origin_denied',
      `the AWS configuration has no profile ${name}: check ${from} and the names in ~/.aws/config and ~/.aws/credentials, ` +
        'or in the files that AWS_CONFIG_FILE and AWS_SHARED_CREDENTIALS_FILE name',
    );
  };
  if (profile !== undefined) requireProfile(first);
  return {
    region: environment['AWS_REGION'] ?? environment['AWS_DEFAULT_REGION'] ?? first['region'],
    endpoint: environment['AWS_ENDPOINT_URL_S3'] ?? environment['AWS_ENDPOINT_URL'] ?? first['endpoint_url'],
    async credentials({ renewed }) {
      const own = toKeys({
        aws_access_key_id: environment['AWS_ACCESS_KEY_ID'],
        aws_secret_access_key: environment['AWS_SECRET_ACCESS_KEY'],
        aws_session_token: environment['AWS_SESSION_TOKEN'],
      });
      // A profile that is named on the command line was chosen later than the environment.
      if (own !== undefined && profile === undefined) return own;
      // Another program may have written new ones.
      const section = renewed ? await readProfile() : first;
      // Without a name, the place may be public.
      if (name !== 'default') requireProfile(section);
      const command = section['credential_process'];
      return toKeys(section) ?? (command === undefined ? undefined : runCredentialProcess(command));
    },
  };
}

type Section = Readonly<Record<string, string | undefined>>;

function toKeys(section: Section): StoreCredentials | undefined {
  const { aws_access_key_id: accessKeyId, aws_secret_access_key: secretAccessKey } = section;
  if (accessKeyId === undefined || secretAccessKey === undefined) return undefined;
  return { kind: 'keys', accessKeyId, secretAccessKey, sessionToken: section['aws_session_token'] };
}

/** The settings of the first section with one of these names. */
async function readSection(path: string, names: readonly string[]): Promise<Section> {
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch {
    return {};
  }
  return parseIni(text).find(({ name }) => names.includes(name))?.values ?? {};
}

/** Settings with an indent belong to another setting and are left out. */
export function parseIni(text: string): { readonly name: string; readonly values: Section }[] {
  const sections: { name: string; values: Record<string, string> }[] = [];
  for (const line of text.split(/\r?\n/)) {
    const [, name] = /^\[\s*([^\]]+?)\s*\]/.exec(line) ?? [];
    const [, key, value] = /^(\w+)\s*=\s*(.*?)\s*$/.exec(line) ?? [];
    if (name !== undefined) sections.push({ name: name.replace(/\s+/g, ' '), values: {} });
    const last = sections.at(-1);
    if (last !== undefined && key !== undefined && value !== undefined) last.values[key] = value;
  }
  return sections;
}

/** What a program of the user prints, by the rules of the AWS configuration. */
async function runCredentialProcess(command: string): Promise<StoreCredentials> {
  const output = await runCommand(command, 'credential_process');
  let found: { AccessKeyId?: unknown; SecretAccessKey?: unknown; SessionToken?: unknown } | undefined;
  try {
    found = Object(parseJson(output));
  } catch {
    // Its output may contain secrets, so it is not shown.
  }
  const { AccessKeyId: accessKeyId, SecretAccessKey: secretAccessKey, SessionToken: sessionToken } = found ?? {};
  if (typeof accessKeyId !== 'string' || typeof secretAccessKey !== 'string') {
    throw new RemoteFailure('origin_denied', 'the credential_process of the AWS profile printed no credentials');
  }
  const token = typeof sessionToken === 'string' ? sessionToken : undefined;
  return { kind: 'keys', accessKeyId, secretAccessKey, sessionToken: token };
}

const run = promisify(execFile);

/** Runs a program without a shell. Words may be quoted. */
export async function runCommand(command: string, what: string): Promise<string> {
  const [program = '', ...words] = splitWords(command);
  try {
    const { stdout } = await run(program, words, { timeout: COMMAND_MS, maxBuffer: MOST_OUTPUT, windowsHide: true });
    return stdout;
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'ended';
    throw new RemoteFailure('origin_denied', `the command of ${what} failed (${code})`);
  }
}

export function splitWords(command: string): string[] {
  return [...command.matchAll(/(?:"((?:[^"\\]|\\.)*)"|'([^']*)'|((?:[^\s"'\\]|\\.)+))+/g)].map(([whole]) =>
    whole.replace(/"((?:[^"\\]|\\.)*)"|'([^']*)'|\\(.)/g, (_, double: string | undefined, single, escaped) =>
      double === undefined ? (single ?? escaped) : double.replace(/\\(["\\$`])/g, '$1'),
    ),
  );
}

/** The token that a command prints; it runs again if the token was refused, at most once a minute. */
export function createTokenFinder(
  command: string | undefined,
): (o: { renewed: boolean }) => Promise<string | undefined> {
  let last: { readonly token: Promise<string | undefined>; readonly atMs: number } | undefined;
  return ({ renewed }) => {
    if (command === undefined) return Promise.resolve(undefined);
    const mayRun = last === undefined || (renewed && performance.now() - last.atMs > ONCE_MS);
    if (!mayRun) return renewed ? Promise.resolve(undefined) : last!.token;
    const token = runCommand(command, '--bearer-command').then((output) => {
      const text = output.trim();
      if (/^[\x21-\x7e]+$/.test(text)) return text;
      throw new RemoteFailure('origin_denied', '--bearer-command printed no token');
    });
    last = { token, atMs: performance.now() };
    return token;
  };
}

const ONCE_MS = 60_000;

/**
 * The service account of GOOGLE_APPLICATION_CREDENTIALS signs tokens for the storage itself, so that no other address is
 * asked for them.
 */
export function createGoogleCredentials(environment: ProcessVariables, now = () => Date.now()): FindCredentials {
  const path = environment['GOOGLE_APPLICATION_CREDENTIALS'];
  return async () => {
    if (path === undefined || path === '') return undefined;
    let account: { client_email?: unknown; private_key?: unknown; private_key_id?: unknown };
    try {
      account = Object(parseJson(await readStart(path)));
    } catch {
      throw new RemoteFailure('origin_denied', 'the file of GOOGLE_APPLICATION_CREDENTIALS cannot be read');
    }
    const { client_email: email, private_key: key, private_key_id: kid } = account;
    if (typeof email !== 'string' || typeof key !== 'string') {
      throw new RemoteFailure('origin_denied', 'GOOGLE_APPLICATION_CREDENTIALS does not name a service account');
    }
    const seconds = Math.floor(now() / 1000);
    const claims = { iss: email, sub: email, aud: GOOGLE_STORAGE, iat: seconds, exp: seconds + 3600 };
    const content = [{ alg: 'RS256', typ: 'JWT', ...(typeof kid === 'string' && { kid }) }, claims]
      .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
      .join('.');
    const signature = createSign('RSA-SHA256').update(content).sign(key, 'base64url');
    return { kind: 'bearer', token: `${content}.${signature}` };
  };
}

const GOOGLE_STORAGE = 'https://storage.googleapis.com/';

/** AZURE_STORAGE_SAS_TOKEN, or the key of the account that AZURE_STORAGE_ACCOUNT names. */
export function findAzureCredentials(environment: ProcessVariables, account: string) {
  const sas = environment['AZURE_STORAGE_SAS_TOKEN'];
  if (sas !== undefined && sas !== '') return { sas };
  const accountKey = environment['AZURE_STORAGE_KEY'];
  if (accountKey === undefined || accountKey === '') return undefined;
  return (environment['AZURE_STORAGE_ACCOUNT'] ?? account) === account ? { accountKey } : undefined;
}

/** Of a service account; its file takes 3 kB. */
const LONGEST_ACCOUNT = 2 ** 20;

async function readStart(path: string): Promise<string> {
  let text = '';
  for await (const piece of createReadStream(path, { encoding: 'utf8', end: LONGEST_ACCOUNT - 1 }))
    text += String(piece);
  return text;
}
