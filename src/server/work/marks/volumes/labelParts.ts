import { MOST_LABEL_PARTS } from '../../../../shared/contract/labels.ts';
import { mappingUnavailable, ViewerError } from '../../../../shared/contract/errors.ts';
import {
  isLabelledKind,
  LABELLED_KINDS,
  type LabelledKind,
  LAYER_OBJECTS,
} from '../../../../shared/contract/layers.ts';
import { type LayerRef, numberOfLayer } from '../../../../shared/layerRef.ts';
import { paletteColor } from '../../../../shared/segmentColor.ts';
import type { DescribedPart } from '../../../over/layers/layerProvider.ts';
import type { DescribedLayer } from '../../../over/layers/layers.ts';
import type { VolumeLabel } from './markVolumeTasks.ts';
import { codesOfClass } from './segmentTags.ts';

/** What becomes a label: a part of a layer, or the marks of a class. */
export type LabelPart = Omit<VolumeLabel, 'volume' | 'extent'> & {
  /** Undefined for marks. */
  readonly from: { readonly layer: number; readonly part: number } | undefined;
};

/** A layer whose parts become labels. */
export type LabelLayer = {
  readonly ref: LayerRef;
  readonly kind: LabelledKind;
  readonly described: DescribedLayer;
  readonly parts: readonly LabelPart[];
  /** The frames of images that it lies over, by file. */
  readonly reaches: ReadonlyMap<number, ReadonlySet<number>>;
};

/** The largest value of a label, which has 16 bits. */
const MOST_VALUE = 65_535;

/** What the parts of a layer are called, and which values they have in the object. Throws why they are no labels. */
export function listLabelParts(described: DescribedLayer, wanted: readonly number[] | undefined): LabelLayer {
  const { layer: ref, name, title, description } = described;
  const layer = numberOfLayer(ref);
  const kind = description.kind ?? LAYER_OBJECTS[name].kind;
  if (!isLabelledKind(kind)) {
    throw mappingUnavailable(`layer ${layer} (${title}) has no areas: a ${LAYER_OBJECTS[name].noun} is no labels`);
  }
  const { field } = description;
  const { hasVolumes } = LABELLED_KINDS[kind];
  if (hasVolumes && field?.unitKind !== 'probability') {
    const message = `layer ${layer} (${title}) has values and neither labels nor probabilities`;
    throw mappingUnavailable(message);
  }
  const areas = description.parts.filter(({ isBackground = false }) => !isBackground);
  const all = hasVolumes ? listVolumes(described, layer) : areas.map((one) => toPart(one, layer));
  const missing = wanted?.find((number) => !all.some(({ from }) => from?.part === number));
  if (missing !== undefined) throw new ViewerError('layer_not_found', `layer ${layer} has no part ${missing}`);
  const parts = wanted === undefined ? all : all.filter(({ from }) => from && wanted.includes(from.part));
  const reaches = new Map(description.targets.map(({ file, frames }) => [file.index, new Set(frames)] as const));
  return { ref, kind, described, parts, reaches };
}

function toPart(part: DescribedPart, layer: number): LabelPart {
  const { number, label = `Part ${number}`, color, propertyCategory, propertyType } = part;
  return {
    from: { layer, part: number },
    value: number,
    key: null,
    title: label,
    color,
    codes: codesOfClass({ category: propertyCategory, type: propertyType }),
  };
}

/** The volumes of probabilities. That of the background, where a file has one, is no part. */
function listVolumes({ title, description: { field } }: DescribedLayer, layer: number): readonly LabelPart[] {
  const { volumes = [], firstVolume = 0 } = field ?? {};
  return volumes.flatMap((name, at): LabelPart[] => {
    if (at < firstVolume) return [];
    const value = at + 1 - firstVolume;
    const codes = codesOfClass(undefined);
    return [{ from: { layer, part: at }, value, key: null, title: name || title, color: paletteColor(value), codes }];
  });
}

/** All parts with the values that they get. Those of a single layer keep their numbers, if a sample can hold them. */
export function numberParts(layers: readonly LabelLayer[], marks: readonly VolumeLabel[]): readonly LabelPart[] {
  const ofMarks = marks.map((label): LabelPart => ({ ...label, from: undefined }));
  const all = [...layers.flatMap(({ parts }) => parts), ...ofMarks];
  if (all.length > MOST_LABEL_PARTS) {
    const message = `${all.length} parts are more than the ${MOST_LABEL_PARTS} that one file can have: choose some of them`;
    throw new ViewerError('layer_too_large', message);
  }
  const isOneLayer = layers.length === 1 && marks.length === 0;
  const areValues = all.every(({ value }) => value >= 1 && value <= MOST_VALUE);
  if (isOneLayer && areValues && new Set(all.map(({ value }) => value)).size === all.length) return all;
  return all.map((part, at) => ({ ...part, value: at + 1 }));
}

/** Parts that are over each other get different volumes: each the first in which it has no neighbour. */
export function spreadOver(count: number, pairs: Uint32Array): { readonly volumes: number; readonly of: Uint16Array } {
  const of = new Uint16Array(count);
  const over: number[][] = Array.from({ length: count }, () => []);
  for (let at = 0; at < pairs.length; at += 2) over[pairs[at + 1]!]!.push(pairs[at]!);
  let volumes = 1;
  for (let part = 1; part < count; part += 1) {
    const taken = new Set(over[part]!.map((other) => of[other]));
    let volume = 0;
    while (taken.has(volume)) volume += 1;
    of[part] = volume;
    volumes = Math.max(volumes, volume + 1);
  }
  return { volumes, of };
}
