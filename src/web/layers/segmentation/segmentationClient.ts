import { fetchSegmentation } from '../../api/segmentations.ts';
import type { LayerClient } from '../layerClient.ts';
import { nameSegment, type SegmentationDescription } from './describeSegment.ts';
import { listFilledFrames } from './segmentStatistics.ts';

export const segmentationClient: LayerClient<SegmentationDescription> = {
  words: { layer: 'segmentation', part: 'segment', alone: 'stored mask' },
  // The context names each frame, of which there may be tens of thousands.
  replacesContext: true,
  async describe(fileIndex, signal) {
    const response = await fetchSegmentation(fileIndex, signal);
    const { overlay, sources, slide_file_indices: slides, segments } = response;
    const onSlides = slides.map((slide) => [slide, new Set([0])] as const);
    const ofFrames = sources.map(({ file_index, frame_indices }) => [file_index, new Set(frame_indices)] as const);
    return {
      fileIndex,
      isPlaced: overlay.eligible || slides.length > 0,
      reason: slides.length > 0 ? 'the slide is in its coordinate system' : overlay.reason,
      targets: new Map([...onSlides, ...ofFrames]),
      parts: segments.map((segment) => ({
        number: segment.number,
        name: nameSegment(segment),
        color: segment.display_color,
      })),
      response,
    };
  },
  listFilledFrames,
};
