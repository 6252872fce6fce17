// The entry of the pool's worker threads: which code stands behind which task. The code is imported when its task is
// first asked for, so that a thread which only reads tags never loads a codec.
import { importCsvTask } from './annotations/importTask.ts';
import { readInfoTask } from './catalog/infoTask.ts';
import { readTagsTask, selectTagTask } from './dicom/tagTasks.ts';
import { serveTasks, taskHandler } from './workers/serveTasks.ts';

serveTasks([
  taskHandler(readTagsTask, async () => (await import('./dicom/readTags.ts')).readTags),
  taskHandler(selectTagTask, async () => (await import('./dicom/readTags.ts')).readSelectedTag),
  taskHandler(readInfoTask, async () => (await import('./catalog/readInfo.ts')).readInfo),
  taskHandler(importCsvTask, async () => (await import('./annotations/importCsv.ts')).importCsv),
]);
