import { useStore } from 'zustand';
import { pageSteps } from '../state/stepHistory.ts';
import { serverBackend } from './roiBackend.ts';
import { createRoiFiles } from './roiFiles.ts';
import type { RoiState } from './roiState.ts';

export const pageRois = createRoiFiles(serverBackend, pageSteps);

export function useRois<T>(select: (state: RoiState) => T): T {
  return useStore(pageRois.store, select);
}
