import type { ReactNode } from 'react';
import type { LayerName } from '../../shared/contract/layers.ts';
import type { FieldDescription } from './field/describeField.ts';
import { FieldDetails } from './field/FieldDetails.tsx';
import type { KnownLayer } from './layerClient.ts';
import type { SegmentationDescription } from './segmentation/describeSegment.ts';
import { SegmentDetails } from './segmentation/SegmentDetails.tsx';
import type { StructureSetDescription } from './structureSet/describeStructure.ts';
import { StructureDetails } from './structureSet/StructureDetails.tsx';

/** What the panel shows below the name of a layer: facts and parts. */
interface LayerDetails {
  render(description: KnownLayer): ReactNode;
}

/** The registry of details. The clients are apart, because they are also used without a panel. */
export const LAYER_DETAILS: { readonly [Name in LayerName]: LayerDetails } = {
  segmentation: { render: (description: SegmentationDescription) => <SegmentDetails description={description} /> },
  structureSet: { render: (description: StructureSetDescription) => <StructureDetails description={description} /> },
  field: { render: (description: FieldDescription) => <FieldDetails description={description} /> },
};
