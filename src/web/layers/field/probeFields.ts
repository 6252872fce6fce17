import { type FieldPacket, valueOfField } from '../../../shared/fieldPacket.ts';
import type { Page } from '../../state/page.ts';
import type { ProbedLayer } from '../layerClient.ts';
import type { LayerPacket } from '../layerPainter.ts';
import { type FieldDescription, formatFieldValue, formatWithUnit, nameField } from './describeField.ts';
import { fieldLookOf } from './fieldLook.ts';

/** Example: `Dose 61.2 Gy (102 %)` and `PT 3.78 SUVbw`. Nothing where a field has no value. */
export function probeFields(
  page: Page,
  probed: readonly ProbedLayer<FieldDescription>[],
  column: number,
  row: number,
): readonly string[] {
  const all = probed.map(({ description }) => description);
  return probed.flatMap(({ description, packet }) => {
    const item = isFieldPacket(packet) ? packet.item : undefined;
    const sampled = item && valueOfField(item, column, row);
    if (sampled === undefined) return [];
    const { line, response } = description;
    const value = sampled * line.slope + line.intercept;
    const reference = response.reference_values[fieldLookOf(page, description).reference];
    const percent =
      reference === undefined ? '' : ` (${formatFieldValue(toTenths((100 * value) / reference.value))} %)`;
    return [`${nameField(description, all)} ${formatWithUnit(description, value)}${percent}`];
  });
}

function isFieldPacket(packet: LayerPacket): packet is FieldPacket {
  return 'item' in packet;
}

function toTenths(value: number): number {
  return Math.round(10 * value) / 10;
}
