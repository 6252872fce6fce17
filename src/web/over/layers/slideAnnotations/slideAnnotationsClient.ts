import { REGION_CLIENT, type RegionDescription } from '../graphics/regionClient.ts';
import type { LayerClient } from '../layerClient.ts';
import { pointsPainter } from '../points/pointsPainter.ts';
import { lookOfAnnotations, measurementChoicesOf } from './annotationMeasurements.ts';
import { probeAnnotations } from './probeAnnotations.ts';

export const slideAnnotationsClient: LayerClient<RegionDescription> = {
  ...REGION_CLIENT,
  painter: pointsPainter,
  words: { layer: 'annotation set', part: 'group', alone: 'annotation set' },
  replacesContext: true,
  looks: { changes: measurementChoicesOf, lookOf: lookOfAnnotations },
  probe: probeAnnotations,
};
