import type { KnownFile } from '../dicom/openSameFile.ts';
import { defineTask } from '../workers/task.ts';
import type { DeclaredReferences } from './declaredReferences.ts';

export const readReferencesTask = defineTask<KnownFile, DeclaredReferences>('references.read');
