import type { ComponentType, ReactNode } from 'react';
import { LAYER_NAMES, type LayerName } from '../../../shared/contract/layers.ts';
import type { AttachmentDescription } from './attachment/attachmentClient.ts';
import { AttachmentDetails } from './attachment/AttachmentDetails.tsx';
import type { FieldDescription } from './field/describeField.ts';
import { FieldDetails } from './field/FieldDetails.tsx';
import { FieldLegends } from './field/FieldLegend.tsx';
import { OtherFields } from './field/OtherFields.tsx';
import type { RegionDescription } from './graphics/regionClient.ts';
import type { KnownLayer, LayerClient } from './layerClient.ts';
import { LAYER_CLIENTS } from './layerClients.ts';
import type { OtherLayersProps } from './otherLayers.ts';
import type { SegmentationDescription } from './segmentation/describeSegment.ts';
import { SegmentDetails } from './segmentation/SegmentDetails.tsx';
import { AnnotationDetails } from './slideAnnotations/AnnotationDetails.tsx';
import type { StructureSetDescription } from './structureSet/describeStructure.ts';
import { StructureDetails } from './structureSet/StructureDetails.tsx';

/** What the panel shows below the name of a layer: facts and parts. */
interface LayerDetails {
  render(description: KnownLayer, cell: number): ReactNode;
  /** Scales beside a picture, such as the colors of values. */
  readonly Legends?: ComponentType<{ readonly cell: number }>;
  /** Layers that are not listed until the user chooses them. */
  readonly Others?: ComponentType<OtherLayersProps>;
}

/**
 * Details beyond a list of the parts, which any layer has. The clients are apart, because they are also used without a
 * panel.
 */
const LAYER_DETAILS: { readonly [Name in LayerName]?: LayerDetails } = {
  segmentation: {
    render: (description: SegmentationDescription, cell) => <SegmentDetails description={description} cell={cell} />,
  },
  field: {
    render: (description: FieldDescription) => <FieldDetails description={description} />,
    Legends: FieldLegends,
    Others: OtherFields,
  },
  slideAnnotations: {
    render: (description: RegionDescription, cell) => <AnnotationDetails description={description} cell={cell} />,
  },
  attachment: {
    render: (description: AttachmentDescription, cell) => <AttachmentDetails description={description} cell={cell} />,
  },
};

function listParts({ words }: LayerClient): LayerDetails {
  return {
    render: (description: StructureSetDescription, cell) => (
      <StructureDetails description={description} noun={words.part} cell={cell} />
    ),
  };
}

type ContentProps = { readonly name: LayerName; readonly description: KnownLayer; readonly cell: number };

/** The parts and facts of a layer over the picture of a cell. */
export function LayerContent({ name, description, cell }: ContentProps) {
  return (LAYER_DETAILS[name] ?? listParts(LAYER_CLIENTS[name])).render(description, cell);
}

/** What the sorts of layers show beside a picture. */
export function LayerScales({ cell }: { readonly cell: number }) {
  return LAYER_NAMES.map((name) => {
    const { Legends } = LAYER_DETAILS[name] ?? {};
    return Legends && <Legends key={name} cell={cell} />;
  });
}

/** What else may be laid over a picture. */
export function OtherLayers(props: OtherLayersProps) {
  return LAYER_NAMES.map((name) => {
    const { Others } = LAYER_DETAILS[name] ?? {};
    return Others && <Others key={name} {...props} />;
  });
}
