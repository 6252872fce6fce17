import { createAzureStore } from './azureStore.ts';
import {
  createGoogleCredentials,
  createTokenFinder,
  type ProcessVariables,
  findAzureCredentials,
  type FindCredentials,
  readAwsSettings,
} from './credentials.ts';
import { createDicomwebStore } from './dicomwebStore.ts';
import { parseRemoteInput } from './remoteInput.ts';
import type { RemoteStore } from './remoteStore.ts';
import { createS3Store } from './s3Store.ts';
import { createWebStore } from './webStore.ts';

export type StoreOptions = {
  /** Ask without credentials, even if there are some. */
  readonly anonymous: boolean;
  /** Of the AWS configuration. */
  readonly profile: string | undefined;
  readonly endpoint: string | undefined;
  readonly region: string | undefined;
  /** A command that prints a token. */
  readonly bearerCommand: string | undefined;
};

/** Opens a place that the user has named. Throws `RemoteFailure` if its credentials cannot be found. */
export async function createStore(
  input: string,
  options: StoreOptions,
  environment: ProcessVariables = process.env,
): Promise<RemoteStore> {
  const parsed = parseRemoteInput(input);
  const { anonymous, profile, region } = options;
  switch (parsed.kind) {
    case 's3': {
      const aws = await readAwsSettings(environment, profile);
      return createS3Store({
        ...parsed,
        scheme: 's3',
        endpoint: toUrl(options.endpoint ?? aws.endpoint),
        region: region ?? aws.region,
        findCredentials: anonymous ? noCredentials : aws.credentials,
      });
    }
    case 'gs': {
      // Keys for the interface of S3 are those of a profile, if one is named; those of AWS are not sent to others.
      const keys = profile === undefined ? undefined : await readAwsSettings(environment, profile);
      const findCredentials = keys?.credentials ?? createGoogleCredentials(environment);
      return createS3Store({
        ...parsed,
        scheme: 'gs',
        endpoint: toUrl(options.endpoint),
        region,
        findCredentials: anonymous ? noCredentials : findCredentials,
      });
    }
    case 'az':
      return createAzureStore({
        ...parsed,
        endpoint: toUrl(options.endpoint),
        credentials: anonymous ? undefined : findAzureCredentials(environment, parsed.account),
      });
    case 'web':
      return createWebStore({ url: parsed.url, findToken: createTokenFinder(options.bearerCommand) });
    case 'dicomweb':
      return createDicomwebStore({ ...parsed, findToken: createTokenFinder(options.bearerCommand) });
  }
}

function toUrl(text: string | undefined): URL | undefined {
  return text === undefined ? undefined : new URL(text);
}

const noCredentials: FindCredentials = () => Promise.resolve(undefined);
