import { renderRawPlane } from '../../../images/volumes/renderPlane.ts';
import type { RawPlane } from '../../../images/volumes/volumeTasks.ts';
import type { TaskContext } from '../../../machine/workers/serveTasks.ts';
import { createBridge } from '../applyBridge.ts';
import type { BentPlaneInput } from './fieldTasks.ts';

/** Implements `bentPlaneTask`: each sample is pulled back through the registrations, as their vectors are stored. */
export function renderBentPlane(input: BentPlaneInput, context: TaskContext): RawPlane {
  return renderRawPlane(input, context, createBridge(input.bend));
}
