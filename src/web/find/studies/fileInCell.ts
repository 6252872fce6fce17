import type { FileRecord } from '../../../shared/contract/files.ts';
import { cellOf } from '../../kit/state/cells.ts';
import { findFile } from '../../kit/state/library.ts';
import type { Page } from '../../kit/state/page.ts';
import { pictureOf } from '../../show/pictures/pictureKinds.ts';

/** The file that names what a cell shows: patient, study, series. */
export function fileInCell(page: Page, cell: number): FileRecord | undefined {
  const source = pictureOf(page, cell);
  const { position } = cellOf(page, cell);
  const place = source?.fileOf(position) ?? source?.headerOf?.(position);
  return place?.file ?? findFile(page, source?.stack?.fileIndex);
}
