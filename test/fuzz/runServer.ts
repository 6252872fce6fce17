import { createHash } from 'node:crypto';
import { mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { writeDicom } from '../../src/server/dicom/writeDicom.ts';
import { type BuiltServer, listFiles, startBuiltServer } from '../support/builtServer.ts';
import { ctRow } from '../support/imageElements.ts';
import type { BaseFile } from './baseFiles.ts';
import { askEverything } from './endpointRequests.ts';
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

const FILES_OF_A_SERVER = 100;
const CLIENTS = 4;
/** Sorts before the cases, and is therefore file 0. */
const CONTROL = '!control.dcm';

/** Runs the cases of a range through the built server, on a folder of some of them at a time. */
export async function runServer({ bases, seed, from, to, onFinding, onProgress }: ServerRun): Promise<void> {
  for (let next = from; next < to;) {
    const end = Math.min(to, next + FILES_OF_A_SERVER);
    const cases = Array.from({ length: end - next }, (_, i) => buildCase(seed, next + i, bases));
    await serveCases(cases, onFinding);
    next = end;
    onProgress?.(next);
  }
}

async function serveCases(cases: readonly FuzzCase[], onFinding: (finding: Finding) => void): Promise<void> {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'negato-fuzz-')));
  writeFileSync(join(folder, CONTROL), writeDicom(ctRow()));
  for (const { number, bytes } of cases) writeFileSync(join(folder, `${number}.dcm`), bytes);
  const server = await startBuiltServer([folder]);
  try {
    const files = await listFiles(server.baseUrl);
    const before = await controlOf(server);
    const waiting = files.filter(({ index }) => index > 0);
    const work = async () => {
      for (let file = waiting.shift(); file !== undefined; file = waiting.shift()) {
        const found = cases.find(({ number }) => `${number}.dcm` === basename(file.path));
        if (found === undefined || server.hasEnded()) continue;
        const problems = await askEverything(server.baseUrl, file.index);
        if (problems.length === 0) continue;
        const detail = server.hasEnded() ? `the server has ended: ${server.log()}` : problems.join('\n');
        onFinding({ case: found, failure: { kind: 'server', step: problems[0] ?? '', detail } });
      }
    };
    await Promise.all(Array.from({ length: CLIENTS }, work));
    if (server.hasEnded() || (await controlOf(server)) !== before) {
      const failure = { kind: 'server', step: 'control', detail: 'the control frame has changed' } as const;
      for (const each of cases) onFinding({ case: each, failure });
    }
  } finally {
    await server.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function controlOf({ baseUrl }: BuiltServer): Promise<string> {
  const hash = createHash('sha256');
  for (const path of ['/api/file/0/frame/0', '/api/file/0/frame/0/raw', '/api/file/0/tags']) {
    const response = await fetch(baseUrl + path);
    hash.update(`${response.status}`).update(new Uint8Array(await response.arrayBuffer()));
  }
  return hash.digest('hex');
}
