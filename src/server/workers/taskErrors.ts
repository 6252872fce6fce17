/** The task ran longer than it may, and its worker was terminated. */
export class TaskTimeout extends Error {
  override readonly name = 'TaskTimeout';
}

/** The worker ended while the task ran in it, or no worker can be started. */
export class WorkerDied extends Error {
  override readonly name = 'WorkerDied';
}

/** The task's key has killed two workers; it is not tried a third time. */
export class TaskQuarantined extends Error {
  override readonly name = 'TaskQuarantined';
}

/** Code in the worker threw something that no client can act on. Message and stack are those of the worker's error. */
export class TaskFailed extends Error {
  override readonly name = 'TaskFailed';
}

/** Thrown inside the worker by a task that noticed that nobody waits for it any more. */
export class TaskCancelled extends Error {
  override readonly name = 'TaskCancelled';
}
