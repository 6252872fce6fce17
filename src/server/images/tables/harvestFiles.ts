import { createReadWindow } from '../../bytes/origins/byteSource.ts';
import { type KnownSource, openSame, requireUnchanged } from '../../bytes/origins/origins.ts';
import type { TaskContext } from '../../machine/workers/serveTasks.ts';
import { createHeaderScanner, type HeaderScanner } from '../../standard/dicom/headerScanner.ts';
import { planPaths } from '../../standard/dicom/pathPlan.ts';
import { ViewerError } from '../../../shared/contract/errors.ts';
import { readElement } from '../catalog/elementColumns.ts';
import type { CellValue } from './encodedColumn.ts';
import type { HarvestInput, HarvestOutput } from './tableTasks.ts';

/** Reads the elements of some columns from the headers of files. Implements `harvestTask`. */
export function harvestFiles({ sources, columns }: HarvestInput, { throwIfCancelled }: TaskContext): HarvestOutput {
  const plan = planPaths(columns.map(({ path }) => path));
  const scanner = createHeaderScanner([], { plan });
  const window = createReadWindow();
  const values = columns.map((): CellValue[] => []);
  let unread = 0;
  for (const source of sources) {
    throwIfCancelled();
    const header = scanSame(source, { scanner, window }, (scan) =>
      columns.map((column) => readElement(column, plan.find(scan, column.path))),
    );
    if (header === undefined) unread += 1;
    for (const [at, list] of values.entries()) list.push(header?.[at] ?? null);
  }
  return { values, unread };
}

type Scanned = Extract<ReturnType<HeaderScanner['scan']>, { readonly kind: 'dicom' }>;
type Reading = { readonly scanner: HeaderScanner; readonly window: Uint8Array };

/** Undefined if the file has changed, has gone or cannot be read. */
function scanSame<Result>(
  source: KnownSource,
  { scanner, window }: Reading,
  use: (scan: Scanned) => Result,
): Result | undefined {
  try {
    const opened = openSame(source, window);
    try {
      const scan = scanner.scan(opened);
      const result = scan.kind === 'dicom' ? use(scan) : undefined;
      requireUnchanged(opened);
      return result;
    } finally {
      opened.close();
    }
  } catch (error) {
    if (error instanceof ViewerError || (error instanceof Error && 'syscall' in error)) return undefined;
    throw error;
  }
}
