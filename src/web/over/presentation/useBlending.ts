import { useEffect, useState } from 'react';
import { useReport } from '../../show/pictures/viewports.ts';
import type { AppliedPresentation } from '../../kit/state/cells.ts';
import { usePage } from '../../kit/state/page.ts';
import type { KnownPresentation } from '../../kit/state/presentations.ts';
import { type BlendingPlan, carryOut, planBlending } from './planBlending.ts';

/**
 * Lays what a blending state superimposes over those images of a cell that the state is for, while it is shown there, so
 * that applying, hiding, undoing and opening a link change only the state of the cell.
 */
export function useBlending(
  cell: number,
  known: KnownPresentation | undefined,
  presentation: AppliedPresentation | undefined,
): void {
  const page = usePage();
  const isBlended = presentation?.mode === 'all' && presentation.isShown;
  // A link names the layers besides the state, and they leave with the state.
  const isOfLink = presentation?.otherwise === undefined;
  const plan = usePlan(isBlended ? known : undefined);
  const isForImage = useReport(
    cell,
    ({ shown }) => shown?.file === undefined || known?.names(shown.file.index, shown.frame.frame) !== false,
  );
  useEffect(() => {
    return plan === undefined || !isForImage ? undefined : carryOut(page, cell, plan, { isKept: !isOfLink });
    // oxlint-disable-next-line react/exhaustive-deps -- only how it was when the state was applied matters
  }, [page, cell, plan, isForImage]);
}

/** How a state is blended; undefined until that is known, and if it blends nothing. */
export function usePlan(known: KnownPresentation | undefined): BlendingPlan {
  const page = usePage();
  const [planned, setPlanned] = useState<{ readonly of: KnownPresentation; readonly plan: BlendingPlan }>();
  useEffect(() => {
    if (known === undefined || known.state?.kind !== 'blending') return undefined;
    let isWanted = true;
    const make = async () => {
      const plan = await planBlending(page, known);
      if (isWanted) setPlanned({ of: known, plan });
    };
    void make();
    return () => {
      isWanted = false;
    };
  }, [page, known]);
  return planned !== undefined && planned.of === known ? planned.plan : undefined;
}
