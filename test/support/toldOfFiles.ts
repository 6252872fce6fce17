import { createHash } from 'node:crypto';
import { expect } from 'vitest';
import type { FileRecord, FilesResponse } from '../../src/shared/contract/files.ts';
import type { TestServer } from './serve.ts';

/** Everything that the server tells about a file, apart from where it is. */
export type ToldOfFile = {
  readonly record: object;
  readonly tags: unknown;
  /** Hashes of the samples. */
  readonly frames: readonly string[];
  /** Hash of the file as it is stored. */
  readonly stored: string;
};

/** What a server tells about its files, in the order of the names that they get. */
export async function readToldOfFiles(
  server: TestServer,
  nameOf: (file: FileRecord) => string,
): Promise<ReadonlyMap<string, ToldOfFile>> {
  const list: FilesResponse = await (await server.request('/api/files')).json();
  const told = await Promise.all(
    list.files.map(async (file) => {
      const { index, path, label: _label, revision: _revision, ...record } = file;
      const body = async (address: string) => {
        const response = await server.request(`/api/file/${index}/${address}`);
        expect(response.status, `${path} ${address}`).toBe(200);
        return response.bytes();
      };
      const frames: string[] = [];
      for (let frame = 0; frame < record.frame_count; frame++) frames.push(sha256(await body(`frame/${frame}/raw`)));
      const tags: unknown = JSON.parse(Buffer.from(await body('tags')).toString());
      return [nameOf(file), { record, tags, frames, stored: sha256(await body('file')) }] as const;
    }),
  );
  return new Map(told.toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

function sha256(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}
