import { AuditPanel } from '../find/audits/AuditPanel.tsx';
import { CohortView } from '../find/cohort/CohortView.tsx';
import { Gallery } from '../find/gallery/Gallery.tsx';
import { CohortTable } from '../find/cohort/CohortTable.tsx';

/** The table, the gallery and the audits of all files. */
export function CohortPage() {
  return <CohortView table={<CohortTable />} gallery={<Gallery />} audits={<AuditPanel />} />;
}
