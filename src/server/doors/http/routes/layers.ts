import { ENDPOINTS } from '../../../../shared/contract/endpoints.ts';
import { HEADER } from '../../../../shared/contract/headers.ts';
import type {
  LayerResponse,
  LayersResponse,
  LayerSummary,
  WireLayerPart,
  WirePlacement,
} from '../../../../shared/contract/layerAnswers.ts';
import { LAYER_OBJECTS } from '../../../../shared/contract/layers.ts';
import { type LayerRef, numberOfLayer, toLayerRef } from '../../../../shared/layerRef.ts';
import type {
  AddedDose,
  DescribedMeasurement,
  DescribedPart,
  LayerTarget,
  WrittenPacket,
} from '../../../over/layers/layerProvider.ts';
import { type DescribedLayer, type LayerOverStack, listSpaces } from '../../../over/layers/layers.ts';
import type { LayerPlacement } from '../../../over/layers/placement.ts';
import type { Wanted } from '../../../images/pixels/keptWork.ts';
import { gridOfQuery } from '../../../images/volumes/planeQuery.ts';
import { createHoldAnswer } from '../sendBytes.ts';
import type { Exchange } from '../exchange.ts';
import { parsePathNumber, parsePriority, parseQuery } from '../parseRequest.ts';
import { sendCompressible, sendLongJson } from '../sendJson.ts';
import type { Handler, ServerContext } from '../serverContext.ts';
import { damageHeaders } from './frames.ts';

/** What lies over images: the list, one layer, and what it puts over one frame. */
export function layerRoutes({ catalog, memory, layers }: ServerContext) {
  const holdAnswer = createHoldAnswer(memory.answers);
  const sendPacket = async (c: Exchange, { bytes, cached, damage }: WrittenPacket) => {
    await holdAnswer(c, bytes.length);
    return sendCompressible(c, bytes, [
      ['Content-Type', 'application/octet-stream'],
      [HEADER.cache, cached ? 'HIT' : 'MISS'],
      ...damageHeaders(damage),
    ]);
  };

  const addedOf = ({ plus = [], minus = [] }: CombinedDoses): AddedDose[] => [
    ...plus.map((index) => ({ file: catalog.get(index), sign: 1 }) as const),
    ...minus.map((index) => ({ file: catalog.get(index), sign: -1 }) as const),
  ];

  const list: Handler = async (c) => {
    const { file, frame } = parseQuery(ENDPOINTS.layers.query, c);
    const target = { file: catalog.get(file), frame };
    const found = await layers.list(target, { signal: c.signal });
    const { revision, scanComplete } = catalog.progress;
    const body: LayersResponse = {
      target: {
        file_index: file,
        frame_index: frame,
        frame_of_reference_uid: target.file.frameOfReferenceUid ?? null,
      },
      layers: found.map(toSummaryOverStack),
      revision,
      scan_complete: scanComplete,
    };
    return sendLongJson(c, body);
  };
  const describe: Handler = async (c) => {
    const layer = await layers.describe(layerOf(c), { signal: c.signal });
    return sendLongJson(c, toLayer(layer));
  };
  const frame: Handler = async (c) => {
    const layer = layerOf(c);
    const query = parseQuery(ENDPOINTS.layerFrame.query, c);
    const target = {
      file: catalog.get(query.file),
      frame: query.frame,
      parts: query.parts,
      added: addedOf(query),
    };
    return sendPacket(c, await layers.packet(layer, target, wantedOf(c)));
  };
  const layerOverPlane: Handler = async (c) => {
    const layer = layerOf(c);
    const {
      frame_of_reference,
      slab = 0,
      parts,
      plus,
      minus,
      ...shape
    } = parseQuery(ENDPOINTS.layerOverPlane.query, c);
    const target = {
      frameOfReferenceUid: frame_of_reference,
      grid: gridOfQuery(shape),
      slabMm: slab,
      parts,
      added: addedOf({ plus, minus }),
    };
    return sendPacket(c, await layers.packetOnPlane(layer, target, wantedOf(c)));
  };
  const layerRegion: Handler = async (c) => {
    const layer = layerOf(c);
    const { file, pixel = 1, ...region } = parseQuery(ENDPOINTS.layerRegion.query, c);
    const target = { ...region, pixel, file: file === undefined ? undefined : catalog.get(file) };
    return sendPacket(c, await layers.packetOnSlide(layer, target, wantedOf(c)));
  };
  return { layers: list, layer: describe, layerFrame: frame, layerOverPlane, layerRegion };
}

