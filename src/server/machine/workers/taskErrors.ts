/** The task exceeded its time limit, and its worker was terminated. */
export class TaskTimeout extends Error {
  override readonly name = 'TaskTimeout';
}

/** The worker ended while it ran the task, or no worker can be started. */
export class WorkerDied extends Error {
  override readonly name = 'WorkerDied';
}

/** The task's key has killed two workers and is not tried a third time. */
export class TaskQuarantined extends Error {
  override readonly name = 'TaskQuarantined';
}

/** Whether a task was ended because of its input: it took too long, or it has killed its worker. */
export function isHarmful(error: unknown): boolean {
  return error instanceof TaskTimeout || error instanceof WorkerDied || error instanceof TaskQuarantined;
}

/** Code in the worker threw an error that no client can act on. Message and stack are those of the worker's error. */
export class TaskFailed extends Error {
  override readonly name = 'TaskFailed';
}

/** Thrown inside the worker by a task that has noticed that no caller waits for it any more. */
export class TaskCancelled extends Error {
  override readonly name = 'TaskCancelled';
}
