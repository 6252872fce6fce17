import { fetchLayer } from '../../../kit/api/layers.ts';
import { fetchSegmentation } from '../../../kit/api/segmentations.ts';
import { hasRegistrations } from '../../../kit/state/layers.ts';
import { findFile, libraryOf } from '../../../kit/state/library.ts';
import type { LayerClient } from '../layerClient.ts';
import { maskPainter } from '../mask/maskPainter.ts';
import { readSpaces } from '../readSpaces.ts';
import { separateColors } from '../../../../shared/separateColors.ts';
import { nameSegment, type SegmentationDescription } from './describeSegment.ts';
import { findFullest, listFilledFrames } from './segmentStatistics.ts';

export const segmentationClient: LayerClient<SegmentationDescription> = {
  painter: maskPainter,
  words: { layer: 'segmentation', part: 'segment', alone: 'stored mask' },
  // The context names each frame, of which there may be tens of thousands.
  replacesContext: true,
  async describe(fileIndex, signal, page) {
    const response = await fetchSegmentation(fileIndex, signal);
    const { overlay, sources, slide_file_indices: slides, segments } = response;
    // The answer above has the images that it was made from; registrations may put it over others. It does not name the
    // coordinates of images without a frame of reference.
    const isUnnamed = sources.some(({ file_index }) => findFile(page, file_index)?.frame_of_reference_uid === null);
    const isElsewhere = isUnnamed || hasRegistrations(libraryOf(page).getState().files);
    const layer = isElsewhere ? await fetchLayer(fileIndex, signal) : undefined;
    const over = layer?.targets ?? sources;
    const onSlides = slides.map((slide) => [slide, new Set([0])] as const);
    const ofFrames = over.map(({ file_index, frame_indices }) => [file_index, new Set(frame_indices)] as const);
    return {
      fileIndex,
      isPlaced: overlay.eligible || slides.length > 0 || (layer?.targets.length ?? 0) > 0,
      reason: slides.length > 0 ? 'the slide is in its coordinate system' : overlay.reason,
      targets: new Map([...onSlides, ...ofFrames]),
      ...(layer !== undefined && layer.spaces.length > 0 && readSpaces(layer)),
      parts: separateColors(
        segments.map((segment) => ({
          number: segment.number,
          name: nameSegment(segment),
          color: segment.display_color,
        })),
      ),
      response,
    };
  },
  listFilledFrames,
  findFullest,
};
