import { reportOf } from '../state/viewports.ts';

/** The name of a saved picture: from its series and position, without the patient. */
export function namePicture(cell: number): string {
  const { shown, tiles } = reportOf(cell);
  if (shown === undefined) return 'image.png';
  const { modality, series_number: number, series_description: description } = shown.file;
  const place = tiles === undefined && shown.stack.frames.length > 1 ? `image${shown.position + 1}` : '';
  const parts = [modality, number === '' ? '' : `series${number}`, description, place];
  const plain = parts.map((part) => part.replaceAll(/[^\p{L}\p{N}.-]+/gu, '_').replaceAll(/^[_.]+|_+$/g, ''));
  return `${
    plain
      .filter((part) => part !== '')
      .join('-')
      .slice(0, 120) || 'image'
  }.png`;
}
