import { USUAL_SCHEME } from '../../src/server/work/review/reviewScheme.ts';
import type { ReviewSettings } from '../../src/server/work/review/reviews.ts';
import { join } from 'node:path';
import { createTempFolder } from './tempFolder.ts';

/** A review of series by the reader anna, whose file is in a new folder. */
export function reviewSettings(different: Partial<ReviewSettings> = {}): ReviewSettings {
  return {
    paths: different.paths ?? [join(createTempFolder(), 'verdicts.jsonl')],
    reader: 'anna',
    level: 'series',
    scheme: USUAL_SCHEME,
    seed: undefined,
    isSecond: false,
    ...different,
  };
}
