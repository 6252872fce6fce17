import type { Catalog } from './catalog.ts';
import type { FileRows } from './packedFile.ts';

/** What a thread with a copy of the list of files is told, in this order. */
export type FileFacts =
  /** Files that follow the files already sent. */
  | { readonly kind: 'files'; readonly rows: FileRows }
  /** Files already sent, from `fileIndex` on, with more known of them. Their UIDs are the same. */
  | { readonly kind: 'read'; readonly fileIndex: number; readonly rows: FileRows }
  /** All files that are no longer there, of those already sent. */
  | { readonly kind: 'gone'; readonly files: ReadonlySet<number> };

/** What is new since it was asked last. A thread that is started again needs another one. */
export interface FileNews {
  next(): FileFacts | undefined;
}

export function createFileNews(catalog: Pick<Catalog, 'gone' | 'readLater' | 'rowsFrom'>): FileNews {
  let sentFiles = 0;
  let sentRead = 0;
  let sentGone = 0;

  /** A file that was read after it was listed, and those that follow it in the list and were read with it. */
  function findRead(fileIndex: number): FileFacts {
    const rows = catalog.rowsFrom(fileIndex)!;
    let count = 0;
    while (count < rows.count && catalog.readLater[sentRead] === fileIndex + count) {
      count += 1;
      sentRead += 1;
    }
    return { kind: 'read', fileIndex, rows: { ...rows, count } };
  }

  return {
    next() {
      const rows = catalog.rowsFrom(sentFiles);
      if (rows !== undefined) {
        sentFiles += rows.count;
        return { kind: 'files', rows };
      }
      const read = catalog.readLater[sentRead];
      if (read !== undefined) return findRead(read);
      const { files, changes } = catalog.gone;
      if (sentGone === changes) return undefined;
      sentGone = changes;
      return { kind: 'gone', files };
    },
  };
}