function layerOf(c: Exchange): LayerRef {
  return toLayerRef(parsePathNumber(c, 'layer'));
}

type CombinedDoses = {
  readonly plus?: readonly number[] | undefined;
  readonly minus?: readonly number[] | undefined;
};

function wantedOf(c: Exchange): Wanted {
  return { signal: c.signal, priority: parsePriority(c.header('priority')) };
}

function toSummary({ layer, file, name, title, description }: DescribedLayer) {
  return {
    layer: numberOfLayer(layer),
    kind: description.kind ?? LAYER_OBJECTS[name].kind,
    source_file_index: file?.index ?? null,
    attachment_index: 'attachment' in layer ? layer.attachment : null,
    object_kind: file?.objectKind ?? LAYER_OBJECTS[name].noun,
    title,
    description: description.about ?? null,
    part_count: description.parts.length,
    placement: toPlacement(description.placement),
    warnings: description.warnings.map(({ code, message }) => ({ code, message })),
  };
}

function toSummaryOverStack(layer: LayerOverStack): LayerSummary {
  return {
    ...toSummary(layer),
    placement: toPlacement(layer.placement),
    touches_frame: layer.touchesFrame,
    frame_count: layer.frameCount,
  };
}

function toLayer(layer: DescribedLayer): LayerResponse {
  const { parts, targets, fullest, unplaced, field } = layer.description;
  return {
    ...toSummary(layer),
    parts: parts.map(toPart),
    targets: targets.map(({ file, frames }) => ({ file_index: file.index, frame_indices: [...frames] })),
    fullest: fullest === undefined ? null : { file_index: fullest.file.index, frame_index: fullest.frame },
    spaces: listSpaces(layer.description).map(({ frameOfReferenceUid, placement }) => ({
      frame_of_reference_uid: frameOfReferenceUid,
      placement: toPlacement(placement),
    })),
    unplaced: unplaced.map(({ reason, part, count }) => ({ reason, part: part ?? null, count })),
    units: field === undefined ? null : { label: field.unit, kind: field.unitKind },
    value_range: field?.range === undefined ? null : [...field.range],
    reference_values: (field?.references ?? []).map(({ value, source, file, label }) => ({
      value,
      unit: field?.unit ?? '',
      source,
      source_file_index: file?.index ?? null,
      label,
    })),
    plan: field?.plan === undefined ? null : { file_index: field.plan.file.index, label: field.plan.label ?? null },
    default_levels: [...(field?.levels ?? [])],
    volumes: (field?.volumes ?? []).map((label, part) => ({ part, label })),
    first_volume: field?.firstVolume ?? null,
  };
}

function toPlacement({ status, reason, via, matrix, residualMm }: LayerPlacement): WirePlacement {
  return {
    status,
    reason,
    via_file_indices: via.map(({ index }) => index),
    matrix: matrix === undefined ? null : [...matrix],
    residual_mm: residualMm ?? null,
  };
}

function toPart(part: DescribedPart): WireLayerPart {
  const { number, label, description, propertyType, color, colorSource, extent } = part;
  const contours = part.sort === 'contours' ? part : undefined;
  return {
    part: number,
    label: label ?? null,
    description: description ?? null,
    type: propertyType ?? null,
    interpreted_type: contours?.interpretedType ?? null,
    color: [...color],
    color_source: colorSource,
    geometry: part.sort === 'segment' ? [] : [...part.geometry],
    item: (part.sort === 'region' ? part.item : undefined) ?? null,
    measurements: part.sort === 'annotations' ? part.measurements.map(toMeasurement) : [],
    contour_count: contours?.count ?? null,
    nested: contours?.isNested ?? null,
    volume_mm3: extent?.volumeMm3 ?? null,
    ends: (extent?.ends ?? []).map(({ first, last }) => ({ first: toTarget(first), last: toTarget(last) })),
    reason: extent?.problem ?? null,
  };
}

function toMeasurement({
  name,
  unit,
  count,
  range,
  bins,
}: DescribedMeasurement): WireLayerPart['measurements'][number] {
  return { name, unit, count, range: range === undefined ? null : [...range], bins: [...bins] };
}

function toTarget({ file, frame }: LayerTarget) {
  return { file_index: file.index, frame_index: frame };
}
