import { createHash } from 'node:crypto';
import { mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { writeDicom } from '../../src/server/standard/dicom/writeDicom.ts';
import { type BuiltServer, listFiles, startBuiltServer } from '../support/builtServer.ts';
import { ctRow } from '../support/imageElements.ts';
import type { BaseFile } from './baseFiles.ts';
import { createEndpointClient, type EndpointClient } from './endpointRequests.ts';
import { buildCase, type FuzzCase } from './fuzzCase.ts';
import type { Finding } from './runReader.ts';

export type ServerRun = {
  readonly bases: readonly BaseFile[];
  readonly seed: number;
  readonly from: number;
  readonly to: number;
  readonly onFinding: (finding: Finding) => void;
  readonly onProgress?: (next: number) => void;
};

const FILES_OF_A_SERVER = 200;
const CLIENTS = 16;
/** Sorts before the cases, so it is file 0. */
const CONTROL = '!control.dcm';

/**
 * Runs the cases of a range through the built server, with a folder of some of them at a time. Returns the number of
 * cases that were requested, which excludes those that the scan skipped.
 */
export async function runServer({ bases, seed, from, to, onFinding, onProgress }: ServerRun): Promise<number> {
  let asked = 0;
  for (let next = from; next < to;) {
    const end = Math.min(to, next + FILES_OF_A_SERVER);
    const cases = Array.from({ length: end - next }, (_, i) => buildCase(seed, next + i, bases));
    asked += await serveCases(cases, onFinding);
    next = end;
    onProgress?.(next);
  }
  return asked;
}

/**
 * Requests all cases from one server. If they have broken something that is not about a single file, each half is
 * served separately, down to the file that causes it. Returns the number of cases that the server has opened.
 */
export async function serveCases(cases: readonly FuzzCase[], onFinding: (finding: Finding) => void): Promise<number> {
  const findings: Finding[] = [];
  const { broken, asked } = await findProblems(cases, (found) => findings.push(found));
  if (broken === undefined || cases.length === 1) {
    for (const found of findings) onFinding(found);
    if (broken !== undefined) onFinding(toFinding(cases[0]!, 'server', broken));
    return asked;
  }
  const middle = Math.ceil(cases.length / 2);
  let found = 0;
  for (const half of [cases.slice(0, middle), cases.slice(middle)]) {
    await serveCases(half, (finding) => {
      found += 1;
      onFinding(finding);
    });
  }
  if (found > 0) return asked;
  for (const each of cases) onFinding(toFinding(each, 'server', `only with the others of ${cases.length}: ${broken}`));
  return asked;
}

/** Returns what is broken in the server itself, and how many files were requested. */
async function findProblems(
  cases: readonly FuzzCase[],
  onFinding: (finding: Finding) => void,
): Promise<{ readonly broken: string | undefined; readonly asked: number }> {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'negato-fuzz-')));
  writeFileSync(join(folder, CONTROL), writeDicom(ctRow()));
  for (const { number, bytes } of cases) writeFileSync(join(folder, `${number}.dcm`), bytes);
  const server = await startBuiltServer([folder]);
  const client = createEndpointClient(server.baseUrl);
  try {
    const byName = new Map(cases.map((each) => [`${each.number}.dcm`, each]));
    const files = await listFiles(server.baseUrl);
    const waiting = files.flatMap(({ index, path }) => {
      const found = byName.get(basename(path));
      return found === undefined ? [] : { index, found };
    });
    const before = await controlOf(server);
    let asked = 0;
    const work = async () => {
      for (let next = waiting.shift(); next !== undefined && !server.hasEnded(); next = waiting.shift()) {
        const problems = await client.askAboutFile(next.index);
        asked += 1;
        if (problems.length > 0) onFinding(toFinding(next.found, problems[0]!, problems.join('\n')));
      }
    };
    await Promise.all(Array.from({ length: CLIENTS }, work));
    return { broken: await findBroken(server, client, before), asked };
  } finally {
    client.close();
    await server.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function findBroken(server: BuiltServer, client: EndpointClient, before: string): Promise<string | undefined> {
  if (server.hasEnded()) return `the server has ended: ${server.log()}`;
  const problems = await client.askAboutAll();
  if (problems.length > 0) return problems.join('\n');
  return (await controlOf(server)) === before ? undefined : 'the control frame has changed';
}

function toFinding(found: FuzzCase, step: string, detail: string): Finding {
  return { case: found, failure: { kind: 'server', step, detail } };
}

async function controlOf({ baseUrl }: BuiltServer): Promise<string> {
  const hash = createHash('sha256');
  for (const path of ['/api/file/0/frame/0', '/api/file/0/frame/0/raw', '/api/file/0/tags']) {
    const response = await fetch(baseUrl + path);
    hash.update(`${response.status}`).update(new Uint8Array(await response.arrayBuffer()));
  }
  return hash.digest('hex');
}
