import { useShallow } from 'zustand/shallow';
import type { FileRecord } from '../../../shared/contract/files.ts';
import { useCells } from '../../state/cells.ts';
import { findFile, stackOf, useLibrary } from '../../state/library.ts';
import { usePage } from '../../state/page.ts';
import { useShownLayers } from '../../state/layers.ts';
import { nameSegmentation } from './describeSegment.ts';
import { SegmentationSection } from './SegmentationSection.tsx';
import { isSegmentation, useSegmentationsOver } from './stackSegmentations.ts';

/**
 * Lists the segments of a segmentation, or, for an image, those of the segmentations over its stack. Empty if there are
 * none.
 */
export function SegmentList({ file }: { readonly file: FileRecord }) {
  if (!isSegmentation(file)) return <OverStack file={file} />;
  return <SegmentationSection file={file} name={nameSegmentation(file, [])} isOpen />;
}

/** Segmentations that are shown come first, expanded. */
function OverStack({ file }: { readonly file: FileRecord }) {
  const page = usePage();
  const over = useSegmentationsOver(useLibrary(() => stackOf(page, file)));
  const files = useLibrary(useShallow(() => over.flatMap((index) => findFile(page, index) ?? [])));
  const cell = useCells(({ activeCell }) => activeCell);
  const shown = useShownLayers(cell, (state) => state.shown);
  const [on, off] = [true, false].map((isOn) => files.filter(({ index }) => shown.includes(index) === isOn));
  return [...(on ?? []), ...(off ?? [])].map((one) => (
    <SegmentationSection
      key={one.index}
      file={one}
      name={nameSegmentation(one, files)}
      isOpen={shown.includes(one.index)}
    />
  ));
}
