import { ENDPOINTS } from '../../src/shared/contract/endpoints.ts';
import { ERROR_STATUS } from '../../src/shared/contract/errorStatus.ts';
import { HEADER } from '../../src/shared/contract/headers.ts';
import { type FastResponse, readFast } from './readFast.ts';

export type Answer = {
  readonly endpoint: string;
  /** `shown`, the error code of a refusal, or a description of what is wrong with the answer. */
  readonly outcome: string;
  readonly isInContract: boolean;
  readonly ms: number;
};

/** All GET endpoints about one file; they are requested for its first frame. */
const ABOUT_A_FILE = Object.entries(ENDPOINTS).filter(
  ([, { method, path }]) => method === 'GET' && /:index|:layer/.test(path),
);

const PLANE = '?position=0,0,0&orientation=1,0,0,0,1,0&spacing=1,1&rows=16&columns=16&slab=20';
/** Of endpoints that answer nothing without one. */
const QUERIES: Readonly<Partial<Record<string, string>>> = {
  tagSelect: '?path=(0008,0018)',
  rawPlane: PLANE,
  layerOverPlane: `${PLANE}&frame_of_reference=2.25.500`,
  displayPlane: PLANE,
  planeThumbnail: PLANE,
  volumeValue: '?at=0,0,0',
  layerFrame: '?file=0&frame=0',
  dvh: '?dose=0',
  plan: '?beam=0',
  layerRegion: '?x=0&y=0&width=100&height=100&pixel=1',
};

/** All endpoints about a file, or those that `isAsked` chooses by their names and places in the contract. */
export async function askEverything(
  baseUrl: string,
  index: number,
  isAsked: (endpoint: string, at: number) => boolean = () => true,
): Promise<readonly Answer[]> {
  return Promise.all(
    ABOUT_A_FILE.filter(([endpoint], at) => isAsked(endpoint, at)).map(async ([endpoint, { path }]) => {
      const address = path.replace(/:index|:layer/, String(index)).replace(/:frame|:group|:spectrum|:medium/, '0');
      return askOne(endpoint, `${baseUrl}/api${address}${QUERIES[endpoint] ?? ''}`);
    }),
  );
}

const MOST_TRIES = 10;

export async function askOne(endpoint: string, url: string): Promise<Answer> {
  const start = performance.now();
  let outcome = outcomeOf(await readFast(url));
  // Many requests at once on a busy machine: clients ask again when they are told to.
  for (let tries = 0; outcome.outcome === 'decode_busy' && tries < MOST_TRIES; tries += 1) {
    await new Promise((next) => setTimeout(next, 1_000));
    outcome = outcomeOf(await readFast(url));
  }
  return { endpoint, ms: performance.now() - start, ...outcome };
}

function outcomeOf(response: FastResponse): Pick<Answer, 'outcome' | 'isInContract'> {
  if (response.status === 200) {
    const isDamaged = response.headers[HEADER.damage.toLowerCase()] !== undefined;
    return { outcome: isDamaged ? 'shown damaged' : 'shown', isInContract: true };
  }
  const failure: unknown = JSON.parse(response.text());
  const code = typeof failure === 'object' && failure !== null && 'code' in failure ? String(failure.code) : '';
  const status = Object.entries(ERROR_STATUS).find(([known]) => known === code)?.[1];
  const isInContract = status === response.status && code !== 'internal_error';
  return { outcome: isInContract ? code : `${response.status} ${code}`, isInContract };
}
