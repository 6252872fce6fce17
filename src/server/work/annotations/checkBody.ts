import { checkAnnotation } from '../../../shared/annotations.ts';
import { ViewerError } from '../../../shared/contract/errors.ts';
import { parseBody } from '../../machine/workers/parseBody.ts';
import type { TaskContext } from '../../machine/workers/serveTasks.ts';
import type { CheckBodyInput } from './annotationTasks.ts';
import { type PackedRois, packRois } from './packedRois.ts';

/** The ROIs of a request body in canonical form. Throws `invalid_json` or `invalid_annotation`. */
export function checkBody({ body, bounds }: CheckBodyInput): PackedRois {
  const checked = checkAnnotation(parseBody(body), bounds);
  if (checked.ok) return packRois([checked.payload]);
  const code = checked.problem.kind === 'shape' ? 'invalid_json' : 'invalid_annotation';
  throw new ViewerError(code, checked.problem.message);
}

/** The handler of `checkBodyTask`. */
export function checkBodyApart(input: CheckBodyInput, { transfer }: TaskContext): PackedRois {
  const { coords, frameStarts, frames } = checkBody(input);
  return { coords: transfer(coords), frameStarts: transfer(frameStarts), frames: transfer(frames) };
}
