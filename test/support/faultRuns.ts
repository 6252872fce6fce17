/** How often a fault is repeated: few times in every run, and NEGATO_FAULT_RUNS times for a long one. */
export function faultRuns(usual: number): number {
  return Number(process.env['NEGATO_FAULT_RUNS'] ?? usual);
}
