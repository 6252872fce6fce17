import type { LayerResponse } from '../../../../shared/contract/layerAnswers.ts';
import { fetchLayer } from '../../../kit/api/layers.ts';
import { type FieldDescription, isFieldDescription } from '../field/describeField.ts';
import { partOfField } from '../field/fieldClient.ts';
import { fieldChangesOf, paintOf } from '../field/fieldLook.ts';
import { probeFields } from '../field/probeFields.ts';
import type { KnownLayer, LayerClient } from '../layerClient.ts';
import { maskPainter } from '../mask/maskPainter.ts';
import { readKnownLayer } from '../readSpaces.ts';

/** Labels are masks; probabilities and values are a field. */
export type AttachmentDescription = KnownLayer & { readonly response: LayerResponse };

export const attachmentClient: LayerClient<AttachmentDescription> = {
  painter: maskPainter,
  words: { layer: 'attachment', part: 'label', alone: '' },
  replacesContext: false,
  looks: {
    changes: fieldChangesOf,
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
    const known: AttachmentDescription = {
      ...readKnownLayer(layer, response, ({ part, label }) => label ?? `Label ${part}`),
      kind: response.kind === 'field' ? 'field' : 'mask',
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
