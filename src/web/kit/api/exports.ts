import { send } from './send.ts';

/** A file with the name that the server gives it. Browsers keep large blobs on disk. */
export type NamedFile = { readonly bytes: Blob; readonly name: string };

/** A file as it is stored. */
export function fetchStoredFile(fileIndex: number): Promise<NamedFile> {
  return fetchNamed(`api/file/${fileIndex}/file`);
}

/** The volume that the stack of a frame fills, as a NIfTI file and its sidecar. */
export async function fetchNifti(fileIndex: number, frame: number): Promise<readonly [NamedFile, NamedFile]> {
  const path = `api/file/${fileIndex}/volume/nifti` as const;
  const sidecar = await fetchNamed(`${path}/sidecar?frame=${frame}`);
  return [await fetchNamed(`${path}?frame=${frame}`), sidecar];
}

/** The elements of a file, or of all files of its series, as CSV. */
export function fetchTagTable(fileIndex: number, of: 'file' | 'series'): Promise<NamedFile> {
  return fetchNamed(`api/file/${fileIndex}/tags/table?of=${of}`);
}

export async function fetchNamed(path: `api/${string}`): Promise<NamedFile & Pick<Response, 'headers'>> {
  const response = await send(path);
  const [, name = 'file'] = /filename="([^"]+)"/.exec(response.headers.get('content-disposition') ?? '') ?? [];
  const bytes = await response.blob().catch((error: unknown) => {
    // The server can no longer say why, because the file has begun.
    throw new Error(`${name} ended too early: a file cannot be read, or the server has ended.`, { cause: error });
  });
  return { bytes, name, headers: response.headers };
}
