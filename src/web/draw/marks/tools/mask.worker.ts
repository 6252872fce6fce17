import { asError } from '../../../../shared/asError.ts';
import type { JobSamples, MaskAnswer, MaskRequest, MaskResult } from './maskJob.ts';
import { runMaskJob } from './runMaskJob.ts';

/** Those of the last request that sent some. */
let known: JobSamples | undefined;

addEventListener('message', ({ data: { id, job, samples } }: MessageEvent<MaskRequest>) => {
  known = samples ?? known;
  let result: MaskResult;
  try {
    result = runMaskJob(job, known);
  } catch (error) {
    // Such as memory that the browser does not have.
    result = { problem: asError(error).message };
  }
  const answer: MaskAnswer = { id, result };
  postMessage(answer);
});
