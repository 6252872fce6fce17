import { send } from './send.ts';

export type StoredFile = { readonly bytes: Blob; readonly name: string };

/** A file as it is stored, with the name that the server gives it. Browsers keep large blobs on disk. */
export async function fetchStoredFile(fileIndex: number): Promise<StoredFile> {
  const response = await send(`api/file/${fileIndex}/file`);
  const [, name = 'file.dcm'] = /filename="([^"]+)"/.exec(response.headers.get('content-disposition') ?? '') ?? [];
  return { bytes: await response.blob(), name };
}
