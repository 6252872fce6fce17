import type { ImageBounds } from '../../shared/annotations.ts';
import { defineTask } from '../workers/task.ts';
import type { PackedRois } from './packedRois.ts';

export type CheckBodyInput = { readonly body: Uint8Array; readonly bounds: ImageBounds };

/** Fails with the errors that `checkBody` throws. */
export const checkBodyTask = defineTask<CheckBodyInput, PackedRois>('checkAnnotationBody');
