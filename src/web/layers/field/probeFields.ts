import { type FieldPacket, valueOfField } from '../../../shared/fieldPacket.ts';
import type { PacketKind } from '../../../shared/contract/layers.ts';
import { layerProbesOf } from '../../state/layers.ts';
import type { Page } from '../../state/page.ts';
import type { LayerPacket } from '../layerPainter.ts';
import { type FieldDescription, formatFieldValue, formatWithUnit, nameField } from './describeField.ts';
import { fieldLookOf } from './fieldLook.ts';

export type ProbedField = { readonly packet: FieldPacket; readonly description: FieldDescription };

export function isFieldPacket(kind: PacketKind, packet: LayerPacket): packet is FieldPacket {
  return kind === 'field' && 'item' in packet;
}

/** Tells the readouts of a cell the values of the fields over its picture. */
export function setLayerProbe(page: Page, cell: number, fields: readonly ProbedField[]): void {
  const store = layerProbesOf(page);
  if (fields.length === 0 && !store.getState().has(cell)) return;
  const probes = new Map(store.getState());
  const all = fields.map(({ description }) => description);
  if (fields.length === 0) probes.delete(cell);
  else
    probes.set(cell, (column, row) =>
      fields.flatMap((field) => probeField(page, { ...field, name: nameField(field.description, all) }, column, row)),
    );
  store.setState(probes, true);
}

type NamedField = ProbedField & { readonly name: string };

/** Example: `Dose 61.2 Gy (102 %)`, `PT 3.78 SUVbw, interpolated`. */
function probeField(page: Page, { packet, description, name }: NamedField, column: number, row: number): string[] {
  const { item } = packet;
  const sampled = item && valueOfField(item, column, row);
  if (sampled === undefined) return [];
  const { line, response } = description;
  const value = sampled * line.slope + line.intercept;
  const reference = response.reference_values[fieldLookOf(page, description).reference];
  const percent =
    reference === undefined ? '' : ` (${formatFieldValue(Math.round((1000 * value) / reference.value) / 10)} %)`;
  return [`${name} ${formatWithUnit(description, value)}${percent}`];
}
