import type { Page } from '../kit/state/page.ts';
import { reportOf } from '../show/pictures/viewports.ts';

export type PictureNaming = {
  /** Without the dot; default: png. */
  readonly extension?: string;
  /** For all pictures of the cell, so the position is left out. */
  readonly isWhole?: boolean;
};

/** The name of a saved picture: from its series and position, without the patient. */
export function namePicture(page: Page, cell: number, naming: PictureNaming = {}): string {
  const { extension = 'png', isWhole = false } = naming;
  const { shown } = reportOf(page, cell);
  if (shown === undefined) return `image.${extension}`;
  const { source, position } = shown;
  const file = shown.file ?? source.headerOf?.(position)?.file;
  const { modality = '', series_number: number = '', series_description: description = '' } = file ?? {};
  const place = !isWhole && source.traits.scrolls && source.positions > 1 ? `image${position + 1}` : '';
  const { caption = '', reservation = '' } = source;
  const parts = [modality, number === '' ? '' : `series${number}`, description, caption, reservation, place];
  const plain = parts.map((part) => part.replaceAll(/[^\p{L}\p{N}.-]+/gu, '_').replaceAll(/^[_.]+|_+$/g, ''));
  return `${
    plain
      .filter((part) => part !== '')
      .join('-')
      .slice(0, 120) || 'image'
  }.${extension}`;
}
