import { type FieldPacket, valueOfField } from '../../../../shared/fieldPacket.ts';
import { isSlideRegion, type PictureUnder } from '../../../show/pictures/layerTarget.ts';
import { formatValue } from '../../../kit/ui/formatNumbers.ts';
import { combinedOf } from '../../../kit/state/layers.ts';
import type { Page } from '../../../kit/state/page.ts';
import type { ProbedLayer } from '../layerClient.ts';
import type { LayerPacket } from '../layerPainter.ts';
import { type FieldDescription, formatWithUnit, nameCombined, nameField, referencesOf } from './describeField.ts';
import { fieldLookOf } from './fieldLook.ts';

/** Example: `Dose 61.2 Gy (102 %)` and `PT 3.78 SUVbw`. Nothing where a field has no value. */
export function probeFields(
  page: Page,
  probed: readonly ProbedLayer<FieldDescription>[],
  column: number,
  row: number,
): readonly string[] {
  const all = probed.map(({ description }) => description);
  return probed.flatMap(({ description, packet, target }) => {
    const item = isFieldPacket(packet) ? packet.item : undefined;
    const place = findPlace(target, column, row);
    const sampled = item && place && valueOfField(item, ...place);
    if (sampled === undefined) return [];
    const { line } = description;
    const value = sampled * line.slope + line.intercept;
    const combined = combinedOf(page, description.fileIndex);
    const reference = referencesOf(description, combined)[fieldLookOf(page, description).reference];
    const percent = reference === undefined ? '' : ` (${formatValue(toTenths((100 * value) / reference.value))} %)`;
    const name = combined === undefined ? nameField(description, all) : nameCombined(combined);
    return [`${name} ${formatWithUnit(description, value)}${percent}`];
  });
}

/** Where a pixel of the picture is in the samples of a packet; undefined if it is in another piece of a slide. */
function findPlace(target: PictureUnder, column: number, row: number): readonly [x: number, y: number] | undefined {
  if (!isSlideRegion(target)) return [column, row];
  const { x, y, width, height, pixel } = target;
  if (column < x || row < y || column >= x + width || row >= y + height) return undefined;
  // The first sample of a piece lies in the middle of its pixels.
  const middle = (pixel - 1) / 2;
  return [(column - x - middle) / pixel, (row - y - middle) / pixel];
}

function isFieldPacket(packet: LayerPacket): packet is FieldPacket {
  return 'item' in packet;
}

function toTenths(value: number): number {
  return Math.round(10 * value) / 10;
}
