import { Agent, get } from 'node:http';

/** Times in milliseconds. */
export type Times = { readonly p50: number; readonly p99: number; readonly best: number; readonly count: number };

export function toTimes(values: readonly number[]): Times {
  const sorted = values.toSorted((a, b) => a - b);
  const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
  return { p50: at(0.5), p99: at(0.99), best: at(0), count: sorted.length };
}

type Answer = { readonly bytes: number; readonly cache: string | undefined };

/** Asks one after the other on one kept connection; the time of each is from the request to the last byte. */
export async function timeRequests(urls: readonly string[], expectedCache?: 'HIT' | 'MISS'): Promise<Times> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const times: number[] = [];
  try {
    for (const url of urls) {
      const began = performance.now();
      const { cache } = await fetchBytes(url, agent);
      times.push(performance.now() - began);
      if (expectedCache !== undefined && cache !== expectedCache) throw new Error(`${url} is a ${cache}`);
    }
  } finally {
    agent.destroy();
  }
  return toTimes(times);
}

function fetchBytes(url: string, agent: Agent): Promise<Answer> {
  return new Promise((resolve, reject) => {
    get(url, { agent }, (response) => {
      let bytes = 0;
      response.on('data', (chunk: Buffer) => (bytes += chunk.length));
      response.on('end', () => {
        if (response.statusCode === 200) resolve({ bytes, cache: response.headers['x-cache']?.toString() });
        else reject(new Error(`${url} answered ${response.statusCode}`));
      });
      response.on('error', reject);
    }).on('error', reject);
  });
}

/** Runs a piece of work so many times, after one that does not count. */
export async function timeWork(count: number, work: (round: number) => unknown): Promise<Times> {
  await work(-1);
  const times: number[] = [];
  for (let round = 0; round < count; round += 1) {
    const began = performance.now();
    await work(round);
    times.push(performance.now() - began);
  }
  return toTimes(times);
}
