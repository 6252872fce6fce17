import type { TaskContext } from '../../machine/workers/serveTasks.ts';
import type { AgreementInput, Agreement } from './agreementTasks.ts';
import { countComponents } from './countComponents.ts';
import { listErrors } from './listErrors.ts';
import { cutMaskPair } from './maskPair.ts';
import { measureSurfaces } from './surfaceDistances.ts';

/** Implements `measureAgreementTask`. */
export function measureAgreement(
  { components, surfaces, errors, ...input }: AgreementInput,
  { throwIfCancelled }: Pick<TaskContext, 'throwIfCancelled'>,
): Agreement {
  const pair = cutMaskPair(input);
  return {
    components: components && countComponents(pair, components, throwIfCancelled),
    errors: errors ? listErrors(pair, throwIfCancelled) : undefined,
    surfaces: surfaces && measureSurfaces(pair, surfaces, throwIfCancelled),
  };
}
