import type { PDFDocumentProxy, PDFPageProxy } from 'pdfjs-dist';

/** A page of the same document, from 0, or an address, which is shown and never opened. */
export type LinkTarget = { readonly page: number } | { readonly address: string };

/** A link on a page: two opposite corners in units of the PDF, and where it leads. */
export type PdfLink = { readonly box: readonly number[]; readonly target: LinkTarget };

/** Of one page. */
const MOST_LINKS = 500;
const MOST_LETTERS = 500;

/** The links of a page. Those that lead nowhere, and those that would run something, are left out. */
export async function listLinks(pdf: PDFDocumentProxy, page: PDFPageProxy): Promise<PdfLink[]> {
  const annotations: readonly unknown[] = await page.getAnnotations({ intent: 'display' });
  const links: PdfLink[] = [];
  for (const annotation of annotations) {
    if (links.length === MOST_LINKS) break;
    if (!isLink(annotation)) continue;
    const target = await findTarget(pdf, annotation);
    if (target !== undefined) links.push({ box: annotation.rect, target });
  }
  return links;
}

type LinkAnnotation = {
  readonly rect: readonly number[];
  readonly dest?: unknown;
  readonly url?: unknown;
  readonly unsafeUrl?: unknown;
};

function isLink(value: unknown): value is LinkAnnotation {
  if (typeof value !== 'object' || value === null) return false;
  const { subtype, rect }: { subtype?: unknown; rect?: unknown } = value;
  return subtype === 'Link' && Array.isArray(rect) && rect.length === 4 && rect.every(Number.isFinite);
}

async function findTarget(
  pdf: PDFDocumentProxy,
  { dest, url, unsafeUrl }: LinkAnnotation,
): Promise<LinkTarget | undefined> {
  for (const address of [unsafeUrl, url]) {
    if (typeof address === 'string' && address !== '') return { address: address.slice(0, MOST_LETTERS) };
  }
  try {
    const place: unknown = typeof dest === 'string' ? await pdf.getDestination(dest) : dest;
    const first: unknown = Array.isArray(place) ? place[0] : undefined;
    const page = isReference(first) ? await pdf.getPageIndex(first) : first;
    return typeof page === 'number' && Number.isInteger(page) && page >= 0 && page < pdf.numPages
      ? { page }
      : undefined;
  } catch {
    // The destination is damaged, or the page is none of the document.
    return undefined;
  }
}

function isReference(value: unknown): value is { readonly num: number; readonly gen: number } {
  if (typeof value !== 'object' || value === null) return false;
  const { num, gen }: { num?: unknown; gen?: unknown } = value;
  return Number.isInteger(num) && Number.isInteger(gen);
}
