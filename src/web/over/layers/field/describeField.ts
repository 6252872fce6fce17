import type { LayerResponse } from '../../../../shared/contract/layerAnswers.ts';
import type { Line } from '../../../../shared/valueMapping.ts';
import type { CombinedDoses } from '../../../kit/state/layers.ts';
import { formatValue } from '../../../kit/ui/formatNumbers.ts';
import type { PictureUnder } from '../../../show/pictures/layerTarget.ts';
import type { KnownLayer } from '../layerClient.ts';

/** What a volume is usually laid over others for. */
export type FieldSort = 'dose' | 'pet' | 'map' | 'probability' | 'values' | 'other';

export type FieldDescription = KnownLayer & {
  readonly response: LayerResponse;
  readonly sort: FieldSort;
  /** What the value under the pointer is called: "Dose". */
  readonly name: string;
  /** The title of the layer. */
  readonly title: string;
  /** Of the values that are shown; empty if unknown. */
  readonly unit: string;
  /** From the values in packets to those that are shown. */
  readonly line: Line;
  /** Values to which colors are given at first; undefined if nothing is known about them. */
  readonly firstWindow: readonly [number, number] | undefined;
};

export function isFieldDescription(description: KnownLayer): description is FieldDescription {
  return 'line' in description;
}

/** The name of the values of a field among those over the same picture. */
export function nameField(field: FieldDescription, among: readonly FieldDescription[]): string {
  const isAlone = among.every((other) => other === field || other.name !== field.name);
  return isAlone ? field.name : nameFieldFully(field);
}

/** Example: `PT Whole body`, or `Dose of beam 2`, which has the name in its title. */
export function nameFieldFully({ name, title }: Pick<FieldDescription, 'name' | 'title'>): string {
  return title.startsWith(name) ? title : `${name} ${title}`.trim();
}

/** What 100 % may be. The maximum of one dose says nothing about a sum or a difference. */
export function referencesOf(
  { response: { reference_values: all } }: FieldDescription,
  combined: CombinedDoses | undefined,
): LayerResponse['reference_values'] {
  return combined === undefined ? all : all.filter(({ source }) => source === 'target_prescription');
}

/** What the values of combined doses are called. */
export function nameCombined({ minus }: CombinedDoses): string {
  return minus.length > 0 ? 'Dose difference' : 'Dose sum';
}

/**
 * The volume of a field that is shown over a picture: what the user has chosen, otherwise that of the time that the
 * picture shows if both have as many, otherwise the first one. Undefined if there is only one.
 */
export function volumeOver(
  { response: { volumes, first_volume } }: FieldDescription,
  chosen: number | undefined,
  target: PictureUnder,
): number | undefined {
  if (volumes.length <= 1) return undefined;
  const time = 'time' in target ? target.time : undefined;
  // A link may name a volume that there is no more.
  if (chosen !== undefined && chosen < volumes.length) return chosen;
  return time?.count === volumes.length ? time.index : (first_volume ?? 0);
}

/** Example: `61.2 Gy`. */
export function formatWithUnit({ unit }: Pick<FieldDescription, 'unit'>, value: number): string {
  return unit === '' ? formatValue(value) : `${formatValue(value)} ${unit}`;
}
