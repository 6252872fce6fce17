import { basename, dirname } from 'node:path';
import { ViewerError } from '../../../shared/contract/errors.ts';
import type { AttachmentFormat } from '../../../shared/contract/attachments.ts';
import type { Catalog } from '../catalog/catalog.ts';
import type { FoundAttachment } from '../catalog/scanResult.ts';
import { type KnownSource, placeOf } from '../../bytes/origins/origins.ts';
import { createSharedWork } from '../../machine/workers/sharedWork.ts';
import type { TaskRunner } from '../../machine/workers/task.ts';
import { type FileHeader, type FoundArray, readHeadersTask } from './attachmentTasks.ts';
import type { NamedPlaces } from './namedPlaces.ts';
import type { PngHeader } from './png.ts';

/** An array, or the pictures of one folder, that may lie over images. */
export type Attachment = {
  readonly number: number;
  /** Of the file; for pictures, of their folder. */
  readonly path: string;
  readonly format: AttachmentFormat;
  /** Where it was named with `--overlay`, or a folder that it is in; undefined if it was not. */
  readonly namedAs: number | undefined;
  readonly content:
    | (FoundArray & { readonly kind: 'array'; readonly source: KnownSource })
    | { readonly kind: 'pictures'; readonly pictures: readonly MaskPicture[] }
    | { readonly kind: 'unreadable'; readonly reason: string };
};

export type MaskPicture = { readonly path: string; readonly source: KnownSource; readonly header: PngHeader };

/** Model output beside the DICOM files. */
export interface Attachments {
  /** Empty until the scan is complete. The numbers follow from the order of the files, and stay. */
  list(options: AttachmentOptions): Promise<readonly Attachment[]>;
  /** Throws `attachment_not_found`. */
  get(number: number, options: AttachmentOptions): Promise<Attachment>;
}

export type AttachmentOptions = { readonly signal: AbortSignal | undefined };

const FILES_PER_TASK = 64;
/** More than a study has. The last entry says how many further ones there are. */
const MOST_LISTED = 4_096;

export function createAttachments({
  catalog,
  tasks,
  named,
}: {
  readonly named: NamedPlaces;
  readonly catalog: Pick<Catalog, 'attachments' | 'progress'>;
  readonly tasks: TaskRunner;
}): Attachments {
  const shared = createSharedWork<readonly Attachment[]>();
  let listed: readonly Attachment[] | undefined;

  async function readAll(signal: AbortSignal): Promise<readonly Attachment[]> {
    const found = catalog.attachments;
    const headers: FileHeader[] = [];
    for (let from = 0; from < found.length; from += FILES_PER_TASK) {
      const some = found
        .slice(from, from + FILES_PER_TASK)
        .map(({ source, format }) => ({ source, format, name: basename(placeOf(source)) }));
      const read = await tasks.run(readHeadersTask, some, { signal });
      headers.push(...read);
    }
    listed = listAttachments(found, headers, await named.locate());
    return listed;
  }

  async function list({ signal }: AttachmentOptions): Promise<readonly Attachment[]> {
    if (!catalog.progress.scanComplete || catalog.attachments.length === 0) return [];
    return listed ?? shared.join('', signal, readAll);
  }

  return {
    list,
    async get(number, options) {
      const found = (await list(options))[number];
      if (found === undefined) throw new ViewerError('attachment_not_found', `there is no attachment ${number}`);
      return found;
    },
  };
}

/** With the files that it consists of. */
type Unnumbered = Omit<Attachment, 'number' | 'namedAs'> & { readonly sources: readonly KnownSource[] };

/** The pictures of one folder are one attachment, at the place of the first of them. */
function listAttachments(
  found: readonly FoundAttachment[],
  headers: readonly FileHeader[],
  locate: Awaited<ReturnType<NamedPlaces['locate']>>,
): readonly Attachment[] {
  const listed: Unnumbered[] = [];
  const folders = new Map<string, { readonly pictures: MaskPicture[]; readonly sources: KnownSource[] }>();
  for (const [at, file] of found.entries()) {
    const header = headers[at];
    const { path, format, source } = file;
    if (header === undefined) continue;
    const about = { path, format, sources: [source] };
    if (header.kind === 'failed') {
      listed.push({ ...about, content: { kind: 'unreadable', reason: header.reason } });
    } else if (header.kind === 'arrays') {
      for (const array of header.arrays) listed.push({ ...about, content: { kind: 'array', source, ...array } });
    } else {
      const folder = dirname(path);
      const picture = { path, source, header: header.header };
      const known = folders.get(folder);
      if (known !== undefined) {
        known.pictures.push(picture);
        known.sources.push(source);
        continue;
      }
      const pictures = [picture];
      folders.set(folder, { pictures, sources: about.sources });
      listed.push({ ...about, path: folder, content: { kind: 'pictures', pictures } });
    }
  }
  const shown = listed.slice(0, MOST_LISTED);
  const [cut] = listed.slice(MOST_LISTED);
  if (cut !== undefined) {
    const reason = `this one and ${listed.length - MOST_LISTED - 1} further ones are not read, because there are too many`;
    shown.push({ ...cut, content: { kind: 'unreadable', reason } });
  }
  return shown.map(({ sources, ...one }, number) => {
    const [namedAs] = sources.flatMap((source) => locate(source) ?? []);
    return { number, namedAs, ...one };
  });
}
