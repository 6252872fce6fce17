import type { KnownSource } from '../origins/origins.ts';
import { defineTask } from '../workers/task.ts';
import type { DeclaredReferences } from './declaredReferences.ts';

export const readReferencesTask = defineTask<KnownSource, DeclaredReferences>('references.read');
