import type { AgreementNumbers } from './contract/comparison.ts';

/** A number of a comparison: what it is called, and what it is. */
export type AgreementWord = {
  /** As in the API, with those that are defined together. */
  readonly names: readonly string[];
  readonly title: string;
  /** Without a period at the end. In Markdown of one line, without anything but code. */
  readonly definition: string;
};

export type AgreementName =
  | Exclude<keyof AgreementNumbers, 'mean_truth_to_test_mm' | 'mean_test_to_truth_mm' | 'precision' | 'recall'>
  | 'precision_recall'
  | 'means'
  | 'volume_ml';

/** The numbers of a comparison. The page, docs/compare.md and its test read their definitions here. */
export const AGREEMENT_WORDS: Readonly<Record<AgreementName, AgreementWord>> = {
  dice: {
    names: ['dice'],
    title: 'Dice',
    definition: '2 × samples in both / (samples of the truth + samples of the test)',
  },
  iou: {
    names: ['iou'],
    title: 'IoU',
    definition: 'samples in both / samples in one of them or both (Jaccard)',
  },
  precision_recall: {
    names: ['precision', 'recall'],
    title: 'Precision, recall',
    definition: 'the part of the test that is in the truth, and the part of the truth that is in the test',
  },
  volume_ml: {
    names: ['volume_ml'],
    title: 'Volume',
    definition: 'samples times their volume',
  },
  volume_difference_ml: {
    names: ['volume_difference_ml'],
    title: 'Difference',
    definition: 'volume of the test minus that of the truth',
  },
  hd_mm: {
    names: ['hd_mm'],
    title: 'HD',
    definition: 'Hausdorff distance: the largest distance of an element of one surface from the other surface',
  },
  hd95_mm: {
    names: ['hd95_mm'],
    title: 'HD95',
    definition:
      'the smallest distance that 95 % of the area of a surface do not exceed: the larger one of both directions',
  },
  means: {
    names: ['mean_truth_to_test_mm', 'mean_test_to_truth_mm'],
    title: 'Mean distances',
    definition: 'the mean distance of the area of one surface from the other one',
  },
  assd_mm: {
    names: ['assd_mm'],
    title: 'ASSD',
    definition: 'average symmetric surface distance: the mean over the area of both surfaces',
  },
  nsd: {
    names: ['nsd'],
    title: 'NSD',
    definition:
      'normalised surface distance (surface Dice): the part of the area of both surfaces that is at most `tolerance` (1 mm) from the other one',
  },
  components: {
    names: ['components'],
    title: 'Components',
    definition:
      'connected components of `truth` and `test`. One of the truth is `found` if more than the part `overlap` (0) of its samples is in the test, else `missed`; one of the test is `false` if no more than that part of it is in the truth. 26 neighbours are connected; `connectivity` takes 6 or 18',
  },
};
