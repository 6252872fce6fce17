import { useShallow } from 'zustand/shallow';
import type { FileRecord } from '../../../shared/contract/files.ts';
import { useFoundPicture } from '../../show/pictures/pictureKinds.ts';
import { useCells } from '../../kit/state/cells.ts';
import { findLayer, stackOf, useLibrary } from '../../kit/state/library.ts';
import { usePage } from '../../kit/state/page.ts';
import { hasLayer, useShownLayers } from '../../kit/state/layers.ts';
import { nameLayer } from './describeLayers.ts';
import { OtherLayers } from './layerDetails.tsx';
import { LayerSection } from './LayerSection.tsx';
import { RegistrationChoice } from './RegistrationChoice.tsx';
import { useLayersOver } from './stackLayers.ts';
import { UnplacedAttachments } from './UnplacedAttachments.tsx';

/**
 * Describes the layer of a file, or, for an image, the layers over its stack. Empty if there are none.
 */
export function LayerList({ file }: { readonly file: FileRecord }) {
  if (!hasLayer(file)) return <OverStack file={file} />;
  return <LayerSection file={file} name={nameLayer(file, [])} isOpen />;
}

/** Layers that are shown come first, expanded. */
function OverStack({ file }: { readonly file: FileRecord }) {
  const page = usePage();
  const cell = useCells(({ activeCell }) => activeCell);
  const picture = useFoundPicture(useLibrary(() => stackOf(page, file)).id);
  const over = useLayersOver(picture, cell);
  const files = useLibrary(useShallow(() => over.flatMap((index) => findLayer(page, index) ?? [])));
  const shown = useShownLayers(cell, (state) => state.shown);
  const [on, off] = [true, false].map((isOn) => files.filter(({ index }) => shown.includes(index) === isOn));
  return (
    <>
      {[...(on ?? []), ...(off ?? [])].map((one) => (
        <LayerSection key={one.index} file={one} name={nameLayer(one, files)} isOpen={shown.includes(one.index)} />
      ))}
      <RegistrationChoice image={file} />
      <UnplacedAttachments cell={cell} image={file} />
      {picture !== undefined && <OtherLayers cell={cell} picture={picture} listed={over} />}
    </>
  );
}
