import type { LayerResponse } from '../../../../shared/contract/layerAnswers.ts';
import { fetchLayer } from '../../../kit/api/layers.ts';
import { type FieldDescription, isFieldDescription } from '../field/describeField.ts';
import { partOfField } from '../field/fieldClient.ts';
import { fieldLooksOf, paintOf } from '../field/fieldLook.ts';
import { probeFields } from '../field/probeFields.ts';
import type { KnownLayer, LayerClient } from '../layerClient.ts';
import { maskPainter } from '../mask/maskPainter.ts';
import { readSpaces } from '../readSpaces.ts';

/** Labels are masks; probabilities and values are a field. */
export type AttachmentDescription = KnownLayer & { readonly response: LayerResponse };

export const attachmentClient: LayerClient<AttachmentDescription> = {
  painter: maskPainter,
  words: { layer: 'attachment', part: 'label', alone: '' },
  replacesContext: false,
  looks: {
    changes: fieldLooksOf,
    lookOf: (page, description) => (isFieldDescription(description) ? paintOf(page, description) : undefined),
  },
  partOf: (page, description, target) =>
    isFieldDescription(description) ? partOfField(page, description, target) : undefined,
  probe(page, probed, column, row) {
    const fields = probed.flatMap(({ description, ...layer }) =>
      isFieldDescription(description) ? [{ description, ...layer }] : [],
    );
    return probeFields(page, fields, column, row);
  },
  async describe(layer, signal) {
    const response = await fetchLayer(layer, signal);
    const { placement, targets, parts } = response;
    const known: AttachmentDescription = {
      fileIndex: layer,
      kind: response.kind === 'field' ? 'field' : 'mask',
      isPlaced: targets.length > 0,
      reason: placement.reason,
      targets: new Map(targets.map(({ file_index, frame_indices }) => [file_index, new Set(frame_indices)])),
      ...readSpaces(response),
      parts: parts.map(({ part, label, color }) => ({ number: part, name: label ?? `Label ${part}`, color })),
      response,
    };
    return response.kind === 'field' ? toField(known) : known;
  },
};

function toField(known: AttachmentDescription): FieldDescription {
  const { title, units, value_range } = known.response;
  const isProbability = units?.kind === 'probability';
  return {
    ...known,
    sort: isProbability ? 'probability' : 'values',
    name: isProbability ? 'Probability' : 'Values',
    title,
    unit: '',
    line: { slope: 1, intercept: 0 },
    firstWindow: value_range === null || value_range[0] === value_range[1] ? undefined : value_range,
  };
}
