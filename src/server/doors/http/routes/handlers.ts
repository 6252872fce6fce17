import type { EndpointName } from '../../../../shared/contract/endpoints.ts';
import type { Handler, ServerContext } from '../serverContext.ts';
import { annotationRoutes } from './annotations.ts';
import { assistantRoutes } from './assistants.ts';
import { attachmentRoutes } from './attachments.ts';
import { auditRoutes } from './audits.ts';
import { contentRoutes } from './content.ts';
import { documentRoutes } from './documents.ts';
import { dvhRoutes } from './dvh.ts';
import { registrationRoutes } from './registrations.ts';
import { eventsRoutes } from './events.ts';
import { exportRoutes } from './exports.ts';
import { filesRoutes } from './files.ts';
import { frameRoutes } from './frames.ts';
import { hangingRoutes } from './hanging.ts';
import { healthRoutes } from './health.ts';
import { infoRoutes } from './info.ts';
import { comparisonRoutes } from './comparisons.ts';
import { labelRoutes } from './labels.ts';
import { layerRoutes } from './layers.ts';
import { markRoutes } from './marks.ts';
import { openApiRoutes } from './openApi.ts';
import { presentationRoutes } from './presentations.ts';
import { referenceRoutes } from './references.ts';
import { reviewRoutes } from './review.ts';
import { segmentationRoutes } from './segmentations.ts';
import { seriesRoutes } from './series.ts';
import { semanticRoutes } from './semantics.ts';
import type { KeptJson } from '../sendJson.ts';
import { sheetRoutes } from './sheets.ts';
import { storedFileRoutes } from './storedFile.ts';
import { tableRoutes } from './tables.ts';
import { tagRoutes } from './tags.ts';
import { ticketRoutes } from './tickets.ts';
import { valueMappingRoutes } from './valueMapping.ts';
import { viewRoutes } from './view.ts';
import { volumeRoutes } from './volumes.ts';
import { waveformRoutes } from './waveforms.ts';
import { wsiRoutes } from './wsi.ts';

/** An endpoint of the table that has no handler is a compile error. */
export function createHandlers(context: ServerContext): { readonly [Name in EndpointName]: Handler } {
  const kept = context.memory.cache<KeptJson>('lists');
  return {
    ...healthRoutes(context),
    ...hangingRoutes(context),
    ...openApiRoutes(),
    ...filesRoutes(context, kept),
    ...eventsRoutes(context),
    ...seriesRoutes(context, kept),
    ...sheetRoutes(context),
    ...infoRoutes(context),
    ...frameRoutes(context),
    ...referenceRoutes(context),
    ...presentationRoutes(context),
    ...documentRoutes(context),
    ...waveformRoutes(context),
    ...contentRoutes(context),
    ...semanticRoutes(context),
    ...layerRoutes(context),
    ...dvhRoutes(context),
    ...attachmentRoutes(context),
    ...registrationRoutes(context),
    ...segmentationRoutes(context),
    ...valueMappingRoutes(context),
    ...volumeRoutes(context),
    ...exportRoutes(context),
    ...tableRoutes(context),
    ...auditRoutes(context),
    ...labelRoutes(context),
    ...comparisonRoutes(context),
    ...wsiRoutes(context),
    ...tagRoutes(context),
    ...storedFileRoutes(context),
    ...annotationRoutes(context),
    ...viewRoutes(context),
    ...ticketRoutes(context),
    ...markRoutes(context),
    ...reviewRoutes(context),
    ...assistantRoutes(context),
  };
}
