import { renderRawPlane } from '../../volumes/renderPlane.ts';
import type { RawPlane } from '../../volumes/volumeTasks.ts';
import type { TaskContext } from '../../workers/serveTasks.ts';
import { createBridge } from '../applyBridge.ts';
import type { BentPlaneInput } from './fieldTasks.ts';

/** Implements `bentPlaneTask`: each sample is pulled back through the registrations, as their vectors are stored. */
export function renderBentPlane(input: BentPlaneInput, context: TaskContext): RawPlane {
  return renderRawPlane(input, context, createBridge(input.bend));
}
