/** Every failure that is reported to clients, with its HTTP status. */
export const ERROR_STATUS = {
  invalid_path: 400,
  invalid_query: 400,
  invalid_window: 400,
  invalid_annotation: 400,
  invalid_mark: 400,
  invalid_labels: 400,
  bad_request: 400,
  unauthorized: 401,
  forbidden_host: 403,
  forbidden_origin: 403,
  masked: 403,
  not_found: 404,
  route_not_found: 404,
  asset_not_found: 404,
  no_pixel_data: 404,
  frame_out_of_range: 404,
  tag_not_found: 404,
  file_gone: 404,
  layer_not_found: 404,
  attachment_not_found: 404,
  item_not_found: 404,
  no_document: 404,
  mark_not_found: 404,
  method_not_allowed: 405,
  no_page: 409,
  nothing_shown: 409,
  not_acceptable: 406,
  mark_locked: 409,
  mark_exists: 409,
  stale_annotation: 412,
  stale_mark: 412,
  stale_labels: 412,
  payload_too_large: 413,
  unsupported_media_type: 415,
  range_not_satisfiable: 416,
  invalid_json: 422,
  unsupported_transfer_syntax: 422,
  unsupported_pixel_layout: 422,
  semantic_mapping_unavailable: 422,
  decode_memory_exceeded: 422,
  volume_unavailable: 422,
  volume_memory_exceeded: 422,
  dose_not_absolute: 422,
  layer_too_large: 422,
  attachment_unreadable: 422,
  unsupported_waveform: 422,
  unsupported_video: 422,
  document_too_large: 422,
  malformed_content: 422,
  archive_limit: 422,
  too_many_marks: 422,
  pixel_decode_failed: 500,
  file_read_failed: 500,
  annotation_import_failed: 500,
  internal_error: 500,
  origin_denied: 502,
  origin_unavailable: 502,
  decode_busy: 503,
  origin_busy: 503,
  still_scanning: 503,
  shutting_down: 503,
  page_timeout: 504,
  origin_timeout: 504,
} as const;

export type ErrorCode = keyof typeof ERROR_STATUS;

/** Properties of the file, which no request can change. */
const FAULTS_OF_FILES: readonly ErrorCode[] = [
  'masked',
  'no_pixel_data',
  'unsupported_transfer_syntax',
  'unsupported_pixel_layout',
  'semantic_mapping_unavailable',
  'decode_memory_exceeded',
  'volume_unavailable',
  'volume_memory_exceeded',
  'dose_not_absolute',
  'layer_too_large',
  'attachment_unreadable',
  'no_document',
  'unsupported_waveform',
  'unsupported_video',
  'document_too_large',
  'malformed_content',
  'archive_limit',
  'pixel_decode_failed',
];

export function isFaultOfFile(code: ErrorCode): boolean {
  return FAULTS_OF_FILES.includes(code);
}

/**
 * With this in `Prefer` (RFC 7240), such a failure is answered with 200 and the same body, and with
 * `Preference-Applied`. It is meant for pages, because browsers log every other status in the console as an error of
 * the page.
 */
export const FAILURE_IN_BODY = 'failure=body';

/** The body of every failure under /api. Clients branch on `code`; `error` is for people. */
export type ErrorBody = { code: ErrorCode; error: string };

/** A failure with a code that the client can act on. Any other thrown error is a bug. */
export class ViewerError extends Error {
  override readonly name = 'ViewerError';
  readonly code: ErrorCode;

  constructor(code: ErrorCode, message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.code = code;
  }
}
